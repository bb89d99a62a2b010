/// The kind of the values of a column, or of the elements of its container.
///
/// The raw values are part of the file format. Within a mixed value they are the tags; there 10 is
/// a link with its class, 0 null, 13 a list and 14 a dictionary, so these are not used for kinds.
@usableFromInline
package enum ValueKind: UInt8, Sendable, CaseIterable {
    case bool = 1
    case int
    case float
    case double
    case string
    case data
    case date
    case uuid
    case link
    case mixed
    case objectID
    case decimal
}

/// How the values of a kind are laid out in chunks and commit records.
@usableFromInline
package enum ValueLayout: Sendable, Hashable {
    /// One bit; an integer if the column can be null, and in containers.
    case bit
    /// Up to 64 bits, packed as closely as the values of a chunk allow.
    case integer
    /// A fixed number of bytes.
    case fixed(Int)
    /// A variable number of bytes.
    case bytes
}

/// Families of values that are comparable with each other. The raw values begin the keys of mixed
/// values in indexes, and so are part of the file format; a dictionary follows a list, as 13.
package enum ValueFamily: UInt8, Sendable, Hashable {
    case null = 0
    case bool = 1
    case number = 2
    case string = 5
    case data = 6
    case date = 7
    case objectID = 8
    case uuid = 9
    case link = 10
    case object = 11
    case collection = 12
}

/// How much of a value is represented by its digits, of eight bytes each, in indexes and when rows
/// are sorted.
@usableFromInline
package enum SortDigits: Sendable, Hashable {
    /// The whole value, by one or two digits.
    case one, two
    /// A part of it by each digit, up to the number of its bytes.
    case many
    /// Nothing: values must be compared.
    case none
}

/// The kinds of numbers, which can be compared and calculated with each other.
@usableFromInline
package enum NumberKind: Sendable, Hashable {
    case int
    case float
    case double
    case decimal
}

/// The properties of a kind of value, as plain facts.
package struct ValueTraits: Sendable {
    /// The phrase for a value of the kind in messages: "a UUID".
    package let phrase: String
    /// The family of its values; nil if it depends on the value.
    package let family: ValueFamily?
    /// Whether queries can compare the order of values, and not only equality.
    package let hasOrder: Bool
    /// Whether the text operators of queries apply to its values.
    package let hasTexts: Bool
    /// Whether it can be the kind of a primary key.
    package let canBePrimaryKey: Bool
    /// Whether a constant of the same kind can be looked up by its position in an index of the
    /// column.
    package let isSoughtByPlace: Bool
    /// Whether an index is usually selective, so that it can be recommended.
    package let isWorthIndexing: Bool
    /// Whether NaN precedes the values in such an index.
    package let hasNaNInFront: Bool
    /// The name of the value of an unwritten row in forecasts.
    package let zeroName: String

    fileprivate init(
        _ phrase: String, _ family: ValueFamily?, hasOrder: Bool = true, hasTexts: Bool = false,
        canBePrimaryKey: Bool = false, isSoughtByPlace: Bool = true,
        isWorthIndexing: Bool = false, hasNaNInFront: Bool = false, zeroName: String = "zero"
    ) {
        self.phrase = phrase
        self.family = family
        self.hasOrder = hasOrder
        self.hasTexts = hasTexts
        self.canBePrimaryKey = canBePrimaryKey
        self.isSoughtByPlace = isSoughtByPlace
        self.isWorthIndexing = isWorthIndexing
        self.hasNaNInFront = hasNaNInFront
        self.zeroName = zeroName
    }
}

extension ValueKind {
    /// The properties of the kind. Those that are needed for every row are separate, below.
    package var traits: ValueTraits {
        switch self {
        case .bool:
            ValueTraits(
                "a truth value", .bool, hasOrder: false, isWorthIndexing: true, zeroName: "false")
        case .int:
            ValueTraits("an integer", .number, canBePrimaryKey: true, isWorthIndexing: true)
        case .float: ValueTraits("a float", .number, hasNaNInFront: true)
        case .double: ValueTraits("a double", .number, hasNaNInFront: true)
        case .string:
            ValueTraits(
                "a text", .string, hasTexts: true, canBePrimaryKey: true, isWorthIndexing: true,
                zeroName: "\"\"")
        case .data:
            ValueTraits(
                "bytes", .data, hasTexts: true, canBePrimaryKey: true, zeroName: "empty")
        case .date: ValueTraits("a date", .date, isWorthIndexing: true, hasNaNInFront: true)
        case .uuid:
            ValueTraits(
                "a UUID", .uuid, hasOrder: false, canBePrimaryKey: true, isWorthIndexing: true)
        case .link:
            ValueTraits(
                "an object", .link, hasOrder: false, isSoughtByPlace: false, zeroName: "nil")
        case .mixed:
            ValueTraits(
                "a value of any type", nil, hasTexts: true, isSoughtByPlace: false,
                zeroName: "nil")
        case .objectID:
            ValueTraits("an ObjectId", .objectID, canBePrimaryKey: true, isWorthIndexing: true)
        case .decimal: ValueTraits("a decimal number", .number, isSoughtByPlace: false)
        }
    }

    /// How values are laid out.
    @inlinable
    package var layout: ValueLayout {
        switch self {
        case .bool: .bit
        case .int, .link: .integer
        case .float: .fixed(4)
        case .double, .date: .fixed(8)
        case .objectID: .fixed(12)
        case .uuid, .decimal: .fixed(16)
        case .string, .data, .mixed: .bytes
        }
    }

    /// How much the digits that rows are sorted by represent.
    @inlinable
    package var sortDigits: SortDigits {
        switch self {
        case .bool, .int, .float, .double, .date, .link: .one
        case .uuid, .objectID: .two
        case .string, .data: .many
        case .mixed, .decimal: .none
        }
    }

    /// The kind of number; nil for other kinds.
    @inlinable
    package var number: NumberKind? {
        switch self {
        case .int: .int
        case .float: .float
        case .double: .double
        case .decimal: .decimal
        case .bool, .string, .data, .date, .uuid, .link, .mixed, .objectID: nil
        }
    }

    package var isNumber: Bool { number != nil }

    /// The size of values of a kind of fixed width; 0 for any other.
    var fixedWidth: Int { if case .fixed(let width) = layout { width } else { 0 } }
}

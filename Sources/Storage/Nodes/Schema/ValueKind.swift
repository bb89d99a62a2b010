/// What kind of value a column or the elements of its container hold.
///
/// The numbers are part of the file format. Within a mixed value they say what it is; there 10 is
/// a link that names its class, 0 null, 13 a list and 14 a dictionary, and so no kind.
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
    /// One bit; an integer where the column can be null and in containers.
    case bit
    /// Up to 64 bits, packed as closely as the values of a chunk allow.
    case integer
    /// So many bytes each.
    case fixed(Int)
    /// As many bytes as the value has.
    case bytes
}

/// Values that order among each other. The numbers begin the keys of values of any type in indexes,
/// and so are part of the file format; behind a list stands a dictionary, as 13.
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

/// How much of a value the digits tell that stand for it in indexes and when rows are sorted, eight
/// bytes each.
@usableFromInline
package enum SortDigits: Sendable, Hashable {
    /// Everything, by one or by two of them.
    case one, two
    /// The beginning, by each; as many as it has bytes.
    case many
    /// Nothing: values are compared with each other.
    case none
}

/// The kinds of numbers, which compare and calculate with each other.
@usableFromInline
package enum NumberKind: Sendable, Hashable {
    case int
    case float
    case double
    case decimal
}

/// What sets a kind of value apart, as far as it is no more than a fact about it.
package struct ValueTraits: Sendable {
    /// As a message calls a value of the kind: "a UUID".
    package let phrase: String
    /// What its values order among; nil where that depends on the value.
    package let family: ValueFamily?
    /// Whether queries ask for more than whether two values are equal.
    package let hasOrder: Bool
    /// Whether the text operators of queries are for its values.
    package let hasTexts: Bool
    /// Whether it can name the rows of a class.
    package let canBePrimaryKey: Bool
    /// Whether a constant of the same kind is found in an index of the column by its place there.
    package let isSoughtByPlace: Bool
    /// Whether an index usually leaves few rows, so that having one is worth advising.
    package let isWorthIndexing: Bool
    /// Whether "not a number" stands in front of the values in an index by place.
    package let hasNaNInFront: Bool
    /// As a forecast calls the value of a row that nobody wrote to.
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
    /// The facts about the kind. What is asked for every row has a property of its own below.
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

    /// What the digits tell that rows are sorted by.
    @inlinable
    package var sortDigits: SortDigits {
        switch self {
        case .bool, .int, .float, .double, .date, .link: .one
        case .uuid, .objectID: .two
        case .string, .data: .many
        case .mixed, .decimal: .none
        }
    }

    /// The kind of number; nil of what is none.
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

    /// The bytes of each value of a kind of fixed width; none of any other.
    var fixedWidth: Int { if case .fixed(let width) = layout { width } else { 0 } }
}

/// Whether a column holds one value per row or many.
@usableFromInline
package enum Container: UInt8, Sendable, CaseIterable {
    case none = 0
    case list
    case set
    case map
}

/// The kind of a column's index.
@usableFromInline
package enum ColumnIndex: UInt8, Sendable {
    case none
    /// Rows by their values.
    case values
    /// Rows by the words of their texts.
    case fullText
    /// Rows by the values of several columns; it has a column number of its own.
    case composite
    /// Rows by the words of another version of the library. It is neither read nor maintained until
    /// a program that opens the store for writing rebuilds it as ``fullText``. It is cleared when a
    /// text is removed whose words it may have.
    case outdatedFullText

    /// The same as models declare it.
    var declared: ColumnIndex { self == .outdatedFullText ? .fullText : self }
}

/// One column of a class.
package struct ColumnSchema: Sendable, Hashable {
    /// Empty for a removed column: its number is not reused, and it has no contents.
    package var name: String
    package var kind: ValueKind
    package var container: Container
    /// Whether a value, or an element of the container, can be null. Links always can.
    package var isNullable: Bool
    package var index: ColumnIndex
    /// The class that a link column points to.
    package var target: ClassID?
    /// The declared range of integers of the values, or of the elements of the container.
    package var integers: IntegerRange
    private var composite = CompositeParts.none

    package init(
        name: String, kind: ValueKind, container: Container = .none, isNullable: Bool = false,
        isIndexed: Bool = false, isFullText: Bool = false, target: ClassID? = nil,
        integers: IntegerRange = .unstated
    ) {
        self.name = name
        self.kind = kind
        self.container = container
        self.isNullable = isNullable
        index = isFullText ? .fullText : isIndexed ? .values : .none
        self.target = target
        self.integers = integers
    }

    /// Indirect, to keep the column small: queries have columns on the stack.
    private indirect enum CompositeParts: Sendable, Hashable {
        case none
        case parts(IndexParts)
    }

    /// The columns of an index of several columns.
    package var parts: IndexParts {
        get { if case .parts(let parts) = composite { parts } else { IndexParts() } }
        set { composite = newValue == IndexParts() ? .none : .parts(newValue) }
    }

    /// Whether it has an index of values.
    package var isIndexed: Bool { index == .values }

    /// Whether it has an index of the words of its texts, of any version.
    package var isFullText: Bool { index.declared == .fullText }

    /// Whether it has a full-text index of this version of the library, which can be searched.
    package var isSearchable: Bool { index == .fullText }

    /// Whether a migration has removed the column, or it is the number of an index of several
    /// columns.
    package var isRemoved: Bool { name.isEmpty }

    /// Whether the values of `other` are stored in the same way as those of this column.
    package func isStored(as other: ColumnSchema) -> Bool {
        kind == other.kind && container == other.container && isNullable == other.isNullable
            && target == other.target
    }

    /// The kind in which a container stores its elements: nullable ones carry a tag.
    package var elementKind: ValueKind { isNullable && kind != .link ? .mixed : kind }

    /// Whether the column can be the primary key of a class.
    var canBePrimaryKey: Bool { container == .none && kind.traits.canBePrimaryKey }

    /// Whether the column's values are in an index, in order.
    package var hasValueIndex: Bool { isIndexed && container == .none && kind != .link }

    /// Whether the rows with a value are exactly one contiguous range of the column's index. Mixed
    /// values equal numbers of other kinds, which are elsewhere in their index.
    package var isFoundByIndex: Bool { hasValueIndex && kind != .mixed }

    /// Whether the column has an index tree of its own: indexed values, or the backlinks of links.
    var hasIndex: Bool { index != .none || kind == .link }

    /// Whether its index must agree with the values. The entries of another version of the library
    /// need not.
    var hasComparableIndex: Bool { hasIndex && index != .outdatedFullText }

    /// Whether the index is derived from the rows' own values, or their words.
    var hasOwnIndex: Bool { hasValueIndex || isFullText || isComposite }
}

/// One class of a store.
package struct ClassSchema: Sendable, Hashable {
    /// Empty for a class that was removed, which has no rows.
    package var name: String
    package var isEmbedded: Bool
    package var columns: [ColumnSchema]
    package var primaryKey: ColumnID?

    package init(
        name: String, isEmbedded: Bool = false, columns: [ColumnSchema],
        primaryKey: ColumnID? = nil
    ) {
        self.name = name
        self.isEmbedded = isEmbedded
        self.columns = columns
        self.primaryKey = primaryKey
    }

    /// Whether a migration has removed the class.
    package var isRemoved: Bool { name.isEmpty }

    package func column(named name: String) -> ColumnID? {
        if name.isEmpty { return nil }
        return columns.firstIndex { $0.name == name }.map { ColumnID($0) }
    }
}

/// A named step of a migration that has run.
package struct SchemaStep: Sendable, Hashable {
    package let number: UInt64
    package let name: String

    package init(number: UInt64, name: String) {
        self.number = number
        self.name = name
    }
}

/// A link column that points to some class.
package struct IncomingLink: Sendable, Hashable {
    package let origin: ClassID
    package let column: ColumnID
}

/// A class with columns of mixed values.
struct MixedHolder: Sendable {
    let id: ClassID
    let columns: [Int]
}

/// The classes of a store. Classes and columns are only ever appended; a removed one keeps its
/// number.
package final class StoreSchema: Sendable, Equatable {
    package let classes: [ClassSchema]
    /// The schema version of programs; nil if none has set one.
    package let version: UInt64?
    /// The steps of migrations that have run, in the order of their numbers.
    package let steps: [SchemaStep]
    private let names: SortedTable<String, ClassID>
    private let incomingLinks: [[IncomingLink]]
    /// The classes with mixed values, which may contain links without backlinks.
    let mixedHolders: [MixedHolder]

    package init(
        classes: [ClassSchema] = [], version: UInt64? = nil, steps: [SchemaStep] = []
    ) {
        self.classes = classes
        self.version = version
        self.steps = steps
        var names = SortedTable<String, ClassID>()
        for (index, schema) in classes.enumerated()
        where !schema.isRemoved && names[schema.name] == nil {
            names[schema.name] = ClassID(index)
        }
        self.names = names
        var incomingLinks = [[IncomingLink]](repeating: [], count: classes.count)
        var mixedHolders: [MixedHolder] = []
        for (index, schema) in classes.enumerated() {
            let mixed = schema.columns.indices.filter {
                schema.columns[$0].kind == .mixed && !schema.columns[$0].isRemoved
            }
            if !mixed.isEmpty {
                mixedHolders.append(MixedHolder(id: ClassID(index), columns: mixed))
            }
            for (number, column) in schema.columns.enumerated() where !column.isRemoved {
                guard let target = column.target, target.rawValue < classes.count else { continue }
                incomingLinks[target.rawValue].append(
                    IncomingLink(origin: ClassID(index), column: ColumnID(number)))
            }
        }
        self.incomingLinks = incomingLinks
        self.mixedHolders = mixedHolders
    }

    package static func == (a: StoreSchema, b: StoreSchema) -> Bool {
        a.classes == b.classes && a.version == b.version && a.steps == b.steps
    }

    package func classID(named name: String) -> ClassID? { names[name] }

    package subscript(_ id: ClassID) -> ClassSchema { classes[id.rawValue] }

    /// Whether rows of `older` are stored as in this schema, regardless of names: true of any
    /// commit's schema, also after a migration.
    func keepsLayout(of older: StoreSchema) -> Bool {
        keepsColumns(of: older) { $0.isStored(as: $1) && (!$0.isComposite || $1.isRemoved) }
    }

    /// Whether values of columns of `older` are valid for the same columns of this one.
    func storesValues(of older: StoreSchema) -> Bool {
        keepsColumns(of: older) { $0.isStored(as: $1) }
    }

    /// Whether this has the classes and columns of `older`, and `kept` is true of each column.
    private func keepsColumns(
        of older: StoreSchema, _ kept: (_ new: ColumnSchema, _ old: ColumnSchema) -> Bool
    ) -> Bool {
        guard classes.count >= older.classes.count else { return false }
        return zip(classes, older.classes).allSatisfy { new, old in
            new.columns.count >= old.columns.count
                && zip(new.columns, old.columns).allSatisfy { kept($0, $1) }
        }
    }

    /// Whether this is `older` with classes and columns appended, or with other indexes. A
    /// migration may change more.
    private func continues(_ older: StoreSchema) -> Bool {
        keepsLayout(of: older)
            && zip(classes, older.classes).allSatisfy { new, old in
                new.name == old.name && new.isEmbedded == old.isEmbedded
                    && new.primaryKey == old.primaryKey
                    && zip(new.columns, old.columns).allSatisfy { $0.name == $1.name }
            }
    }

    /// Whether a process with the schema `older` can continue with this one: it has the same
    /// classes, columns and indexes, and the same ranges of integers, as far as known. With a
    /// smaller range, the process could write integers that are read as other values.
    package func extends(_ older: StoreSchema) -> Bool {
        continues(older)
            && zip(classes, older.classes).allSatisfy { new, old in
                zip(new.columns, old.columns).allSatisfy {
                    ($0.index.declared == $1.index.declared || $1.index == .none)
                        && $0.integers.holds($1.integers) && $1.integers.holds($0.integers)
                }
            }
    }

    /// The link columns that point to `target`, of every class.
    package func incoming(_ target: ClassID) -> [IncomingLink] { incomingLinks[target.rawValue] }
}

/// One column of an index of several columns.
package struct IndexPart: Sendable, Hashable {
    package let column: ColumnID
    package let kind: ValueKind
    package let hasNulls: Bool
    package let isDescending: Bool
    /// Whether texts are in natural order: see ``CollationKey``.
    package var isCollated = false

    /// The schema of the column, without its name.
    package var schema: ColumnSchema { ColumnSchema(name: "", kind: kind, isNullable: hasNulls) }
}

/// The columns of an index of several columns, in order, with their directions.
///
/// Retains nothing, so that lookups may copy it: 16 bits for each of up to eight columns, enough
/// for the range of ``Limits/columns``.
package struct IndexParts: Sendable, Hashable {
    package static let countMax = 8
    private static let columnMax = 0x3FF

    private var words = SIMD8<UInt16>()
    private var size: UInt8 = 0
    /// A bit for each column whose texts are in natural order.
    private var collated: UInt8 = 0
    /// Whether no two rows may have the same values, none of them null.
    package let isUnique: Bool
    /// Whether the columns represent a place together, whose cell is the key: see ``PlaceColumns``.
    package let isOfPlaces: Bool

    package init(isUnique: Bool = false, isOfPlaces: Bool = false) {
        self.isUnique = isUnique
        self.isOfPlaces = isOfPlaces
    }

    package var count: Int { Int(size) }

    /// Adds a column; `schema` says how its values are stored, which never changes.
    package mutating func append(
        _ column: ColumnID, _ schema: ColumnSchema, isDescending: Bool, isCollated: Bool = false
    ) {
        append(
            IndexPart(
                column: column, kind: schema.kind, hasNulls: schema.hasNullBits,
                isDescending: isDescending, isCollated: isCollated))
    }

    /// Whether texts of a column are in natural order.
    package var hasCollation: Bool { collated != 0 }

    mutating func append(_ part: IndexPart) {
        precondition(count < Self.countMax, "An index has too many columns")
        precondition(part.column.rawValue <= Self.columnMax, "An index names no such column")
        words[count] =
            UInt16(part.column.rawValue) | UInt16(part.kind.rawValue) << 10
            | (part.hasNulls ? 1 << 14 : 0) | (part.isDescending ? 1 << 15 : 0)
        if part.isCollated { collated |= 1 << size }
        size += 1
    }

    package subscript(_ index: Int) -> IndexPart {
        let word = words[index]
        return IndexPart(
            column: ColumnID(Int(word) & Self.columnMax),
            kind: ValueKind(rawValue: UInt8(word >> 10 & 15)).unsafelyUnwrapped,
            hasNulls: word & 1 << 14 != 0, isDescending: word & 1 << 15 != 0,
            isCollated: collated >> UInt8(index) & 1 != 0)
    }

    package var all: [IndexPart] { (0..<count).map { self[$0] } }

    /// The same index with other numbers of its columns.
    func moved(to places: [ColumnID], of schema: ClassSchema) -> IndexParts {
        var moved = IndexParts(isUnique: isUnique, isOfPlaces: isOfPlaces)
        for part in all {
            let column = places[part.column.rawValue]
            moved.append(
                column, schema.columns[column.rawValue], isDescending: part.isDescending,
                isCollated: part.isCollated)
        }
        return moved
    }

    /// A readable description of the columns: `city, age descending`.
    package func names(in schema: ClassSchema) -> [String] {
        all.map { part in
            schema.columns[part.column.rawValue].name + (part.isCollated ? " collated" : "")
                + (part.isDescending ? " descending" : "")
        }
    }
}

extension ColumnSchema {
    /// A column number for an index of several columns: it has no name and no values.
    package init(_ parts: IndexParts) {
        self.init(name: "", kind: .int)
        index = .composite
        self.parts = parts
    }

    /// Whether rows are found by the values of several columns together.
    package var isComposite: Bool { index == .composite }

    /// Whether the index of `other` is equal to that of this column.
    func hasSameIndex(as other: ColumnSchema) -> Bool {
        index == other.index && parts == other.parts
    }

    /// Whether the column can be one of several in an index.
    package var canBeIndexPart: Bool {
        container == .none && kind != .link && kind != .mixed && kind != .decimal
    }

    /// Removes the index of the column.
    package mutating func dropIndex() {
        index = .none
        parts = IndexParts()
    }
}

extension ClassSchema {
    /// The indexes of several columns, by their column numbers.
    package var composites: [ColumnID] {
        columns.indices.filter { columns[$0].isComposite }.map { ColumnID($0) }
    }

    /// Whether `column` is part of an index of several columns.
    package func isIndexPart(_ column: ColumnID) -> Bool {
        columns.contains { index in
            index.isComposite
                && (0..<index.parts.count).contains { index.parts[$0].column == column }
        }
    }
}

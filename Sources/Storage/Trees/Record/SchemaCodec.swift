/// The schema within a commit record, or of the tree of a checkpoint.
///
///     varint classes, then for each: string name, u8 flags (1 embedded),
///     varint primary key + 1 (0: none), varint columns, then for each:
///     string name, u8 kind, u8 container,
///     u8 flags (1 nullable, 2 indexed, 4 to 16 the range of integers, 32 full-text index,
///     64 index of several columns, 192 one that programs before did not know, 224 full-text index
///     with the version of its terms), varint target + 1
///     with flags 224, which only a tree has: u8 version of the terms
///     for an index of several columns: u8 flags (1 unique, 2 of places, 4 with collated texts),
///     with flag 4: u8 version of the collation, u8 a bit for each part that is collated,
///     varint parts, for each: varint column * 2 + 1 when it descends
///     varint schema version + 1 (0: none), varint steps of migrations that have run, for each:
///     varint number, string name
///
/// A class or column without a name was removed, or is the number of an index of several columns.
///
/// A record only says that there is a full-text index, which replay builds with its own version of
/// terms. A tree has the entries, and the version of their terms.
enum SchemaCodec {
    /// The container of the schema: a commit record or a tree.
    enum Owner {
        case record
        case tree
    }

    static func encode(
        _ schema: StoreSchema, of owner: Owner = .record, into writer: inout PayloadWriter
    ) {
        writer.writeVarint(UInt64(schema.classes.count))
        for entry in schema.classes {
            writer.writeString(entry.name)
            writer.write(UInt8(entry.isEmbedded ? 1 : 0))
            writer.writeVarint(UInt64((entry.primaryKey?.rawValue ?? -1) + 1))
            writer.writeVarint(UInt64(entry.columns.count))
            for column in entry.columns {
                writer.writeString(column.name)
                writer.write(column.kind.rawValue)
                writer.write(column.container.rawValue)
                let hasTerms = column.isFullText && owner == .tree
                let words: UInt8 = column.isFullText ? 32 : 0
                writer.write(
                    UInt8((column.isNullable ? 1 : 0) | (column.isIndexed ? 2 : 0))
                        | column.integers.rawValue << 2
                        | (hasTerms ? words | IndexParts.newFlags : words)
                        | (column.isComposite ? column.parts.schemaFlags : 0))
                writer.writeVarint(UInt64((column.target?.rawValue ?? -1) + 1))
                if hasTerms {
                    writer.write(column.isSearchable ? TermKey.version : TermKey.noVersion)
                }
                if column.isComposite { encode(column.parts, into: &writer) }
            }
        }
        writer.writeVarint(schema.version.map { $0 + 1 } ?? 0)
        writer.writeVarint(UInt64(schema.steps.count))
        for step in schema.steps {
            writer.writeVarint(step.number)
            writer.writeString(step.name)
        }
    }

    static func decode(
        _ reader: inout ByteReader, of owner: Owner = .record
    ) throws(RecordError) -> StoreSchema {
        let count = try reader.count(of: 4)
        guard count <= Limits.classes else { throw .malformed("too many classes") }
        var classes: [ClassSchema] = []
        for _ in 0..<count {
            let name = try reader.string()
            let isEmbedded = try reader.integer(UInt8.self) & 1 != 0
            let key = try reader.int() - 1
            let columnCount = try reader.count(of: 5)
            guard columnCount <= Limits.columns, key < columnCount else {
                throw .malformed("too many columns")
            }
            var columns: [ColumnSchema] = []
            for _ in 0..<columnCount {
                columns.append(try column(&reader, of: owner, behind: columns, classes: count))
            }
            // All code that reads columns relies on these invariants.
            guard
                key < 0
                    || columns[key].canBePrimaryKey && !columns[key].isFullText
                        && !columns[key].isComposite
            else {
                throw .malformed("a primary key that cannot be one")
            }
            classes.append(
                ClassSchema(
                    name: name, isEmbedded: isEmbedded, columns: columns,
                    primaryKey: key < 0 ? nil : ColumnID(key)))
        }
        let version = try reader.varint()
        var steps: [SchemaStep] = []
        for _ in 0..<(try reader.count(of: 2)) {
            steps.append(SchemaStep(number: try reader.varint(), name: try reader.string()))
        }
        return StoreSchema(
            classes: classes, version: version == 0 ? nil : version - 1, steps: steps)
    }

    private static func encode(_ parts: IndexParts, into writer: inout PayloadWriter) {
        writer.write(
            UInt8(
                (parts.isUnique ? 1 : 0) | (parts.isOfPlaces ? 2 : 0)
                    | (parts.hasCollation ? 4 : 0)))
        if parts.hasCollation {
            writer.write(CollationKey.version)
            writer.write(
                parts.all.enumerated().reduce(UInt8(0)) {
                    $0 | ($1.element.isCollated ? 1 << UInt8($1.offset) : 0)
                })
        }
        writer.writeVarint(UInt64(parts.count))
        for part in parts.all {
            writer.writeVarint(UInt64(part.column.rawValue << 1 | (part.isDescending ? 1 : 0)))
        }
    }

    /// The parts of an index, of the columns before it.
    private static func parts(
        _ reader: inout ByteReader, of columns: [ColumnSchema]
    ) throws(RecordError) -> IndexParts {
        let flags = try reader.integer(UInt8.self)
        guard flags & ~7 == 0, flags & 2 == 0 || flags == 2 else {
            throw .malformed("an index of a kind that this version of the library does not know")
        }
        var collated: UInt8 = 0
        if flags & 4 != 0 {
            guard try reader.integer(UInt8.self) == CollationKey.version else {
                throw .malformed(
                    "an index in an order of texts that this version of the library does not know")
            }
            collated = try reader.integer()
        }
        var parts = IndexParts(isUnique: flags & 1 != 0, isOfPlaces: flags & 2 != 0)
        let count = try reader.count(of: 1)
        guard count > 0, count <= IndexParts.countMax else {
            throw .malformed("an index of too many columns, or of none")
        }
        for number in 0..<count {
            let word = try reader.int()
            let column = word >> 1
            let isCollated = collated >> UInt8(number) & 1 != 0
            guard column < columns.count, !columns[column].isComposite,
                columns[column].canBeIndexPart || parts.isOfPlaces
            else { throw .malformed("an index of columns that cannot be in one") }
            guard !isCollated || columns[column].kind == .string else {
                throw .malformed("a collation of a column that cannot have one")
            }
            parts.append(
                ColumnID(column), columns[column], isDescending: word & 1 != 0,
                isCollated: isCollated)
        }
        guard !parts.isOfPlaces || PlaceColumns.fit(parts.all.map { columns[$0.column.rawValue] })
        else { throw .malformed("a spatial index of columns without coordinates") }
        return parts
    }

    private static func column(
        _ reader: inout ByteReader, of owner: Owner, behind before: [ColumnSchema], classes: Int
    ) throws(RecordError) -> ColumnSchema {
        let name = try reader.string()
        guard let kind = ValueKind(rawValue: try reader.integer()),
            let container = Container(rawValue: try reader.integer())
        else { throw .malformed("unknown kind of column") }
        let flags = try reader.integer(UInt8.self)
        let target = try reader.int() - 1
        guard target < classes, (kind == .link) == (target >= 0) else {
            throw .malformed("link to an unknown class")
        }
        guard flags & 2 == 0 || container == .none && kind != .link && kind != .decimal else {
            throw .malformed("an index of a column that has none")
        }
        let isFullText = flags & 32 != 0
        let hasTerms = isFullText && flags & IndexParts.newFlags != 0
        guard !hasTerms || owner == .tree && flags & IndexParts.newFlags == IndexParts.newFlags
        else { throw .malformed("a version of terms of an index that has none") }
        if flags & 64 != 0, !hasTerms {
            guard flags & ~IndexParts.newFlags == 0, name.isEmpty, kind == .int, container == .none
            else { throw .malformed("an index of several columns that has values of its own") }
            return ColumnSchema(try parts(&reader, of: before))
        }
        guard !isFullText || flags & 2 == 0 && container == .none && kind == .string else {
            throw .malformed("a full-text index of a column that has none")
        }
        var column = ColumnSchema(
            name: name, kind: kind, container: container, isNullable: flags & 1 != 0,
            isIndexed: flags & 2 != 0, isFullText: isFullText,
            target: target < 0 ? nil : ClassID(target),
            integers: kind == .int ? IntegerRange(rawValue: flags >> 2 & 7) ?? .unstated : .unstated
        )
        if isFullText, owner == .tree {
            let version = hasTerms ? try reader.integer(UInt8.self) : TermKey.firstVersion
            if version != TermKey.version { column.index = .outdatedFullText }
        }
        return column
    }
}

extension IndexParts {
    /// The flags of a column that is an index of a kind that older versions do not know: they
    /// refuse the schema.
    fileprivate static let newFlags: UInt8 = 64 | 128

    fileprivate var schemaFlags: UInt8 { isOfPlaces || hasCollation ? Self.newFlags : 64 }
}

extension PayloadWriter {
    mutating func writeString(_ string: String) {
        var string = string
        string.withUTF8 { utf8 in
            writeVarint(UInt64(utf8.count))
            write(UnsafeRawBufferPointer(utf8))
        }
    }

    mutating func writeBytes(_ bytes: UnsafeRawBufferPointer) {
        writeVarint(UInt64(bytes.count))
        write(bytes)
    }
}

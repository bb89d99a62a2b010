import Foundation
import Testing

@testable import Storage

// Safety: the bytes of a record are those of a group that the test holds for as long.

/// Records that no version of this library writes, with valid checksums: each is refused. Some of
/// them ended the process, and some made it misinterpret memory.
@Suite struct HostileRecordTests {
    private static let base = StoreSchema(classes: [
        ClassSchema(
            name: "Item",
            columns: [
                ColumnSchema(name: "flags", kind: .bool, container: .list),
                ColumnSchema(name: "numbers", kind: .int, container: .list),
                ColumnSchema(
                    name: "texts", kind: .string, container: .list, isNullable: true),
                ColumnSchema(name: "links", kind: .link, container: .set, target: ClassID(0)),
                ColumnSchema(name: "any", kind: .mixed),
            ])
    ])

    private func apply(
        _ tree: WorkingTree, _ encode: (inout PayloadWriter) -> Void
    ) throws {
        let group = CommitGroupBuffer()
        try group.append(version: Version(1)) { (writer) throws(StorageError) in
            encode(&writer)
        }
        var records = GroupRecords(UnsafeRawBufferPointer(group.payload))
        while let record = try records.next() {
            try CommitRecord.apply(record.payload, to: tree)
        }
    }

    private func head(_ writer: inout PayloadWriter, schema: StoreSchema? = nil) {
        writer.write(CommitRecord.format)
        writer.write(schema == nil ? UInt8(0) : CommitRecord.schemaFlag)
        writer.write(Double(0).bitPattern)
        if let schema { SchemaCodec.encode(schema, into: &writer) }
    }

    private func refuse(
        _ schema: StoreSchema, after older: StoreSchema = StoreSchema(),
        at location: SourceLocation = #_sourceLocation
    ) {
        let tree = WorkingTree(schema: older, account: NodeAccount())
        #expect(throws: RecordError.self, sourceLocation: location) {
            try apply(tree) { writer in
                head(&writer, schema: schema)
                writer.writeVarint(0)
            }
        }
    }

    private func schema(
        _ columns: [ColumnSchema], primaryKey: Int? = nil, name: String = "Item"
    ) -> StoreSchema {
        StoreSchema(classes: [
            ClassSchema(name: name, columns: columns, primaryKey: primaryKey.map { ColumnID($0) })
        ])
    }

    @Test func schemasThatNoModelHas() {
        refuse(schema([ColumnSchema(name: "a", kind: .int, target: ClassID(0))]))
        refuse(schema([ColumnSchema(name: "a", kind: .link)]))
        refuse(
            schema([ColumnSchema(name: "a", kind: .string, container: .list, isIndexed: true)]))
        refuse(schema([ColumnSchema(name: "a", kind: .int, container: .set)], primaryKey: 0))
        // Its index has backlinks, in which a row without a link is not found.
        refuse(schema([ColumnSchema(name: "a", kind: .link, isIndexed: true, target: ClassID(0))]))
        refuse(
            schema([ColumnSchema(name: "a", kind: .link, target: ClassID(0))], primaryKey: 0))
    }

    /// A watcher of the commits of another process gets the changes by class. A repeated class
    /// ended its process.
    @Test func aClassThatIsInTheHistoryOfACommitTwice() throws {
        let group = CommitGroupBuffer()
        defer { withExtendedLifetime(group) {} }
        try group.append(version: Version(1)) { (writer) throws(StorageError) in
            head(&writer)
            writer.writeVarint(2)
            // For each class: its number, and no created, written or deleted rows.
            for _ in 0..<2 { for _ in 0..<4 { writer.writeVarint(0) } }
        }
        var records = GroupRecords(UnsafeRawBufferPointer(group.payload))
        let record = try #require(try records.next())
        #expect(throws: RecordError.self) {
            try CommitRecord.history(record.payload, version: Version(1), schema: Self.base)
        }
    }

    @Test func indexesOfColumnsThatCannotBeInOne() throws {
        let number = ColumnSchema(name: "a", kind: .int)
        var parts = IndexParts(isUnique: true)
        parts.append(ColumnID(0), number, isDescending: true)
        let index = ColumnSchema(parts)
        // A valid record is still read.
        let tree = WorkingTree(schema: StoreSchema(), account: NodeAccount())
        try apply(tree) { writer in
            head(&writer, schema: schema([number, index]))
            writer.writeVarint(0)
        }
        #expect(tree.schema == schema([number, index]))
        refuse(schema([index, number]))
        refuse(schema([number, index], primaryKey: 1))
        refuse(schema([number, ColumnSchema(IndexParts(isUnique: true))]))
        refuse(schema([ColumnSchema(name: "a", kind: .decimal), index]))
        refuse(schema([ColumnSchema(name: "a", kind: .int, container: .list), index]))
        refuse(schema([ColumnSchema(name: "a", kind: .link, target: ClassID(0)), index]))
        var named = index
        named.name = "b"
        refuse(schema([number, named]))
        var later = IndexParts(isUnique: false)
        later.append(ColumnID(1), number, isDescending: false)
        refuse(schema([number, index, ColumnSchema(later)]))
    }

    @Test func schemasThatDoNotContinueTheOneBefore() {
        let number = ColumnSchema(name: "a", kind: .int)
        let older = schema([number])
        refuse(StoreSchema(), after: older)
        refuse(schema([]), after: older)
        refuse(schema([ColumnSchema(name: "a", kind: .string)]), after: older)
        refuse(schema([ColumnSchema(name: "a", kind: .int, container: .list)]), after: older)
        refuse(schema([ColumnSchema(name: "a", kind: .int, isNullable: true)]), after: older)
        // An index of several columns has no values that a column could have had before.
        var parts = IndexParts(isUnique: false)
        parts.append(ColumnID(0), number, isDescending: false)
        refuse(
            schema([number, ColumnSchema(parts)]),
            after: schema([number, ColumnSchema(name: "b", kind: .int)]))
    }

    /// A record that creates one row, whose container in `column` is encoded by `encode`.
    private func refuseElements(
        _ column: Int, at location: SourceLocation = #_sourceLocation,
        _ encode: (inout PayloadWriter) -> Void
    ) {
        let tree = WorkingTree(schema: Self.base, account: NodeAccount())
        #expect(throws: RecordError.self, sourceLocation: location) {
            try apply(tree) { writer in
                head(&writer)
                for number: UInt64 in [1, 0, 1, 0, 1] { writer.writeVarint(number) }
                for other in 0..<column where other < 4 { writer.writeVarint(0) }
                encode(&writer)
                for _ in 0..<64 { writer.write(UInt64(0)) }
            }
        }
    }

    /// The row after the last possible one trapped.
    @Test func keysThatHaveNoNextOne() throws {
        func create(_ key: Int64, in tree: WorkingTree) throws {
            try apply(tree) { writer in
                head(&writer)
                for number: UInt64 in [1, 0, 1, UInt64(key), 1] { writer.writeVarint(number) }
                // Its columns are empty, and nothing else has changed.
                for _ in 0..<7 { writer.writeVarint(0) }
            }
        }
        let last = NodeBounds.keyMax - Int64(Cluster.slotsMax)
        for key in [last, last + 1, Int64.max - 257] {
            let tree = WorkingTree(schema: Self.base, account: NodeAccount())
            if key == last {
                try create(key, in: tree)
                #expect(tree.nextKey(ClassID(0)) == key + 1)
            } else {
                #expect(throws: RecordError.self) { try create(key, in: tree) }
            }
        }
    }

    @Test func elementsThatAreTooManyForTheRecord() {
        for column in 0..<4 {
            for count in [UInt64(Int.max), UInt64(Int.max) - 3, 1 << 61, 1 << 40] {
                refuseElements(column) { $0.writeVarint(count) }
                refuseElements(column) { writer in
                    writer.writeVarint(count)
                    writer.write(Int64(0))
                    writer.write(UInt8(8))
                }
            }
        }
    }

    @Test func elementsOfAnotherKind() {
        // A number in a list of optional texts.
        refuseElements(2) { writer in
            writer.writeVarint(1)
            writer.writeVarint(9)
            writer.write(UInt8(2))
            writer.write(Int64(7))
        }
        // A value other than a link in a set of links.
        refuseElements(3) { writer in
            writer.writeVarint(1)
            writer.write(Chunk.nullLink)
            writer.write(UInt8(1))
            writer.write(UInt8(0))
        }
        // A mixed value with an unknown tag.
        refuseElements(4) { writer in
            writer.writeVarint(1)
            writer.write(UInt8(99))
        }
    }

    /// A value was decoded before its nesting depth was checked.
    @Test func elementsThatNestTooDeep() {
        let nested = MixedCodecTests.nestedLists(200_000)
        refuseElements(2) { writer in
            writer.writeVarint(1)
            // Safe: lent for the call, which copies them.
            nested.withUnsafeBytes { writer.writeBytes($0) }
        }
    }
}

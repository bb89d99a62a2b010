import Testing

@testable import Storage

/// Full-text indexes with the terms of other versions of the library.
@Suite struct TermVersionTests {
    private static let note = ClassID(0)
    private static let text = ColumnID(0)

    private static func schema(_ index: ColumnIndex) -> StoreSchema {
        var column = ColumnSchema(name: "text", kind: .string, isNullable: true)
        column.index = index
        return StoreSchema(classes: [ClassSchema(name: "Note", columns: [column])])
    }

    // MARK: Checkpoints

    private static func index(in contents: [UInt8]) throws -> ColumnIndex {
        // Safe: lent for the call, which copies what it reads.
        try contents.withUnsafeBytes { try CheckpointContents($0) }.schema[note].columns[0].index
    }

    @Test func aCheckpointRecordsTheVersionOfItsTerms() throws {
        let contents = CheckpointContents(schema: Self.schema(.fullText), segments: []).encode()
        #expect(try Self.index(in: contents) == .fullText)
        // Behind it: no version of the schema, no steps, no page segments.
        let place = contents.count - 4
        #expect(contents[place] == TermKey.version)
        for version in [0, TermKey.version - 1, TermKey.version + 1, .max] {
            var other = contents
            other[place] = version
            #expect(try Self.index(in: other) == .outdatedFullText, "\(version)")
        }
        // The schema before versions were introduced: nullable, with a full-text index.
        var former = contents
        former[place - 2] = 1 | 32
        former.remove(at: place)
        #expect(try Self.index(in: former) == .outdatedFullText)
        // An outdated index is not reported to programs, since nothing maintains it.
        let outdated = CheckpointContents(schema: Self.schema(.outdatedFullText), segments: [])
        #expect(outdated.encode()[place] == 0)
        #expect(try Self.index(in: outdated.encode()) == .outdatedFullText)
    }

    // MARK: Trees

    /// A tree with 400 texts, whose index has the terms of another version.
    private static func makeTree() -> WorkingTree {
        let account = NodeAccount()
        let tree = WorkingTree(schema: schema(.fullText), account: account)
        for number in 0..<400 {
            let key = tree.createRow(note)
            tree.set(.string(number % 2 == 0 ? "swift" : "rust"), note, key, text)
        }
        let present = tree.capture(version: Version(1))
        // Released by the code that follows.
        present.root.retain()
        let former = SnapshotRoot(
            root: present.root, version: present.version, schema: schema(.outdatedFullText),
            account: account)
        return WorkingTree(former)
    }

    private static func count(_ word: String, in snapshot: SnapshotRoot) -> Int {
        // Safe: lent for the call.
        let keys = Array(word.utf8).withUnsafeBytes { TermKey.keys(of: $0) }
        return withExtendedLifetime(snapshot) {
            snapshot.view.classView(note).range(text, keys: keys[0]...keys[0]).count
        }
    }

    private static func problems(of snapshot: SnapshotRoot) throws -> Int {
        let verifier = StoreVerifier(snapshot, isShared: false)
        try verifier.verify()
        return verifier.problemCount
    }

    @Test func anIndexOfOtherTermsIsNotMaintained() throws {
        let tree = Self.makeTree()
        let key = tree.createRow(Self.note)
        tree.set(.string("actor"), Self.note, key, Self.text)
        let snapshot = tree.capture(version: Version(2))
        #expect(Self.count("swift", in: snapshot) == 200)
        #expect(Self.count("actor", in: snapshot) == 0)
        #expect(try Self.problems(of: snapshot) == 0)
    }

    /// D29: words of deleted texts stayed in the index, and so in the files after `compact()` and
    /// in copies.
    @Test func removingATextClearsAnIndexOfOtherTerms() throws {
        let changes: [(WorkingTree) -> Void] = [
            { tree in tree.set(.string("actor"), Self.note, RowKey(0), Self.text) },
            { tree in tree.set(.null, Self.note, RowKey(1), Self.text) },
            { tree in tree.delete(Self.note, [RowKey(2)]) },
        ]
        for (number, change) in changes.enumerated() {
            let tree = Self.makeTree()
            change(tree)
            let snapshot = tree.capture(version: Version(2))
            #expect(Self.count("swift", in: snapshot) == 0, "\(number)")
            #expect(Self.count("rust", in: snapshot) == 0, "\(number)")
            #expect(try Self.problems(of: snapshot) == 0)
        }
    }

    @Test func anIndexOfOtherTermsIsRebuilt() throws {
        let tree = Self.makeTree()
        tree.set(.string("actor"), Self.note, RowKey(0), Self.text)
        tree.delete(Self.note, (100..<400).map { RowKey($0) })
        tree.adapt(to: Self.schema(.fullText))
        let snapshot = tree.capture(version: Version(2))
        #expect(Self.count("swift", in: snapshot) == 49)
        #expect(Self.count("actor", in: snapshot) == 1)
        #expect(try Self.problems(of: snapshot) == 0)
    }

    /// Hosts of one log, and processes that follow each other, may have different versions of the
    /// library: each of them builds its own terms for a schema in a record.
    @Test func termsAreBuiltWhereARecordIsApplied() throws {
        let tree = Self.makeTree()
        let delta = tree.takeDelta()
        let buffer = CommitGroupBuffer()
        defer { withExtendedLifetime(buffer) {} }
        try buffer.append(version: Version(2)) { (writer) throws(StorageError) in
            CommitRecord.encode(
                delta, of: tree, author: nil, schema: tree.schema, time: 0, into: &writer)
        }
        // Safe: the buffer lives until the end.
        var records = GroupRecords(UnsafeRawBufferPointer(buffer.payload))
        let record = try #require(try records.next())
        let schema = try #require(CommitRecord.schema(of: record.payload))
        #expect(schema == Self.schema(.fullText) && schema.extends(tree.schema))
        try CommitRecord.apply(record.payload, to: tree)
        let snapshot = tree.capture(version: Version(2))
        #expect(tree.schema == Self.schema(.fullText))
        #expect(Self.count("rust", in: snapshot) == 200)
        #expect(try Self.problems(of: snapshot) == 0)
    }
}

import StorageHarness
import Testing

@testable import Storage

// Safety: bytes are those of arrays that the tests own, lent for the length of a call.

/// Salvage of stores whose page files are incomplete.
@Suite struct SalvagedPagesTests {
    private static let path = "store.realm"

    private func rescue(_ files: any FileSystem) throws -> SalvageOutcome {
        var salvage = StoreSalvage(
            fileSystem: files, directory: Self.path, destination: "new.realm")
        salvage.options = .small
        return try salvage.run()
    }

    private func open(_ files: any FileSystem, _ path: String) throws -> StoreOpening.Opened {
        var opening = StoreOpening(fileSystem: files, directory: path)
        opening.options = .small
        return try opening.open(account: NodeAccount()) { $0 }
    }

    private func write(
        _ bytes: [UInt8], _ files: any FileSystem, _ path: String, at offset: Int = 0
    ) throws {
        let file = try files.open(path, .create)
        try bytes.withUnsafeBytes { try file.write($0, at: offset) }
    }

    /// A compaction rewrites the version of a checkpoint to other segments. Which of the two trees
    /// was read was random, and the first one may lack files.
    @Test func theLastCheckpointOfAVersionIsRead() async throws {
        for _ in 0..<4 {
            let disk = SimulatedDisk()
            let process = try StoreProcess.withSparsePages(disk)
            let before = process.checkpointer.contents
            let pages = process.checkpointer.pages
            let begin = [before.root, before.contents].compactMap { $0 }
            var saved: [String: [UInt8]] = [:]
            for path in begin.map({ pages.path($0.address.segment) }) {
                let file = try disk.open(path, .readOnly)
                let length = try file.size().length
                saved[path] = try file.bytes(in: 0..<length)
            }
            try process.compact()
            #expect(process.checkpointer.contents.version == before.version)
            await process.close()
            // The root of the first tree can still be read.
            let left = try Set(pages.list().map { pages.path($0) })
            for (path, bytes) in saved where !left.contains(path) {
                try write(bytes, disk, path)
            }
            let used = before.segments.values.filter { $0.live > 0 }.map { pages.path($0.index) }
            #expect(used.contains { !left.contains($0) && saved[$0] == nil })
            let outcome = try rescue(disk)
            #expect(outcome.isComplete && outcome.rows[StoreProcess.item] == 200, "\(outcome)")
        }
    }

    private static let dog = ClassID(0)
    private static let person = ClassID(1)
    private static let schema = StoreSchema(classes: [
        ClassSchema(name: "Dog", columns: [ColumnSchema(name: "age", kind: .int)]),
        ClassSchema(
            name: "Person",
            columns: [
                ColumnSchema(name: "any", kind: .mixed),
                ColumnSchema(name: "many", kind: .mixed, container: .list),
                ColumnSchema(name: "named", kind: .mixed, container: .map),
            ]),
    ])

    /// A store with 300 dogs, the newest of which have a cluster of their own, and a person with
    /// links to two of them.
    private func makeStore(
        _ files: any FileSystem, _ old: StoredValue, _ new: StoredValue
    ) throws {
        let tree = WorkingTree(schema: Self.schema, account: NodeAccount())
        for age in Int64(0)..<300 {
            let key = tree.createRow(Self.dog)
            tree.writer(Self.dog, key)?.setInt(0, age)
        }
        let key = tree.createRow(Self.person)
        tree.set(new, Self.person, key, ColumnID(0))
        tree.listAppend(
            contentsOf: [old, new, .list(NestedID(1), [new, old])], Self.person, key, ColumnID(1))
        tree.mapSet(new, forKey: "dog", Self.person, key, ColumnID(2))
        let version = tree.capture(version: Version.zero.next)
        try StoreCopy(of: version, to: files, directory: Self.path).write()
    }

    /// Links to lost objects stayed in values of any type, and new objects got the keys that they
    /// refer to.
    @Test func linksOfAnyTypeToWhatIsLostBecomeNull() throws {
        let files = MemoryFileSystem()
        let old = StoredValue.object(Self.dog, RowKey(5))
        let new = StoredValue.object(Self.dog, RowKey(290))
        try makeStore(files, old, new)
        let damaged = try open(files, Self.path)
        let newest = damaged.tree.view.classView(Self.dog).root.newest
        let place = try #require(newest.place)
        let path = damaged.checkpointer.pages.path(place.address.segment)
        try damaged.log.close()
        // Overwrites the key of the first row.
        try write([0xFF, 0xFF], files, path, at: place.address.offset + 24)

        let outcome = try rescue(files)
        #expect(outcome.rows[Self.dog] == 256 && outcome.droppedLinks == 3)
        #expect(outcome.lostRanges.contains { $0.file == path })
        let opened = try open(files, "new.realm")
        let view = opened.tree.view.classView(Self.person)
        let columns = view.classSchema.columns
        let row = try #require(view.attach(RowKey(0)))
        #expect(row.cluster.value(0, row.slot, columns[0]) == StoredValue.null)
        var many: [StoredValue] = []
        row.cluster.sequence(1, row.slot, columns[1]).forEach { many.append($0) }
        #expect(many == [old, .null, .list(NestedID(1), [.null, old])])
        let named = row.cluster.map(2, row.slot, columns[2])
        #expect(named.value(forKey: "dog") == StoredValue.null)
        #expect(opened.tree.nextKey(Self.dog) == 300)
        let verifier = StoreVerifier(
            opened.tree.capture(version: opened.version), isShared: false)
        try verifier.verify()
        #expect(verifier.problems == [])
        try opened.log.close()
    }

    /// One flipped bit in the header of a page file lost all objects of which it has nodes.
    @Test(arguments: [0, 8, 12, 16, 31, 48, 52, 63])
    func aDamagedHeaderOfAPageFileLosesNothing(offset: Int) throws {
        let files = MemoryFileSystem()
        let dog = StoredValue.object(Self.dog, RowKey(5))
        try makeStore(files, dog, dog)
        let folder = Self.path + "/pages"
        for name in try files.list(folder) {
            let path = folder + "/" + name
            let found = try files.open(path, .readOnly).bytes(in: offset..<offset + 1)
            try write(found.map { $0 ^ 1 }, files, path, at: offset)
        }
        #expect(throws: StorageError.self) { _ = try open(files, Self.path) }
        let outcome = try rescue(files)
        #expect(outcome.rows[Self.dog] == 300 && outcome.rows[Self.person] == 1)
        #expect(outcome.lostRanges.isEmpty && outcome.droppedRows == 0, "\(outcome)")
    }
}

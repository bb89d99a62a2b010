import StorageHarness
import Testing

@testable import Storage

/// Compactions of stores that have no classes, or whose classes were removed.
@Suite struct ClasslessCompactionTests {
    private static let item = ClassSchema(
        name: "Item", columns: [ColumnSchema(name: "number", kind: .int)])

    /// What a migration leaves of the class when it removes it.
    private static var removed: ClassSchema {
        var schema = item
        schema.name = ""
        for column in schema.columns.indices { schema.columns[column].name = "" }
        return schema
    }

    private static func open(
        _ disk: SimulatedDisk, _ schema: StoreSchema
    ) throws -> TransactionEngine {
        var opening = StoreOpening(fileSystem: disk, directory: "store.realm")
        opening.options = .small
        return TransactionEngine(try opening.open(account: NodeAccount()) { _ in schema })
    }

    /// The segment of the store's root was to be emptied, but nothing rewrote the root, so the
    /// compaction restarted endlessly.
    @Test(arguments: [false, true])
    func theyReturn(hadClasses: Bool) async throws {
        let disk = SimulatedDisk()
        if hadClasses {
            let before = try Self.open(disk, StoreSchema(classes: [Self.item], version: 1))
            try before.checkpoint()
            await before.close()
        }
        let classes = hadClasses ? [Self.removed] : []
        let engine = try Self.open(disk, StoreSchema(classes: classes, version: 2))
        var compaction = Compaction(isFull: true)
        while compaction.step != nil {
            try #require(compaction.attempts < 3, "It began anew")
            try engine.perform(&compaction)
        }
        let version = engine.latest.version
        #expect(engine.failure == nil && version > .zero)
        await engine.close()
        let again = try Self.open(disk, StoreSchema(classes: classes, version: 2))
        #expect(again.latest.version == version)
        #expect(try again.verify(ReadingMonitor()).problems.isEmpty)
        await again.close()
    }

    /// The store's root is alone in a segment; it is rewritten together with any class.
    @Test func theStoresOwnNodeIsRewrittenWithARemovedClass() throws {
        let disk = MemoryFileSystem()
        try disk.createDirectory("p")
        let account = NodeAccount()
        let pages = PageStore(fileSystem: disk, directory: "p", database: .zero)
        account.pages = pages
        let tree = WorkingTree(schema: StoreSchema(classes: [Self.item]), account: account)
        let checkpointer = Checkpointer(pages: pages, contents: Checkpointer.Contents())
        func write(apart: Bool) throws -> SnapshotRoot {
            let snapshot = tree.capture(version: Version(1))
            try checkpointer.exclusively { () throws(StorageError) in
                let written = try checkpointer.write(snapshot, apart: apart)
                checkpointer.install(written)
            }
            return snapshot
        }
        _ = try write(apart: false)
        tree.adapt(to: StoreSchema(classes: [Self.removed], version: 1))
        let segment = try #require(try write(apart: true).root.place?.address.segment)
        #expect(segment != .first)
        var plan = try CompactionPlan(
            tree.capture(version: Version(1)), victims: [segment])
        #expect(plan.victims == [segment])
        while !plan.isDone { tree.relocate(&plan, limit: 1) }
        #expect(try write(apart: true).root.place?.address.segment != segment)
    }
}

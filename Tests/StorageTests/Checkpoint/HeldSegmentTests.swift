import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// One held version kept every page segment that was written after it: the removed files stayed
/// open, with their space, as long as the old snapshot was held.
@Suite struct HeldSegmentTests {
    /// Behaves like a lack of descriptors.
    private let scarce = RefusingFiles(SimulatedDisk()) { path, mode in
        guard mode == .readOnly, path.contains("/pages/") else { return nil }
        return .io(operation: .open, path: path, errno: 24)
    }
    private let disk: OpenFileCounter

    init() { disk = OpenFileCounter(scarce) }

    private func makeStore() throws -> TransactionEngine {
        var opening = StoreOpening(fileSystem: disk, directory: "store.realm")
        opening.options = .small
        opening.options.pages.openFilesMax = 6
        opening.options.pages.segmentSizeMin = 4096
        opening.options.pages.segmentSizeGrown = 4096
        let opened = try opening.open(account: NodeAccount()) { _ in EngineHarness.schema }
        return TransactionEngine(opened)
    }

    private func write(_ engine: TransactionEngine, _ body: (WorkingTree) -> Void) throws {
        try engine.beginBody()
        body(engine.tree)
        engine.endBody(try engine.encodeCommit(author: nil, time: 0), waiter: .nobody)
    }

    private func fill(_ engine: TransactionEngine, rows: Int) throws {
        try write(engine) { tree in
            for number in 0..<rows {
                let key = tree.createRow(EngineHarness.item)
                tree.set(.int(Int64(number)), EngineHarness.item, key, ColumnID(0))
                let text = "\(number) " + String(repeating: "text ", count: 20)
                tree.set(.string(text), EngineHarness.item, key, ColumnID(2))
            }
        }
        try engine.checkpoint()
    }

    private func update(_ engine: TransactionEngine, rows: Int, _ round: Int) throws {
        try change(engine, rows: rows, round)
        try engine.checkpoint()
    }

    private func change(_ engine: TransactionEngine, rows: Int, _ round: Int) throws {
        try write(engine) { tree in
            for key in 0..<rows {
                let text = "\(round) " + String(repeating: "other ", count: 20)
                tree.set(
                    .string(text), EngineHarness.item, RowKey(Int64(key)), ColumnID(2))
            }
        }
    }

    /// A store whose newest version is only on disk.
    private func makeFilledStore(rows: Int) throws -> TransactionEngine {
        let engine = try makeStore()
        try fill(engine, rows: rows)
        try engine.log.close()
        return try makeStore()
    }

    @Test func aHeldVersionKeepsOnlyTheSegmentsThatItNeeds() throws {
        let engine = try makeFilledStore(rows: 300)
        let held = engine.latest
        var unlinked: [Int] = []
        for round in 0..<16 {
            try update(engine, rows: 300, round)
            unlinked.append(disk.unlinkedOpenFiles)
        }
        // The first rounds removed what the version needs; each later round made files that the
        // version does not refer to.
        #expect(unlinked[3] > 0)
        #expect(unlinked[15] <= unlinked[3])
        for position in 0..<300 {
            #expect(text(of: held, position).hasPrefix("\(position) text"))
        }
        #expect(engine.failure == nil)
    }

    /// The checkpoint failed, and the store stopped writing.
    @Test func aFileThatCannotBeKeptOpenKeepsItsName() throws {
        let engine = try makeFilledStore(rows: 2_000)
        let held = engine.latest
        try change(engine, rows: 2_000, 0)
        let before = Set(try disk.list("store.realm/pages"))
        // The tree is written by then, and segments that it does not use are removed.
        disk.afterListing { [scarce] path in
            if path.hasSuffix("pages") { scarce.isRefusing = true }
        }
        try engine.checkpoint()
        #expect(scarce.isRefusing)
        disk.afterListing { _ in }
        scarce.isRefusing = false
        #expect(engine.failure == nil)
        let kept = try before.intersection(disk.list("store.realm/pages"))
        for round in 1..<3 { try update(engine, rows: 2_000, round) }
        #expect(try kept.intersection(disk.list("store.realm/pages")).count < kept.count)
        for position in 0..<2_000 {
            #expect(text(of: held, position).hasPrefix("\(position) text"))
        }
    }

    @Test func removedFilesThatAreOpenAreCounted() throws {
        let engine = try makeFilledStore(rows: 300)
        var held: SnapshotRoot? = engine.latest
        for round in 0..<4 { try update(engine, rows: 300, round) }
        let whileHeld = try engine.allocatedBytes()
        #expect(disk.unlinkedOpenFiles > 0)
        #expect(held != nil)
        held = nil
        for round in 4..<6 { try update(engine, rows: 300, round) }
        #expect(disk.unlinkedOpenFiles <= 1)
        #expect(try engine.allocatedBytes() < whileHeld)
    }

    @Test func filesThatCanBeOpenedAgainAreFew() throws {
        let engine = try makeStore()
        for _ in 0..<24 { try fill(engine, rows: 200) }
        let account = engine.tree.account
        #expect(account.pages?.openIndexes.count ?? 0 <= 6)
        let contents = try #require(engine.checkpoints).checkpointer.contents
        #expect(contents.segments.count > 12)
        // All of the store can still be read.
        let verification = try engine.verify(ReadingMonitor())
        #expect(verification.problemCount == 0)
        #expect(account.pages?.openIndexes.count ?? 0 <= 6)
        #expect(engine.failure == nil)
    }

    /// A process without descriptors could not read, so the store stopped, although it had files
    /// open that could have been closed and opened again.
    @Test func filesThatCanBeReopenedAreClosedForOthers() throws {
        let counter = OpenFileCounter(SimulatedDisk())
        let files = RefusingFiles(counter) { path, _ in
            guard path.contains("/pages/"), counter.openFiles(in: "store.realm/pages") >= 3
            else { return nil }
            return .io(operation: .open, path: path, errno: 24)
        }
        var opening = StoreOpening(fileSystem: files, directory: "store.realm")
        opening.options = .small
        opening.options.pages.openFilesMax = 6
        opening.options.pages.segmentSizeMin = 4096
        opening.options.pages.segmentSizeGrown = 4096
        let opened = try opening.open(account: NodeAccount()) { _ in EngineHarness.schema }
        let engine = TransactionEngine(opened)
        for _ in 0..<24 { try fill(engine, rows: 200) }
        #expect(counter.openFiles(in: "store.realm/pages") > 3)
        files.isRefusing = true
        let verification = try engine.verify(ReadingMonitor())
        #expect(verification.problemCount == 0)
        #expect(counter.openFiles(in: "store.realm/pages") <= 3)
        try fill(engine, rows: 200)
        #expect(engine.failure == nil)
    }

    /// A checkpoint lists the page files while an aborted transaction removes its own. The
    /// checkpoint failed because of the missing file, and latched the store.
    @Test func anAbandonedTransactionDuringACheckpointIsNotAFailure() throws {
        let engine = try makeStore()
        try fill(engine, rows: 300)
        let checkpointer = try #require(engine.checkpoints).checkpointer
        let account = engine.tree.account
        let spill = Spill(
            checkpointer.pages, segmentSize: 4096, madeAt: account.nextCapture, lease: 0, later: nil
        )
        let other = WorkingTree(engine.latest)
        for number in 0..<600 {
            let key = other.createRow(EngineHarness.item)
            other.set(
                .string(String(repeating: "spilled \(number)", count: 9)), EngineHarness.item, key,
                ColumnID(2))
        }
        let captured = other.capture(version: Version(99))
        let classRoot = captured.view.classRoot(EngineHarness.item)
        spill.write([try #require(classRoot.tree.node)])
        #expect(spill.failure == nil && !spill.segments.isEmpty)
        try write(engine) { tree in
            tree.set(.int(77), EngineHarness.item, RowKey(0), ColumnID(0))
        }
        let isDone = Mutex(false)
        disk.afterListing { path in
            guard path.hasSuffix("/pages"), isDone.withLock({ $0.exchange(true) }) == false else {
                return
            }
            checkpointer.abandon(spill, account: account)
        }
        try engine.checkpoint()
        #expect(isDone.withLock { $0 })
        #expect(engine.failure == nil)
        for segment in spill.segments {
            #expect(throws: StorageError.self) {
                _ = try disk.open(checkpointer.pages.path(segment.index), .readOnly)
            }
        }
        #expect(captured.version == Version(99))
    }

    private func text(of root: SnapshotRoot, _ position: Int) -> String {
        let row = root.view.classView(EngineHarness.item).row(at: position)
        return row.cluster.string(2, row.slot)
    }
}

extension Bool {
    /// Sets the value to `new` and returns the previous one.
    fileprivate mutating func exchange(_ new: Bool) -> Bool {
        defer { self = new }
        return self
    }
}

import StorageHarness
import Testing

@testable import Storage

/// Large transactions whose spills fail while they run.
@Suite struct RefusedSpillTests {
    private static let item = EngineHarness.item

    private struct Store {
        let engine: TransactionEngine
        let account = NodeAccount()
        private(set) var next: Int64 = 0

        init(_ disk: SimulatedDisk, inBackground: Bool) throws {
            var opening = StoreOpening(fileSystem: disk, directory: "store.realm")
            opening.options = .small
            opening.options.preparesInBackground = inBackground
            opening.options.pageCommitBytes = 3_000
            opening.options.spillBytes = 30_000
            let opened = try opening.open(account: account) { _ in EngineHarness.schema }
            engine = TransactionEngine(opened, appendsInPlace: !inBackground)
        }

        mutating func add(_ count: Int) {
            for _ in 0..<count {
                let row = engine.tree.writer(item, engine.tree.createRow(item))
                row?.setInt(0, next)
                row?.setInt(1, next % 10)
                row?.setString(2, "text \(next)")
                next += 1
            }
        }

        /// Adds rows, far more than can be stored, until the transaction is refused.
        mutating func addUntilRefused() -> StorageError? {
            for _ in 0..<60_000 {
                do throws(StorageError) {
                    try engine.tree.requireSpilled()
                } catch {
                    return error
                }
                add(1)
            }
            return nil
        }

        /// Ends the body with a commit, which is refused.
        func endRefused() {
            #expect(throws: StorageError.self) {
                try engine.encodeCommit(author: nil, time: 0)
            }
            engine.endBody(nil, waiter: .nobody)
        }

        func commit() async throws {
            try await engine.end(try engine.encodeCommit(author: nil, time: 0))
        }

        mutating func write(_ count: Int) async throws {
            try engine.beginBody()
            add(count)
            try await commit()
        }

        func deleteAll() async throws {
            let view = engine.latest.view.classView(item)
            let keys = (0..<view.count).map { view.key(at: $0) }
            try engine.beginBody()
            engine.tree.delete(item, keys)
            try await commit()
        }

        var count: Int { engine.latest.view.classView(item).count }
    }

    // The transaction used more and more memory, and was refused at its end.
    @Test(arguments: [false, true])
    func aFullDiskEndsItBeforeItFillsMemory(inBackground: Bool) async throws {
        let disk = SimulatedDisk()
        var store = try Store(disk, inBackground: inBackground)
        try await store.write(500)
        try store.engine.checkpoint()
        let files = try disk.list("store.realm/pages")
        let memory = store.account.byteCount
        disk.limit(to: disk.usedBytes + (40 << 10))
        for _ in 0..<2 {
            try store.engine.beginBody()
            let refusal = store.addUntilRefused()
            guard case .outOfSpace? = refusal else {
                Issue.record("It ended with \(String(describing: refusal))")
                return
            }
            #expect(store.account.byteCount < memory + 1_000_000)
            store.endRefused()
            #expect(store.engine.failure == nil && store.count == 500)
            if !inBackground { #expect(try disk.list("store.realm/pages") == files) }
        }
        // Commits that make the store smaller succeed.
        try await store.deleteAll()
        #expect(store.count == 0)
        disk.limit(to: nil)
        try await store.write(5_000)
        #expect(store.count == 5_000)
        #expect(try store.engine.verify(ReadingMonitor()).problems == [])
        await store.engine.close()
    }

    /// A body that throws because of the refusal leaves the store usable as well.
    @Test func aRolledBackTransactionFreesItsSpace() async throws {
        let disk = SimulatedDisk()
        var store = try Store(disk, inBackground: false)
        try await store.write(50)
        try store.engine.checkpoint()
        // A checkpoint makes this log obsolete.
        for _ in 0..<40 { try await store.write(20) }
        let log = try disk.list("store.realm/log").count
        #expect(log > 2)
        disk.limit(to: disk.usedBytes + (200 << 10))
        try store.engine.beginBody()
        #expect(store.addUntilRefused() != nil)
        store.engine.rollBack()
        store.engine.endBody(nil, waiter: .nobody)
        #expect(try disk.list("store.realm/log").count < log)
        #expect(store.engine.failure == nil && store.count == 850)
        await store.engine.close()
    }

    @Test func aFailureOfTheDiskStopsTheStore() async throws {
        let disk = SimulatedDisk()
        var store = try Store(disk, inBackground: false)
        try await store.write(500)
        disk.resetCalls()
        disk.inject(.init(.inputOutput, call: 1, isLasting: true))
        try store.engine.beginBody()
        let refusal = store.addUntilRefused()
        guard case .durabilityLost? = refusal else {
            Issue.record("It ended with \(String(describing: refusal))")
            return
        }
        store.engine.rollBack()
        store.engine.endBody(nil, waiter: .nobody)
        #expect(store.engine.failure != nil && store.count == 500)
        #expect(throws: StorageError.self) { try store.engine.beginBody() }
        disk.resetCalls()
        let again = try Store(disk.crashImage(seed: 1, .random), inBackground: false)
        #expect(again.count == 500)
    }
}

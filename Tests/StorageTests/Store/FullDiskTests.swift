import StorageHarness
import Testing

@testable import Storage

/// Stores on a disk that is full.
@Suite struct FullDiskTests {
    private static let item = EngineHarness.item

    private struct Store {
        let engine: TransactionEngine

        init(_ files: any FileSystem) throws {
            var opening = StoreOpening(fileSystem: files, directory: "store.realm")
            opening.options.segmentSizeMin = 16 << 10
            opening.options.segmentSizeGrown = 64 << 10
            opening.options.preparesInBackground = false
            let opened = try opening.open(account: NodeAccount()) { _ in EngineHarness.schema }
            engine = TransactionEngine(
                tree: opened.tree, version: opened.version, log: opened.log, appendsInPlace: true,
                checkpoints: CheckpointSchedule(opened, policy: .manual),
                publish: { _, makeLatest in makeLatest() })
        }

        var count: Int { engine.latest.view.classView(item).count }

        /// Whether the commit went through; a refusal is the only other outcome.
        func change(_ body: (WorkingTree) -> Void) throws -> Bool {
            let before = engine.latest.version
            try engine.beginBody()
            body(engine.tree)
            let version = try engine.encodeCommit(author: nil, time: 0)
            engine.endBody(version, waiter: .nobody)
            if let failure = engine.failure { throw failure }
            return engine.latest.version > before
        }

        func insert(_ first: Int64, _ count: Int64) throws -> Bool {
            try change { tree in
                for number in first..<first + count {
                    let key = tree.createRow(item)
                    tree.set(.int(number), item, key, ColumnID(0))
                    let text = String(repeating: "text", count: 15)
                    tree.set(.string(text), item, key, ColumnID(2))
                }
            }
        }

        /// Inserts and writes checkpoints until neither fits.
        func fill() throws {
            var number = engine.tree.nextKey(item)
            while try insert(number, 100) {
                number += 100
                if number % 1000 < 100 { try? engine.checkpoint() }
            }
            while try insert(number, 1) { number += 1 }
        }

        func compact() throws {
            try engine.checkpoint()
            guard var plan = try engine.planCompaction(isFull: true) else { return }
            while !plan.isDone {
                try engine.beginBody()
                engine.relocate(&plan)
                engine.endBody(nil, waiter: .nobody)
            }
            try engine.finishCompaction()
        }
    }

    @Test func aFullStoreShrinks() throws {
        for limit in [400_000, 500_000] {
            let files = LimitedFiles(limit: limit)
            let store = try Store(files)
            _ = try store.insert(0, 10)
            // The reserve comes with a checkpoint.
            try store.engine.checkpoint()
            for _ in 0..<3 {
                try store.fill()
                let full = store.count
                let rows = store.engine.latest.view.classView(Self.item)
                let keys = (0..<full - 20).map { rows.key(at: $0) }
                #expect(try store.change { $0.delete(Self.item, keys) }, "limit \(limit)")
                #expect(store.count == full - keys.count)
                try store.compact()
                #expect(files.used < limit / 2, "limit \(limit)")
                let next = store.engine.tree.nextKey(Self.item)
                #expect(try store.insert(next, 20), "limit \(limit)")
                #expect(try store.engine.verify(ReadingMonitor()).problems == [])
            }
        }
    }
}

import StorageHarness
import Testing

@testable import Storage

/// Stores whose page files fail, tested through the engine.
@Suite struct CheckpointFailureTests {
    private static let item = EngineHarness.item

    private struct Store {
        let engine: TransactionEngine

        init(
            _ disk: SimulatedDisk, policy: CheckpointSchedule.Policy = .manual,
            account: NodeAccount = NodeAccount()
        ) throws {
            var opening = StoreOpening(fileSystem: disk, directory: "store.realm")
            opening.options = .small
            opening.options.isShared = true
            let opened = try opening.open(account: account) { _ in EngineHarness.schema }
            engine = TransactionEngine(opened, policy: policy)
        }

        func insert(_ numbers: Range<Int64>) throws {
            try engine.beginBody()
            for number in numbers {
                let key = engine.tree.createRow(item)
                engine.tree.set(.int(number), item, key, ColumnID(0))
                engine.tree.set(.string("text \(number)"), item, key, ColumnID(2))
            }
            try commit()
        }

        func setText(_ text: String, _ keys: some Sequence<Int64>) {
            for key in keys {
                engine.tree.set(.string(text), item, RowKey(key), ColumnID(2))
            }
        }

        func commit() throws {
            let version = try engine.encodeCommit(author: nil, time: 0)
            engine.endBody(version, waiter: .nobody)
        }

        func text(_ key: Int64) -> String? {
            let latest = engine.latest
            return withExtendedLifetime(latest) { () -> String? in
                guard let row = latest.view.classView(item).locate(RowKey(key)) else { return nil }
                return row.cluster.string(2, row.slot)
            }
        }

        func close() async -> Result<Void, StorageError> {
            await engine.close()
        }
    }

    /// A store of 600 rows that are only in the page files.
    private func makeStore(_ disk: SimulatedDisk) async throws {
        let store = try Store(disk)
        try store.insert(0..<600)
        try store.engine.checkpoint()
        try await store.close().get()
    }

    /// A text written to an unreadable chunk was copied into its placeholder, which has another
    /// form: the process ended.
    @Test func writingOverAnUnreadableChunkIsRefusedAtTheCommit() async throws {
        let disk = SimulatedDisk()
        try await makeStore(disk)
        let store = try Store(disk)
        try store.engine.beginBody()
        // The row is found before the disk fails, but its text is not read.
        _ = store.engine.tree.locate(Self.item, RowKey(7))
        disk.resetCalls()
        disk.inject(.init(.inputOutput, call: 1, isLasting: true))
        let long = String(repeating: "long ", count: 100)
        for text in ["", "short", "over twelve bytes", long] { store.setText(text, 5..<9) }
        #expect(throws: StorageError.self) {
            _ = try store.engine.encodeCommit(author: nil, time: 0)
        }
        store.engine.rollBack()
        store.engine.endBody(nil, waiter: .nobody)
        disk.resetCalls()
        do {
            try store.engine.beginBody()
            Issue.record("The store still writes")
        } catch StorageError.durabilityLost(.io(.read, _, _)) {}
        // The published version is unchanged.
        #expect(store.text(7) == "text 7")
        _ = await store.close()
        #expect(try Store(disk).text(7) == "text 7")
    }

    /// If a node could not be read during replay of the log, the record seemed malformed: the error
    /// of the disk was reported as damage.
    @Test func anUnreadableNodeInReplayIsTheDisksError() async throws {
        let disk = SimulatedDisk()
        try await makeStore(disk)
        let store = try Store(disk)
        try store.engine.beginBody()
        store.setText("changed", stride(from: 0, to: 600, by: 50))
        store.engine.tree.delete(Self.item, [RowKey(300), RowKey(301)])
        try store.commit()
        try await store.close().get()
        var failures = 0
        for call in 1...60 {
            disk.resetCalls()
            disk.inject(.init(.inputOutput, call: call, isLasting: true))
            do {
                let again = try Store(disk)
                #expect(again.text(50) == "changed")
                _ = await again.close()
            } catch let error as StorageError {
                failures += 1
                if case .io = error { continue }
                Issue.record("call \(call): \(error)")
            }
        }
        #expect(failures > 20)
    }

    /// A checkpoint that failed while closing was not reported.
    @Test func aCheckpointThatFailsAtTheCloseIsReported() async throws {
        for isFull in [false, true] {
            let disk = SimulatedDisk()
            let store = try Store(disk, policy: .automatic)
            try store.insert(0..<600)
            disk.resetCalls()
            disk.inject(.init(isFull ? .noSpace : .inputOutput, call: 3, isLasting: true))
            let result = await store.close()
            if isFull {
                #expect(throws: Never.self) { try result.get() }
            } else {
                #expect(throws: StorageError.self) { try result.get() }
            }
            disk.resetCalls()
            #expect(try Store(disk).text(599) == "text 599")
        }
    }

    /// A process whose checkpoint had failed kept its page file open, and read it instead of a file
    /// of the same number that another process had created.
    @Test func aPageFileOfAFailedCheckpointIsNotReused() async throws {
        let disk = SimulatedDisk()
        let account = NodeAccount()
        let failing = try Store(disk, account: account)
        try failing.insert(0..<10)
        // The page file is durable when the append of the reference to it fails.
        disk.resetCalls()
        disk.failNextSync(of: ".log")
        #expect(throws: StorageError.self) { try failing.engine.checkpoint() }
        _ = await failing.close()
        disk.resetCalls()
        let other = try Store(disk)
        try other.insert(10..<600)
        try other.engine.checkpoint()
        try await other.close().get()
        let again = try Store(disk, account: account)
        #expect((0..<600).allSatisfy { again.text($0) == "text \($0)" })
        try await again.close().get()
    }
}

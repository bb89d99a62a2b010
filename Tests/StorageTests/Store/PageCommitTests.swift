import StorageHarness
import Testing

@testable import Storage

/// Commits whose values are in the page files and not in the log.
@Suite struct PageCommitTests {
    private static let path = "store.realm"

    /// A store that makes page commits of more than a few rows, and writes no checkpoint by itself.
    private final class Store {
        let engine: TransactionEngine
        let log: Log
        let checkpointer: Checkpointer
        var changes: [ChangeSet] { collected.values }
        private let collected = Collected()

        /// What the store has published.
        // Unchecked: filled by the thread that runs the test, since the engine appends in place.
        private final class Collected: @unchecked Sendable {
            var values: [ChangeSet] = []
        }

        init(_ disk: any FileSystem, pageCommitBytes: Int = 3_000) throws {
            var opening = StoreOpening(fileSystem: disk, directory: path)
            opening.options = .small
            opening.options.pageCommitBytes = pageCommitBytes
            let opened = try opening.open(account: NodeAccount()) { _ in EngineHarness.schema }
            log = opened.log
            checkpointer = opened.checkpointer
            engine = TransactionEngine(
                opened,
                publish: { [collected] commits, makeLatest in
                    makeLatest()
                    collected.values += commits.map { $0.changeSet() }
                })
        }

        func add(_ numbers: Range<Int>) {
            for number in numbers {
                for sign in [1, -1] {
                    let key = engine.tree.createRow(EngineHarness.item)
                    let row = engine.tree.writer(EngineHarness.item, key)
                    row?.setInt(0, Int64(number * sign))
                    row?.setInt(1, Int64(number))
                    row?.setString(2, "text \(number)")
                }
            }
        }

        @discardableResult
        func encode() throws -> Version? { try engine.encodeCommit(author: "me", time: 7) }

        func end(_ commit: Version?) async throws {
            try await engine.end(commit)
        }

        func write(_ numbers: Range<Int>) async throws {
            try engine.beginBody()
            add(numbers)
            try await end(encode())
        }

        var numbers: [Int]? { EngineHarness.numbers(of: engine.latest) }

        func requireSound() throws {
            let outcome = try engine.verify(ReadingMonitor())
            #expect(outcome.problems == [])
        }

        func close() async {
            await engine.close()
        }
    }

    private func logBytes(_ disk: any FileSystem) throws -> Int {
        try disk.list(Self.path + "/log").filter { $0.hasSuffix(".log") }.reduce(0) {
            try $0 + disk.open(Self.path + "/log/" + $1, .readOnly).size().length
        }
    }

    /// The size of a commit was measured by the growth of the store's memory: if a large version
    /// was released meanwhile, the values of a large commit were written to the log.
    @Test func aReleasedVersionDoesNotAffectTheSizeOfACommit() async throws {
        let disk = MemoryFileSystem()
        let store = try Store(disk)
        try await store.write(0..<1_000)
        var held: SnapshotRoot? = store.engine.latest
        for round in 0..<3 {
            // Replaces every node of the held version.
            try store.engine.beginBody()
            for key in 0..<2_000 {
                let text = StoredValue.string("round \(round), a long text of row \(key)")
                store.engine.tree.set(text, EngineHarness.item, RowKey(Int64(key)), ColumnID(2))
            }
            try await store.end(store.encode())
        }
        let before = try logBytes(disk)
        try store.engine.beginBody()
        store.add(1_000..<1_300)
        withExtendedLifetime(held) {}
        held = nil
        try await store.end(store.encode())
        let contents = store.checkpointer.contents
        #expect(contents.version == store.engine.latest.version)
        #expect(try logBytes(disk) - before < 16_384)
        try store.requireSound()
        await store.close()
    }

    @Test func itIsFoundAgainWithoutReplay() async throws {
        let disk = MemoryFileSystem()
        for round in 0..<3 {
            let store = try Store(disk)
            #expect(store.numbers == Array(0..<round * 1_020))
            #expect(store.engine.failure == nil)
            try await store.write(round * 1_020..<round * 1_020 + 10)
            try await store.write(round * 1_020 + 10..<round * 1_020 + 1_010)
            try await store.write(round * 1_020 + 1_010..<round * 1_020 + 1_020)
            #expect(store.checkpointer.contents.root != nil)
            try store.requireSound()
            if round == 1 { await store.close() }
        }
        #expect(try logBytes(disk) < 50_000)
        let store = try Store(disk)
        #expect(store.numbers == Array(0..<3_060))
        try store.engine.checkpoint()
        try store.requireSound()
        await store.close()
        let again = try Store(disk)
        #expect(again.numbers == Array(0..<3_060) && again.log.report.commitCount == 0)
        await again.close()
    }

    /// A tree in the page files replaces every commit of its group.
    @Test func othersOfItsGroupAreInItsTree() async throws {
        let disk = MemoryFileSystem()
        do {
            let store = try Store(disk)
            try store.engine.beginBody()
            store.add(0..<5)
            try store.encode()
            store.add(5..<900)
            try store.encode()
            store.add(900..<905)
            let last = try store.encode()
            store.add(905..<990)
            store.engine.rollBack()
            try await store.end(last)
            #expect(store.numbers == Array(0..<905))
            try await store.write(905..<910)
        }
        let store = try Store(disk)
        #expect(store.numbers == Array(0..<910))
        try store.requireSound()
        #expect(store.log.report.commitCount == 5)
        await store.close()
    }

    /// Groups of all sizes around those at which they are split.
    @Test func theTreeReferenceIsInOneFrame() async throws {
        for count in stride(from: 100, to: 190, by: 1) {
            let disk = MemoryFileSystem()
            do {
                let store = try Store(disk)
                try store.engine.beginBody()
                store.add(0..<count)
                store.engine.tree.set(
                    .string(String(repeating: "x", count: count * 9)), EngineHarness.item,
                    RowKey(0), ColumnID(2))
                try store.encode()
                for number in count..<count + 40 {
                    store.add(number..<number + 1)
                    store.engine.tree.set(
                        .string(String(repeating: "y", count: 200 + count % 7)),
                        EngineHarness.item, RowKey(Int64(2 * number)), ColumnID(2))
                    if number < count + 39 { try store.encode() }
                }
                try await store.end(store.encode())
                #expect(store.numbers == Array(0..<count + 40))
            }
            let store = try Store(disk)
            #expect(store.numbers == Array(0..<count + 40))
            await store.close()
        }
    }

    @Test func observersGetTheSameChanges() async throws {
        var published: [[ChangeSet]] = []
        for limit in [0, Int.max] {
            let store = try Store(MemoryFileSystem(), pageCommitBytes: limit)
            try await store.write(0..<700)
            try store.engine.beginBody()
            let tree = store.engine.tree
            tree.delete(EngineHarness.item, [RowKey(3), RowKey(900)])
            for key in stride(from: Int64(10), to: 1_000, by: 7) {
                tree.set(.string("new"), EngineHarness.item, RowKey(key), ColumnID(2))
            }
            store.add(700..<710)
            tree.delete(EngineHarness.item, [RowKey(1_405)])
            try await store.end(store.encode())
            #expect(store.checkpointer.contents.root != nil || limit > 0)
            published.append(store.changes)
        }
        #expect(published[0].count == 2)
        for (pages, values) in zip(published[0], published[1]) {
            #expect(pages.version == values.version && pages.author == values.author)
            let (a, b) = (pages.classes[EngineHarness.item], values.classes[EngineHarness.item])
            #expect(a?.created == b?.created && a?.deleted == b?.deleted)
            #expect(a?.touched == b?.touched)
        }
    }

    @Test func aFullDiskRefusesIt() async throws {
        var refusals = 0
        for call in 1..<12 {
            let disk = SimulatedDisk()
            let store = try Store(disk)
            try await store.write(0..<20)
            try await store.write(20..<400)
            disk.resetCalls()
            disk.inject(.init(.noSpace, call: call, isLasting: true))
            do {
                try await store.write(400..<900)
                #expect(store.numbers == Array(0..<900))
            } catch StorageError.outOfSpace {
                refusals += 1
                #expect(store.numbers == Array(0..<400))
            } catch StorageError.commitOutcomeUnknown {
                continue
            }
            // This disk refuses writes to the log even into allocated space.
            if store.engine.failure != nil { continue }
            disk.resetCalls()
            try await store.write(900..<1_300)
            try store.requireSound()
            let numbers = store.numbers
            disk.crash(seed: UInt64(call))
            let again = try Store(disk)
            #expect(again.numbers == numbers)
            await again.close()
        }
        #expect(refusals > 3)
    }

    @Test func whatFailedBeforeTheLogWasNotCommitted() async throws {
        let disk = SimulatedDisk()
        let store = try Store(disk)
        try await store.write(0..<20)
        disk.resetCalls()
        disk.inject(.init(.inputOutput, call: 2))
        do {
            try await store.write(20..<400)
            Issue.record("The write did not fail")
        } catch StorageError.durabilityLost {}
        #expect(store.numbers == Array(0..<20) && store.engine.failure != nil)
        await #expect(throws: StorageError.self) { try await store.write(400..<401) }
        disk.crash(seed: 3)
        let again = try Store(disk)
        #expect(again.numbers == Array(0..<20))
        await again.close()
    }

    @Test func salvageReadsItsPages() async throws {
        let disk = MemoryFileSystem()
        do {
            let store = try Store(disk)
            try await store.write(1..<50)
            try store.engine.checkpoint()
            try await store.write(50..<500)
            try await store.write(500..<510)
            await store.close()
        }
        let salvage = StoreSalvage(
            fileSystem: disk, directory: Self.path, destination: "new.realm")
        let outcome = try salvage.run()
        #expect(outcome.rows[EngineHarness.item] == 1_018)
        #expect(outcome.lostRanges.isEmpty && outcome.incompleteCommits == 0)
    }
}

import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// The accounting of the page files.
@Suite struct SpaceVerifierTests {
    private typealias S = ModelSchema

    private struct Store {
        let engine: TransactionEngine
        let checkpoints: CheckpointSchedule

        init(_ disk: any FileSystem, falsifying: (inout Checkpointer.Contents) -> Void = { _ in })
            throws
        {
            var opening = StoreOpening(fileSystem: disk, directory: "store.realm")
            opening.options = .small
            let found = try opening.open(account: NodeAccount()) { _ in S.schema }
            var contents = found.checkpointer.contents
            falsifying(&contents)
            let opened = StoreOpening.Opened(
                log: found.log, transferred: found.transferred, version: found.version,
                checkpointer: Checkpointer(pages: found.checkpointer.pages, contents: contents))
            checkpoints = CheckpointSchedule(opened, policy: .manual)
            engine = TransactionEngine(
                tree: opened.tree, version: opened.version, log: opened.log, appendsInPlace: true,
                checkpoints: checkpoints, publish: { _, makeLatest in makeLatest() })
        }

        func change(_ keys: some Sequence<Int64>) throws {
            try engine.beginBody()
            for number in keys {
                let key =
                    engine.tree.locate(S.item, RowKey(number)) == nil
                    ? engine.tree.createRow(S.item) : RowKey(number)
                engine.tree.set(.int(key.rawValue), S.item, key, ColumnID(S.number))
                engine.tree.set(.string("row \(number)"), S.item, key, ColumnID(S.title))
            }
            let version = try engine.encodeCommit(author: nil, time: 0)
            engine.endBody(version, waiter: .nobody)
        }

        func compact() throws {
            var plan = try #require(try engine.planCompaction(isFull: true))
            while !plan.isDone {
                try engine.beginBody()
                engine.relocate(&plan)
                engine.endBody(nil, waiter: .nobody)
            }
            try engine.finishCompaction()
        }

        var problems: [StoreProblem] {
            get throws { try engine.verify(ReadingMonitor()).problems }
        }

        func close() async {
            await engine.close()
        }
    }

    @Test func accountsFollowCheckpointsAndCompaction() async throws {
        let disk = MemoryFileSystem()
        var store = try Store(disk)
        for round in 0..<6 {
            try store.change(Int64(0)..<3000)
            try store.change(stride(from: Int64(round), to: 3000, by: 7))
            try store.engine.checkpoint()
            #expect(try store.problems == [])
            if round == 3 {
                await store.close()
                store = try Store(disk)
            }
        }
        #expect(store.engine.liveBytes > 100_000)
        try store.compact()
        #expect(try store.problems == [])
        await store.close()
    }

    /// They waited for the end of the walk, and with them every writer of a large commit.
    @Test func checkpointsAndCompactionContinueDuringTheWalk() async throws {
        let disk = SimulatedDisk()
        let store = try Store(disk)
        try store.change(Int64(0)..<3000)
        try store.engine.checkpoint()
        // From here on, only the walk reads nodes from the disk.
        #expect(try store.problems == [])
        let before = Set(try disk.list("store.realm/pages"))
        let isFirst = Atomic<Bool>(true)
        let hadToWait = Atomic<Bool>(false)
        disk.observe { call in
            guard call.moment == .before, call.operation == .read, call.path.contains("/pages/"),
                isFirst.exchange(false, ordering: .relaxed)
            else { return }
            if store.engine.isCheckpointing {
                return hadToWait.store(true, ordering: .relaxed)
            }
            try? store.change(Int64(0)..<3300)
            try? store.compact()
        }
        #expect(try store.problems == [])
        disk.observe(nil)
        let hasCalled = !isFirst.load(ordering: .relaxed)
        let hasWaited = hadToWait.load(ordering: .relaxed)
        #expect(hasCalled && !hasWaited)
        // It continued to read removed files, and keeps none of them open.
        let after = Set(try disk.list("store.realm/pages"))
        #expect(!before.isSubset(of: after))
        let indexes = before.compactMap { PageIndex(fileName: $0) }
        let isHeld = store.checkpoints.checkpointer.pages.retired.withLock { retired in
            indexes.contains { retired.isHeld($0) }
        }
        #expect(!isHeld)
        #expect(try store.problems == [])
        await store.close()
    }

    /// The failure of the disk was reported as wrong accounting.
    @Test func aFailingDiskIsNotAProblemOfTheStore() async throws {
        let disk = SimulatedDisk()
        let store = try Store(disk)
        try store.change(Int64(0)..<600)
        try store.engine.checkpoint()
        // From here on the tree is read from memory.
        #expect(try store.problems == [])
        disk.resetCalls()
        #expect(try store.problems == [])
        let calls = disk.callCount
        var failures = 0
        for call in 1...calls {
            disk.resetCalls()
            disk.inject(.init(.inputOutput, call: call))
            do {
                #expect(try store.problems == [])
            } catch is StorageError {
                failures += 1
            }
        }
        #expect(failures > 3)
        disk.resetCalls()
        #expect(try store.problems == [])
        await store.close()
    }

    /// It continued to the end of the tree, while checkpoints and closing waited.
    @Test func cancellingEndsTheWalk() async throws {
        let disk = SimulatedDisk()
        let store = try Store(disk)
        try store.change(Int64(0)..<3000)
        try store.engine.checkpoint()
        // From here on, only the walk reads nodes from the disk.
        #expect(try store.problems == [])
        let monitor = ReadingMonitor()
        let reads = Atomic<Int>(0)
        let isCancelling = Atomic<Bool>(false)
        disk.observe { call in
            guard call.moment == .before, call.operation == .read, call.path.contains("/pages/")
            else { return }
            reads.wrappingAdd(1, ordering: .relaxed)
            if isCancelling.load(ordering: .relaxed) { monitor.cancel() }
        }
        #expect(try store.problems == [])
        let all = reads.exchange(0, ordering: .relaxed)
        #expect(all > 5)
        isCancelling.store(true, ordering: .relaxed)
        #expect(throws: CancellationError.self) { _ = try store.engine.verify(monitor) }
        let some = reads.load(ordering: .relaxed)
        #expect(some > 0 && some < all)
        disk.observe(nil)
        await store.close()
    }

    @Test func aFalseAccountIsReported() async throws {
        let disk = MemoryFileSystem()
        let first = try Store(disk)
        try first.change(Int64(0)..<600)
        try first.engine.checkpoint()
        await first.close()
        for change in [-8, 8, 1 << 30] {
            let store = try Store(disk) { contents in
                for index in contents.segments.keys { contents.segments[index]?.live += change }
            }
            let problems = try store.problems
            #expect(problems.contains { $0.kind == .space && $0.place.file != nil })
            #expect(problems.allSatisfy { $0.kind == .space })
            await store.close()
        }
    }

    /// Nodes that were in memory were not read from the disk: a store that stays open passed for
    /// intact, and could not be opened again.
    @Test func damageBehindWhatIsInMemoryIsFound() async throws {
        let disk = SimulatedDisk()
        let store = try Store(disk)
        try store.change(Int64(0)..<300)
        try store.engine.checkpoint()
        #expect(try store.problems == [])
        for (path, length) in disk.files where path.hasSuffix(".pages") {
            for offset in [0, 12, 40, 63] + Array(stride(from: 64, to: length, by: 1_021)) {
                disk.damage(path, at: offset)
                let found = try store.problems
                #expect(found.contains { $0.place.file == path }, "\(path), byte \(offset)")
                disk.damage(path, at: offset)
            }
            disk.damage(path, at: length - 1)
            #expect(try !store.problems.isEmpty)
            disk.damage(path, at: length - 1)
        }
        #expect(try store.problems == [])
        await store.close()
    }
}

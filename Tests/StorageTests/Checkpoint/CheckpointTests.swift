import StorageHarness
import Testing

@testable import Storage

/// Stores that are opened from a checkpoint.
@Suite struct CheckpointTests {
    private static let path = "store.realm"

    /// A store that writes checkpoints only on request.
    private struct Store {
        let engine: TransactionEngine
        let report: RecoveryReport
        let log: Log

        init(_ disk: any FileSystem) throws {
            var opening = StoreOpening(fileSystem: disk, directory: path)
            opening.options = .small
            let opened = try opening.open(account: NodeAccount()) { _ in EngineHarness.schema }
            log = opened.log
            report = opened.log.report
            engine = TransactionEngine(opened)
        }

        func write(_ numbers: Range<Int>) async throws {
            for number in numbers {
                try engine.beginBody()
                for sign in [1, -1] {
                    let key = engine.tree.createRow(EngineHarness.item)
                    let row = engine.tree.writer(EngineHarness.item, key)
                    row?.setInt(0, Int64(number * sign))
                    row?.setInt(1, Int64(number))
                    row?.setString(2, String(repeating: "x", count: number % 300))
                }
                let commit = try engine.encodeCommit(author: nil, time: 0)
                try await engine.end(commit)
            }
        }

        var numbers: [Int]? { EngineHarness.numbers(of: engine.latest) }

        func close() async {
            await engine.close()
        }
    }

    @Test func openingReplaysOnlyWhatCameAfter() async throws {
        let disk = MemoryFileSystem()
        for round in 0..<4 {
            let store = try Store(disk)
            #expect(store.report.commitCount == (round == 0 ? 0 : 20))
            #expect(store.numbers == Array(0..<round * 220))
            try await store.write(round * 220..<round * 220 + 200)
            try store.engine.checkpoint()
            try store.engine.checkpoint()
            try await store.write(round * 220 + 200..<round * 220 + 220)
            await store.close()
        }
        let store = try Store(disk)
        #expect(store.numbers == Array(0..<880))
        #expect(store.engine.failure == nil)
        // The log before the checkpoint was removed.
        let segments = try disk.list(Self.path + "/log").filter { $0.hasSuffix(".log") }
        #expect(segments.first != "0000000001.log" && segments.count <= 3)
        await store.close()
    }

    /// A compaction of a store without commits wrote one checkpoint behind segment 0, and then
    /// another in a segment of its own. After a crash between the two, the store was permanently
    /// refused as damaged.
    @Test func aStoreWithoutACommitCanBeCompacted() async throws {
        let disk = SimulatedDisk()
        func open(_ disk: SimulatedDisk) throws -> StoreOpening.Opened {
            var opening = StoreOpening(fileSystem: disk, directory: Self.path)
            opening.options = .small
            return try opening.open(account: NodeAccount()) { $0 }
        }
        let engine = TransactionEngine(try open(disk))
        var compaction = Compaction(isFull: true)
        var steps = 0
        while compaction.step != nil {
            try engine.perform(&compaction)
            steps += 1
            let found = try open(disk.crashImage(seed: 0, .everything))
            #expect(found.version == .zero)
            try found.log.close()
        }
        #expect(steps > 2)
        await engine.close()
        let store = try Store(disk)
        try await store.write(0..<20)
        await store.close()
        let again = try Store(disk)
        #expect(again.numbers == Array(0..<20))
        await again.close()
    }

    @Test(arguments: [[0], [0, 1], [2], [2, 3], [0, 1, 2, 3]])
    func aLostSuperblockIsFoundAgainInTheLog(_ lost: [Int]) async throws {
        let disk = MemoryFileSystem()
        do {
            let store = try Store(disk)
            for round in 0..<3 {
                try await store.write(round * 100..<round * 100 + 100)
                try store.engine.checkpoint()
            }
            try await store.write(300..<310)
            await store.close()
        }
        let file = try disk.open(Self.path + "/superblock", .readWrite)
        let zeros = AlignedBuffer(capacity: Superblock.slotSize)
        for slot in lost {
            try file.write(UnsafeRawBufferPointer(zeros.bytes), at: slot * Superblock.slotSize)
        }
        for _ in 0..<2 {
            let store = try Store(disk)
            #expect(store.numbers == Array(0..<310))
            #expect(store.report.commitCount == 10)
            await store.close()
        }
    }

    /// A chunk that is in the page files: the writer appends to it after the checkpoint has visited
    /// it, and before the checkpoint has written its cluster.
    @Test func theWriterAppendsDuringACheckpoint() async throws {
        let disk = MemoryFileSystem()
        let store = try Store(disk)
        try await store.write(0..<10)
        try store.engine.checkpoint()
        let tree = store.engine.tree
        tree.set(.int(12), EngineHarness.item, RowKey(4), ColumnID(1))
        let snapshot = tree.capture(version: Version(99))
        var hasAppended = false
        let checkpointer = try #require(store.engine.checkpoints?.checkpointer)
        let written = try checkpointer.write(
            snapshot,
            pace: { _ in
                if hasAppended { return }
                hasAppended = true
                let key = tree.createRow(EngineHarness.item)
                tree.writer(EngineHarness.item, key)?.setInt(0, 77)
            })
        checkpointer.install(written)
        #expect(hasAppended)
        await store.close()
    }

    @Test func damageToANodeIsReportedAndNeverReadAsData() async throws {
        let disk = MemoryFileSystem()
        do {
            let store = try Store(disk)
            try await store.write(0..<600)
            try store.engine.checkpoint()
            await store.close()
        }
        let name = try #require(try disk.list(Self.path + "/pages").first)
        let file = try disk.open(Self.path + "/pages/" + name, .readWrite)
        let length = try file.size().length
        let byte = AlignedBuffer(capacity: 1)
        var unseen = 0
        for offset in stride(from: PageSegmentHeader.size + 5, to: length, by: 977) {
            _ = try file.read(into: byte.bytes.slice(0..<1), at: offset)
            byte.bytes[0] ^= 0x10
            try file.write(UnsafeRawBufferPointer(byte.bytes).slice(0..<1), at: offset)
            do {
                let store = try Store(disk)
                let numbers = store.numbers
                if store.engine.failure == nil {
                    #expect(numbers == Array(0..<600))
                    unseen += 1
                }
                await store.close()
            } catch let error as StorageError {
                guard case .corrupted = error else { throw error }
            }
            byte.bytes[0] ^= 0x10
            try file.write(UnsafeRawBufferPointer(byte.bytes).slice(0..<1), at: offset)
        }
        // Nodes of the index and texts were not read.
        #expect(unseen < length / 977)
    }
}

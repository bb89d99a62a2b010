import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Log files that are missing, were never written or cannot be opened, and new stores that cannot
/// be written.
extension SalvageTests {
    private func rescue(
        _ files: any FileSystem, to destination: String = "new.realm",
        _ monitor: ReadingMonitor = ReadingMonitor()
    ) throws -> SalvageOutcome {
        var salvage = StoreSalvage(
            fileSystem: files, directory: Self.path, destination: destination)
        salvage.options = .small
        return try salvage.run(monitor)
    }

    private func segmentCount(_ files: any FileSystem) throws -> UInt32 {
        let names = try files.list(Self.path + "/log").filter { $0.hasSuffix(".log") }
        return UInt32(names.count)
    }

    // The position in such a file cut off the log before it.
    @Test(arguments: [true, false])
    func aSpareInBlocksOfAnOlderSegmentIsSkipped(hasHeader: Bool) throws {
        let files = MemoryFileSystem()
        let rows = try makeStore(files)
        var bytes = try contents(files, segment(2))
        if !hasHeader { for offset in 0..<SegmentHeader.size { bytes[offset] = 0 } }
        let spare = segment(try segmentCount(files) + 1)
        _ = try files.open(spare, .create)
        try write(bytes, files, spare, at: 0)
        let (outcome, found) = try salvage(files)
        #expect(found == rows && outcome.isComplete, "\(outcome)")
    }

    // The log was considered complete.
    @Test func aLogThatEndsTooEarlyHasAGap() throws {
        let files = MemoryFileSystem()
        _ = try makeStore(files)
        try files.remove(segment(try segmentCount(files)))
        let (outcome, _) = try salvage(files)
        #expect(outcome.gaps == 1 && !outcome.isComplete)
    }

    // It ended the salvage.
    @Test func aSegmentThatCannotBeOpenedIsLost() throws {
        let files = MemoryFileSystem()
        let rows = try makeStore(files)
        try files.remove(segment(2))
        try files.createDirectory(segment(2))
        let outcome = try rescue(files)
        let count = outcome.rows[S.item] ?? 0
        #expect(count > rows.count / 2 && count < rows.count && outcome.gaps == 1)
        #expect(outcome.lostRanges == [SalvageOutcome.LostRange(whole: segment(2))])
    }

    // It ended the salvage.
    @Test func withoutALogThePageFilesAreRead() throws {
        let files = MemoryFileSystem()
        let tree = WorkingTree(schema: S.schema, account: NodeAccount())
        for number in Int64(0)..<300 {
            let key = tree.createRow(S.item)
            tree.writer(S.item, key)?.setInt(S.number, number)
        }
        let version = tree.capture(version: Version.zero.next)
        try StoreCopy(of: version, to: files, directory: Self.path).write()
        let log = Self.path + "/log"
        for name in try files.list(log) { try files.remove(log + "/" + name) }
        try files.remove(log)
        let outcome = try rescue(files)
        #expect(outcome.rows[S.item] == 300 && outcome.gaps == 1)
        #expect(outcome.lostRanges == [SalvageOutcome.LostRange(whole: log)])
    }

    // What was created at the destination stayed, and looked like a store without objects.
    @Test func aSalvageThatFailsLeavesNoPartOfAStore() throws {
        let disk = SimulatedDisk()
        let rows = try makeStore(disk, commits: 3)
        disk.resetCalls()
        #expect(try rescue(disk, to: "whole.realm").rows[S.item] == rows.count)
        var failures = 0
        for call in 1...disk.callCount {
            let destination = "new\(call).realm"
            disk.resetCalls()
            disk.inject(.init(.inputOutput, call: call))
            let outcome = try? rescue(disk, to: destination)
            disk.resetCalls()
            if outcome == nil { failures += 1 }
            guard try disk.list(".").contains(destination) else { continue }
            var opening = StoreOpening(fileSystem: disk, directory: destination)
            opening.options = .small
            let opened = try opening.open(account: NodeAccount()) { $0 }
            let isEmpty = opened.tree.schema.classes.isEmpty
            let count = isEmpty ? 0 : opened.tree.view.classView(S.item).count
            // The failing call may be the last one, when the store already exists.
            let expected = outcome.map { $0.rows[S.item] ?? 0 } ?? rows.count
            #expect(count == expected, "call \(call)")
            try opened.log.close()
        }
        #expect(failures > 10)
        #expect(try disk.list(".").filter { $0.contains(".copying-") } == [])
    }

    @Test func theProgressAscends() throws {
        let files = MemoryFileSystem()
        _ = try makeStore(files, commits: 10)
        let parts = Mutex<[Double]>([])
        _ = try rescue(files, ReadingMonitor { part in parts.withLock { $0.append(part) } })
        let reported = parts.withLock { $0 }
        #expect(reported.last == 1 && zip(reported, reported.dropFirst()).allSatisfy { $0 <= $1 })
    }

    // The number of keys that were tried with every possible frame was not limited, and the search
    // could not be cancelled.
    @Test func bytesThatPassForEpochsAreTriedWithinLimits() throws {
        let files = MemoryFileSystem()
        var bytes: [UInt8] = []
        for number in 0..<2 * SalvagedSegment.saltsMax {
            let (low, high) = (UInt8(truncatingIfNeeded: number), UInt8(number >> 8))
            bytes += [FrameKind.epoch.rawValue, low, high, 0, UInt8(EpochPayload.size), 0, 0, 0]
        }
        _ = try files.open(segment(1), .create)
        try write(bytes, files, segment(1), at: 0)
        let hostile = try SalvagedSegment(segment(1), files)
        var salts: Set<Bits128> = []
        try hostile.addSalts(to: &salts, ReadingMonitor())
        #expect(salts.count == SalvagedSegment.saltsMax)
        let cancelled = ReadingMonitor()
        cancelled.cancel()
        #expect(throws: CancellationError.self) {
            _ = try hostile.frames(FrameReader(.zero), cancelled)
        }
        let sound = MemoryFileSystem()
        _ = try makeStore(sound, commits: 3)
        #expect(throws: CancellationError.self) { try rescue(sound, cancelled) }
    }
}

import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Read-only openings while another process writes and ends.
@Suite struct ReadOnlyOpeningTests {
    /// What the other process does during an opening.
    enum WriterAction: CaseIterable, Sendable {
        case compact, append, remove, replace
    }

    private static func open(
        _ files: any FileSystem, _ tune: (inout LogOptions) -> Void = { _ in }
    ) throws -> StoreProcess {
        try StoreProcess(files) { options in
            StoreProcess.smallPages(&options)
            tune(&options)
        }
    }

    /// Moves the end of the log and the tree to files that did not exist before.
    private static func perform(_ action: WriterAction, _ disk: SimulatedDisk) throws {
        let directory = StoreDirectory(fileSystem: disk, path: "store.realm")
        if action == .remove || action == .replace { try directory.removeStore() }
        if action == .remove { return }
        let process = try open(disk)
        try process.insert(1_000..<1_100)
        if action == .compact {
            try process.write { _ in process.delete(0..<150) }
            try process.compact(isFull: true)
            try process.insert(2_000..<2_050)
        }
        // Without waiting for its threads, since it has none.
        try process.log.close()
    }

    /// The lock was checked once, at the start: if a later writer removed files, the store was
    /// reported as damaged.
    @Test(arguments: WriterAction.allCases)
    func aWriterDuringAnOpeningIsNotDamage(action: WriterAction) async throws {
        let original = SimulatedDisk()
        let first = try Self.open(original)
        try first.insert(0..<200)
        try first.engine.checkpoint()
        try first.insert(200..<300)
        await first.close()
        let before = first.numbers
        var seen: [[Int64]?: Int] = [:]
        var call = 0
        while true {
            call += 1
            let disk = original.crashImage(seed: 0, .everything)
            let calls = Mutex(0)
            let isDone = Mutex(false)
            disk.observe { [call] seen in
                guard seen.moment == .before else { return }
                let isNow = calls.withLock { calls in
                    calls += 1
                    return calls == call
                }
                guard isNow else { return }
                isDone.withLock { $0 = true }
                disk.observe(nil)
                #expect(throws: Never.self) { try Self.perform(action, disk) }
            }
            do {
                let reader = try Self.open(disk) { $0.readOnly = true }
                seen[reader.numbers, default: 0] += 1
            } catch StorageError.fileNotFound {
                seen[nil, default: 0] += 1
            } catch {
                Issue.record("\(error), call \(call)")
            }
            if !isDone.withLock({ $0 }) { break }
        }
        #expect(seen[before, default: 0] > 0)
        switch action {
        case .compact:
            // The contents after any of its commits.
            let counts = [300, 400, 250]
            #expect(
                seen.keys.allSatisfy { counts.contains($0?.count ?? 0) },
                "\(seen.keys.map { $0?.count })")
        case .append: #expect(seen.keys.allSatisfy { $0 == before || $0?.count == 400 })
        case .remove: #expect(seen.keys.allSatisfy { $0 == before || $0 == nil })
        case .replace:
            #expect(seen.keys.allSatisfy { $0 == before || $0 == nil || $0?.count == 100 })
        }
        #expect(seen.count > 1 && call > 10, "\(seen.mapValues { $0 }), \(call)")
    }

    /// An opening for writing removes segments that a transaction had allocated and not used, and
    /// changes nothing else: an opening that had listed them, and was about to read one, failed.
    @Test func aWriterThatRemovesUnusedSegmentsIsNotAFailure() async throws {
        let original = SimulatedDisk()
        let first = try Self.open(original)
        try first.insert(0..<200)
        await first.close()
        let segments = try original.list("store.realm/log").compactMap {
            SegmentIndex(fileName: $0)
        }
        let last = try #require(segments.max()).rawValue
        for number in last + 1...last + 4 {
            let path = "store.realm/log/" + SegmentIndex(number).fileName
            try original.open(path, .create).writeZeros(from: 0, to: 8_192)
        }
        var call = 0
        var isOver = false
        while !isOver {
            call += 1
            let disk = original.crashImage(seed: 0, .everything)
            let calls = Mutex(0)
            disk.observe { [call] seen in
                guard seen.moment == .before else { return }
                let isNow = calls.withLock { calls in
                    calls += 1
                    return calls == call
                }
                guard isNow else { return }
                disk.observe(nil)
                #expect(throws: Never.self) { try Self.open(disk).log.close() }
            }
            let reader = try Self.open(disk) { $0.readOnly = true }
            #expect(reader.numbers == first.numbers)
            isOver = calls.withLock { $0 < call }
            disk.observe(nil)
        }
        #expect(call > 10)
    }
}

import StorageHarness
import Testing

@testable import Storage

/// The positions of readers of the history: which part of the log they retain, and the checks of
/// the position in a token.
@Suite struct HistoryPlaceTests {
    private final class Reader {}

    /// A row with a text that can be searched for in files.
    private func insert(_ number: Int64, _ text: String, into process: StoreProcess) throws {
        try process.write { tree in
            let key = tree.createRow(StoreProcess.item)
            tree.set(.int(number), StoreProcess.item, key, StoreProcess.number)
            tree.set(.string(text), StoreProcess.item, key, StoreProcess.text)
        }
    }

    /// The log was retained for a reader that had read all of it, with values that compaction had
    /// to erase.
    @Test(arguments: [false, true])
    func aReaderAtTheEndRetainsNoDeletedValues(hasRead: Bool) async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        let secret = "a secret that takes the heap"
        let reader = Reader()
        var cursor = try HistoryCursor(latestOf: process.engine)
        process.engine.keepHistory(for: ObjectIdentifier(reader), from: cursor)
        try insert(1, secret, into: process)
        try process.write { _ in process.delete([1]) }
        if hasRead {
            while try cursor.next(of: process.engine) != nil {}
        } else {
            cursor = try HistoryCursor(latestOf: process.engine)
        }
        process.engine.keepHistory(for: ObjectIdentifier(reader), from: cursor)
        #expect(cursor.version == process.engine.tip)
        // With frames after those that were read.
        try process.engine.checkpoint(for: .replay, isForced: true)
        for _ in 0..<2 {
            try process.compact(isFull: true)
            #expect(disk.files(holding: secret) == [])
        }
        // The next commits are read, even if they are in another segment by then.
        for number in Int64(2)..<5 {
            try insert(number, "next", into: process)
            if number == 3 { try process.compact(isFull: true) }
        }
        var versions: [Version] = []
        while let commits = try cursor.next(of: process.engine) {
            versions += commits.map(\.version)
            process.engine.keepHistory(for: ObjectIdentifier(reader), from: cursor)
        }
        let tip = process.engine.tip.rawValue
        #expect(versions.map(\.rawValue) == [tip - 2, tip - 1, tip])
        #expect(process.engine.failure == nil)
        await process.close()
    }

    /// A reader that is behind still retains the log.
    @Test func aReaderBehindRetainsTheLog() async throws {
        let process = try StoreProcess(SimulatedDisk())
        let reader = Reader()
        var cursor = try HistoryCursor(latestOf: process.engine)
        process.engine.keepHistory(for: ObjectIdentifier(reader), from: cursor)
        try process.insert(1)
        try process.compact(isFull: true)
        try process.insert(2)
        try process.compact(isFull: true)
        var count = 0
        while let commits = try cursor.next(of: process.engine) { count += commits.count }
        #expect(count == 2)
        await process.close()
    }

    /// As many large commits as small ones were read ahead: gigabytes for each reader that was
    /// behind.
    @Test func largeCommitsAreReadAheadByTheirBytes() async throws {
        let process = try StoreProcess(SimulatedDisk()) { options in
            options.segmentSizeMax = 1 << 20
        }
        try process.insert(5_000)
        let start = process.engine.latest.version
        for number in 0..<12 as Range<Int64> {
            try process.insert(number * 100..<number * 100 + 100, textLength: 3_000)
        }
        var cursor = try HistoryCursor(behind: start, of: process.engine)
        var versions: [[Version]] = []
        while let commits = try cursor.next(of: process.engine, atLeast: 256) {
            versions.append(commits.map(\.version))
        }
        #expect(versions.allSatisfy { $0.count <= 4 }, "\(versions.map(\.count))")
        #expect(versions.joined().map(\.rawValue) == (1...12).map { start.rawValue + $0 })
        await process.close()
    }

    /// A commit of a store that has texts in place of this one's numbers.
    private static func foreignCommit(_ version: Version) throws -> CommitGroupBuffer {
        let schema = StoreSchema(classes: [
            ClassSchema(name: "Item", columns: [ColumnSchema(name: "number", kind: .string)])
        ])
        let tree = WorkingTree(schema: schema, account: NodeAccount())
        let key = tree.createRow(StoreProcess.item)
        _ = tree.takeDelta()
        let before = tree.capture(version: version)
        defer { withExtendedLifetime(before) {} }
        tree.set(.string("text"), StoreProcess.item, key, StoreProcess.number)
        let delta = tree.takeDelta()
        let group = CommitGroupBuffer()
        group.onlyDeletes = false
        try group.append(version: version) { (writer) throws(StorageError) in
            CommitRecord.encode(
                delta, of: tree, before: before.view, author: nil, schema: schema, time: 1,
                into: &writer)
        }
        return group
    }

    /// A record describes the kinds of its values. Replay compares that with the store, but before
    /// a checkpoint nothing did, and the process ended when a past version got texts in a column of
    /// numbers.
    @Test func aCommitWithTheSchemaOfAnotherStoreIsDamage() async throws {
        let process = try StoreProcess(SimulatedDisk())
        try process.insert(1)
        let start = process.engine.latest.version
        // No other commit gets the number of a disclosed version.
        try process.engine.beginBody()
        let version = process.engine.nextVersion
        process.engine.endBody(nil, waiter: .nobody)
        try process.log.append(Self.foreignCommit(version))
        try process.insert(2)
        for begin in [start, version] {
            do throws(HistoryError) {
                var cursor = try HistoryCursor(behind: begin, of: process.engine)
                _ = try cursor.next(of: process.engine)
                Issue.record("behind \(begin) it was read")
            } catch {
                guard case .storage(.corrupted) = error else {
                    Issue.record("behind \(begin): \(error)")
                    continue
                }
            }
        }
        await process.close()
    }

    /// A token of the version before the start of the log was accepted whatever its life was.
    @Test func aTokenAtTheStartOfTheLogMustHaveItsLife() async throws {
        let process = try StoreProcess(SimulatedDisk())
        let first = process.engine.latest
        try process.insert(1)
        // Before the first commit there was no life.
        #expect(throws: HistoryError.self) {
            _ = try HistoryCursor(behind: .zero, life: 77, of: process.engine)
        }
        _ = try HistoryCursor(behind: .zero, life: 0, of: process.engine)
        // Determined from its commit.
        #expect(throws: HistoryError.self) {
            _ = try HistoryCursor(behind: first.version, life: 77, of: process.engine)
        }
        let kept = process.engine.latest
        try process.compact(isFull: true)
        for number in Int64(2)..<6 {
            try process.insert(number)
            var cursor = try HistoryCursor(
                behind: kept.version, life: kept.life, of: process.engine)
            let next = try cursor.next(of: process.engine)
            #expect(next?.first?.version == kept.version.next)
            #expect(throws: HistoryError.self) {
                _ = try HistoryCursor(
                    behind: kept.version, life: kept.life ^ 1, of: process.engine)
            }
            // Without a life, as in tokens of earlier releases, any commit is accepted.
            _ = try HistoryCursor(behind: kept.version, of: process.engine)
            if number == 3 { try process.engine.checkpoint(for: .replay, isForced: true) }
        }
        await process.close()
    }

    /// After a crash has lost a commit, no other commit gets its number if it was disclosed.
    @Test func aTokenOfACommitThatIsNotThereIsRefused() async throws {
        let disk = SimulatedDisk()
        var store = try EngineHarness(disk, durability: .written)
        try await store.write(1)
        try (store.engine.log as? Log)?.sync()
        try await store.write(2)
        let lost = store.engine.latest
        disk.crash(seed: 1, .nothing)
        store = try EngineHarness(disk, durability: .written)
        // A transaction that is rolled back discloses the number.
        try store.engine.beginBody()
        _ = store.engine.tree.createRow(EngineHarness.item)
        #expect(store.engine.captureBody().version == lost.version)
        store.engine.rollBack()
        store.engine.endBody(nil, waiter: .nobody)
        try await store.write(3)
        #expect(store.engine.latest.version == lost.version.next)
        #expect(throws: HistoryError.self) {
            _ = try HistoryCursor(behind: lost.version, life: lost.life, of: store.engine)
        }
        await store.close()
    }
}

extension SimulatedDisk {
    /// The files that contain a text.
    func files(holding text: String) -> [String] {
        files.map(\.path).filter { path in
            guard let file = try? open(path, .readOnly), let size = try? file.size().length,
                size > 0
            else { return false }
            let buffer = AlignedBuffer(capacity: size)
            guard (try? file.read(into: buffer.bytes.slice(0..<size), at: 0)) == size else {
                return false
            }
            return String(decoding: buffer.bytes.slice(0..<size), as: UTF8.self).contains(text)
        }
    }
}

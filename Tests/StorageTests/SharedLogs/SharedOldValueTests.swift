import StorageHarness
import Testing

@testable import Storage

/// Old values on a host with a full disk.
@Suite struct SharedOldValueTests {
    private static let item = HarnessSchema.item
    private static let history = HistoryPolicy.bytes(64 << 20)

    /// Commits a row with a number and a long text; returns its key.
    private static func add(_ number: Int64, to host: SharedHost) async throws -> RowKey {
        var made = RowKey(0)
        try await host.commit { tree in
            made = tree.createRow(item)
            tree.set(.int(number), item, made, ColumnID(0))
            let text = "text \(number) " + String(repeating: "long ", count: 200)
            tree.set(.string(text), item, made, ColumnID(2))
        }
        return made
    }

    /// The commits that a folder has after a version.
    private static func commits(
        of host: SharedHost, behind version: Version
    ) throws -> [LoggedCommit] {
        var cursor = try HistoryCursor(behind: version, of: host.store.engine)
        var commits: [LoggedCommit] = []
        while let group = try cursor.next(of: host.store.engine) { commits += group }
        return commits
    }

    /// The commit was without old values on all hosts.
    @Test func aDeletionOnAFullDiskHasOldValuesForOtherHosts() async throws {
        let engine = MemorySharedLog.Engine()
        let disk = SimulatedDisk()
        let full = try SharedHost(MemorySharedLog(engine), disk, history: Self.history)
        let other = try SharedHost(MemorySharedLog(engine), history: Self.history)
        var keys: [RowKey] = []
        for number in Int64(0)..<200 { keys.append(try await Self.add(number, to: full)) }
        disk.limit(to: disk.usedBytes)
        // Afterwards it is known that the disk is full.
        while !full.store.engine.isRefusing {
            try #require(keys.count < 5_000)
            do {
                keys.append(try await Self.add(Int64(keys.count), to: full))
            } catch StorageError.outOfSpace {}
        }
        let start = full.store.engine.latest.version
        let deleted = keys
        try await full.commit { tree in tree.delete(Self.item, deleted) }
        #expect(full.numbers.isEmpty)
        try await other.store.refreshFromHosts()
        #expect(other.numbers.isEmpty)

        // All of it does not fit into the reserve of the full disk.
        let local = try Self.commits(of: full, behind: start)
        #expect(local.map(\.hasOldValues) == [false])
        let shared = try Self.commits(of: other, behind: start)
        #expect(shared.map(\.hasOldValues) == [true])
        #expect(shared.map(\.version) == local.map(\.version))
        #expect(shared.first?.classes.first?.deletedValues.count == deleted.count)

        disk.limit(to: nil)
        _ = try await Self.add(1, to: full)
        try await other.store.refreshFromHosts()
        for host in [full, other] {
            #expect(host.numbers == [1])
            #expect(try host.store.engine.verify(ReadingMonitor()).problems.isEmpty)
            try await host.store.close()
        }
        let again = try SharedHost(MemorySharedLog(engine), disk, history: Self.history)
        #expect(again.numbers == [1])
        try await again.store.close()
    }
}

import StorageHarness
import Testing

@testable import Storage

/// Hosts that are killed, so that their folders have commits after the position that they recorded.
@Suite struct KilledHostTests {
    /// A host that was killed after its last commit, which the log has lost since.
    private struct Loss {
        let engine = MemorySharedLog.Engine()
        let host: SharedHost
        /// A host that has everything but the lost commit.
        let other: SharedHost
        /// The folder of the killed host.
        let killed: SimulatedDisk

        /// - Parameter time: the time of its commits.
        init(at time: Double) async throws {
            let disk = SimulatedDisk()
            host = try SharedHost(MemorySharedLog(engine), disk)
            other = try SharedHost(MemorySharedLog(engine))
            try await host.write(1, at: time)
            try await other.store.refreshFromHosts()
            try await host.write(2, at: time)
            killed = disk.crashImage(seed: 1, .everything)
            // It opens as long as the log has the commit.
            let kept = disk.crashImage(seed: 1, .everything)
            let again = try SharedHost(MemorySharedLog(engine), kept)
            #expect(again.numbers == [1, 2])
            try await again.store.close()
            engine.loseEntries(from: try #require(host.journal.cursor.next.previous))
        }

        func expectDivergence() throws {
            #expect {
                _ = try SharedHost(MemorySharedLog(engine), killed)
            } throws: { error in
                if case StorageError.sharedLogDiverged = error { true } else { false }
            }
            #expect(try SharedHost.contents(killed) == [1, 2])
        }

        func close() async throws {
            for host in [host, other] { try await host.store.close() }
        }
    }

    /// The other commit was skipped, since the folder had one of its version, and the next one was
    /// applied on top of the lost one.
    @Test func anotherCommitOfTheSameVersionIsFound() async throws {
        let loss = try await Loss(at: 1)
        try await loss.other.write(3, at: 2)
        try await loss.other.write(4, at: 3)
        try loss.expectDivergence()
        try await loss.close()
    }

    /// All commits of a group were applied if the folder did not have the last one.
    @Test func aGroupThatBeginsWithAnotherCommitIsFound() async throws {
        let loss = try await Loss(at: 0)
        let cursor = loss.other.journal.cursor
        let buffer = CommitGroupBuffer()
        for version in [cursor.version.next, cursor.version.next.next] {
            try buffer.append(version: version) { writer throws(StorageError) in
                CommitRecord.encodeHeader(0, author: nil, schema: nil, time: 0, into: &writer)
                writer.writeVarint(0)
            }
        }
        let group = SharedGroup(buffer, of: .random())
        let entry = SharedEntry(
            kind: .group, realm: try #require(cursor.realm), slot: cursor.next,
            epoch: cursor.epoch + 1, host: group.host, firstVersion: group.firstVersion.rawValue,
            lastVersion: group.lastVersion.rawValue, previousHash: cursor.hash,
            payload: group.payload)
        let log = MemorySharedLog(loss.engine)
        let isAppended = try log.append(entry.encoded(nil), at: cursor.next)
        #expect(isAppended)
        try loss.expectDivergence()
        try await loss.close()
    }
}

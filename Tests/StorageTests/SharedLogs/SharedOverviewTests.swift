import Testing

@testable import Storage

/// The overview of a shared log.
@Suite struct SharedOverviewTests {
    /// It was counted as a commit, even if the remaining parts never followed.
    @Test func aPartOfACommitIsNotAVersion() async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        let host = try SharedHost(MemorySharedLog(engine))
        try await host.write(1)
        let cursor = host.journal.cursor
        let (realm, other) = (try #require(cursor.realm), Bits128.random())
        let next = cursor.version.next.rawValue
        let piece = SharedEntry(
            kind: .part, realm: realm, slot: cursor.next, epoch: 1, host: other,
            firstVersion: next, lastVersion: next, previousHash: cursor.hash, payload: [1])
        #expect(try log.append(piece.encoded(nil), at: cursor.next))
        let overview = try SharedLogOverview(of: log, entries: 9, monitor: ReadingMonitor())
        #expect(overview.newest?.versionBehind == cursor.version.rawValue)
        #expect(overview.hosts.map(\.host) == [other, host.journal.host])
        #expect(overview.hosts.allSatisfy { $0.version == cursor.version })
        try await host.store.close()
    }
}

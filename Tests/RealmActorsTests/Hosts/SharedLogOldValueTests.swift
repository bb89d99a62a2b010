import RealmActors
import Storage
import StorageHarness
import Testing

/// Whether a commit has old values is the same on every host.
@Suite struct SharedLogOldValueTests {
    private static func host(
        _ path: String, _ engine: MemorySharedLog.Engine, keepsHistory: Bool
    ) -> Realm.Configuration {
        var host = configuration(path, engine)
        if keepsHistory { host.history = .keep(bytes: 64 << 20) }
        return host
    }

    /// Makes three commits: inserts a mark, edits it, and deletes it.
    private static func change(_ realm: Realm) async throws {
        try await realm.write { tx in
            _ = try tx.create(Mark.self, value: ["number": 7, "weight": 1])
        }
        try await realm.write { tx in
            let mark = try #require(tx.objects(Mark.self).first)
            mark.weight += 1
        }
        try await realm.write { tx in try tx.deleteAll(Mark.self) }
    }

    /// Expects that the commits of ``change(_:)`` have old values, or that none has.
    private static func check(_ commits: [RealmCommit], haveOldValues: Bool) {
        let count = commits.count / 3
        #expect(count > 0)
        #expect(commits.map(\.hasOldValues) == Array(repeating: haveOldValues, count: 3 * count))
        let edits = commits.flatMap { $0.modifications(of: Mark.self) }
        let edited: [String: CommitValue] = haveOldValues ? ["weight": .value(1)] : [:]
        #expect(edits.map(\.oldValues) == Array(repeating: edited, count: count))
        let deletions = commits.flatMap { $0.deletions(of: Mark.self) }
        let deleted: [String: CommitValue] =
            haveOldValues ? ["number": .value(7), "weight": .value(2)] : [:]
        #expect(deletions.map(\.oldValues) == Array(repeating: deleted, count: count))
    }

    /// Without a kept history, other hosts got old values while the writing host had a listener.
    @Test(arguments: [false, true])
    func thePolicyDecidesWhoeverListens(keepsHistory: Bool) async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let writer = try await Realm.open(
                Self.host(path + "-1", engine, keepsHistory: keepsHistory))
            let reader = try await Realm.open(
                Self.host(path + "-2", engine, keepsHistory: keepsHistory))
            let start = writer.snapshot().changeToken
            try await Self.change(writer)
            var listener: RealmChanges.AsyncIterator? = writer.commits().makeAsyncIterator()
            try await Self.change(writer)
            Self.check(try await take(3, &listener!), haveOldValues: keepsHistory)
            listener = nil
            try await Self.change(writer)
            _ = try await reader.refreshed(.toNewest)
            for realm in [writer, reader] {
                let commits = try await realm.collectedPastCommits(since: start)
                #expect(commits.count == 9)
                Self.check(commits, haveOldValues: keepsHistory)
                try await realm.close()
            }
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    @Test func theHistoryOfTheHostThatCommitsDecides() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let keeping = try await Realm.open(Self.host(path + "-1", engine, keepsHistory: true))
            let other = try await Realm.open(Self.host(path + "-2", engine, keepsHistory: false))
            let start = keeping.snapshot().changeToken
            try await Self.change(keeping)
            _ = try await other.refreshed(.toNewest)
            try await Self.change(other)
            _ = try await keeping.refreshed(.toNewest)
            for realm in [keeping, other] {
                let commits = try await realm.collectedPastCommits(since: start)
                #expect(commits.count == 6)
                Self.check(Array(commits.prefix(3)), haveOldValues: true)
                Self.check(Array(commits.dropFirst(3)), haveOldValues: false)
                try await realm.close()
            }
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }
}

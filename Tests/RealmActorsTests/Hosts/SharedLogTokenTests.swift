import Foundation
import RealmActors
import Storage
import StorageHarness
import Testing

/// A place in the history of a realm on a shared log is the same one on every host.
@Suite struct SharedLogTokenTests {
    private static func add(_ number: Int, to realm: Realm) async throws {
        try await realm.write(author: "\(number)") { tx in
            _ = try tx.create(Mark.self, value: ["number": number])
        }
    }

    @Test func aTokenGoesOnOnEveryHost() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let first = try await Realm.open(configuration(path + "-1", engine))
            let second = try await Realm.open(configuration(path + "-2", engine))
            for number in 0..<6 {
                try await Self.add(number, to: number.isMultiple(of: 2) ? first : second)
            }
            _ = try await first.refreshed(.toNewest)
            let start = first.changeToken(behind: Realm.Version(rawValue: 0))
            let all = try await first.collectedPastCommits(since: start)
            #expect(all.map(\.author) == (0..<6).map { "\($0)" })
            // A host that begins now has read the log, and its folder all of the history.
            let third = try await Realm.open(configuration(path + "-3", engine))
            for (index, commit) in all.enumerated() {
                let stored = try JSONEncoder().encode(commit.token)
                let token = try JSONDecoder().decode(ChangeToken.self, from: stored)
                for realm in [first, second, third] {
                    let rest = try await realm.collectedPastCommits(since: token)
                    #expect(rest.map(\.token) == all.dropFirst(index + 1).map(\.token))
                    #expect(rest.map(\.author) == all.dropFirst(index + 1).map(\.author))
                }
            }
            #expect(first.snapshot().changeToken == third.snapshot().changeToken)
            for realm in [first, second, third] { try await realm.close() }
            for number in 1...3 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    /// Also where that has not yet read what the token stands behind.
    @Test func aTokenThatIsAheadOfAHostWaitsForIt() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let first = try await Realm.open(configuration(path + "-1", engine))
            let second = try await Realm.open(configuration(path + "-2", engine))
            for number in 1...20 {
                try await Self.add(number, to: first)
                let token = first.snapshot().changeToken
                #expect(try await second.collectedPastCommits(since: token).isEmpty)
                try await second.write(ifUnchangedSince: token) { tx in
                    _ = try tx.create(Mark.self, value: ["number": -number])
                }
                await #expect(throws: RealmError.self) {
                    try await first.write(ifUnchangedSince: token) { tx in
                        _ = try tx.create(Mark.self, value: ["number": 100 + number])
                    }
                }
            }
            for realm in [first, second] { try await realm.close() }
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    /// A process that follows the folder has the same history.
    @Test func aTokenGoesOnInAFollower() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let first = try await Realm.open(configuration(path + "-1", engine))
            let second = try await Realm.open(configuration(path + "-2", engine))
            try await Self.add(1, to: first)
            let token = first.snapshot().changeToken
            try await Self.add(2, to: first)
            _ = try await second.refreshed(.toNewest)
            try await second.close()
            var reading = configuration(path + "-2", engine)
            reading.readOnly = true
            let follower = try await Realm.open(reading)
            #expect(try await follower.collectedPastCommits(since: token).map(\.author) == ["2"])
            #expect(follower.snapshot().changeToken == first.snapshot().changeToken)
            for realm in [follower, first] { try await realm.close() }
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    @Test func aTokenOfAnotherRealmIsRefused() async throws {
        try await withStorePath { path in
            let realms = [
                try await Realm.open(configuration(path + "-1", MemorySharedLog.Engine())),
                try await Realm.open(configuration(path + "-2", MemorySharedLog.Engine())),
            ]
            let token = realms[0].snapshot().changeToken
            await #expect(throws: RealmError.self) {
                _ = try await realms[1].collectedPastCommits(since: token)
            }
            for realm in realms { try await realm.close() }
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }
}

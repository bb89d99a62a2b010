import Foundation
import RealmActors
import Testing

/// What a version is known by.
@Suite struct VersionNameTests {
    final class Leaf: Object {
        @Persisted var number: Int
    }

    /// A token of a rolled back transaction identified the next commit, too: a conditional write
    /// ran although something had changed.
    @Test func aTokenOfWhatWasGivenUpIsNoCommits() async throws {
        try await withFreshRealm([Leaf.self]) { realm in
            try await realm.write { tx in try tx.create(Leaf.self, value: ["number": 1]) }
            let (token, version) = try await realm.write { tx in
                let leaf = try tx.create(Leaf.self, value: ["number": 2])
                let token = leaf.freeze().snapshot.changeToken
                let version = tx.version
                tx.cancel()
                return (token, version)
            }
            try await realm.write { tx in try tx.create(Leaf.self, value: ["number": 3]) }
            #expect(realm.latestVersion > version)
            await #expect(throws: RealmError.self) {
                try await realm.write(ifUnchangedSince: version) { _ in }
            }
            await #expect(throws: RealmError.self) {
                try await realm.write(ifUnchangedSince: token) { _ in }
            }
            let present = realm.snapshot().changeToken
            try await realm.write(ifUnchangedSince: present) { _ in }
            try await realm.write(ifUnchangedSince: realm.latestVersion) { _ in }
        }
    }

    /// A snapshot from the middle of a write passed for what its commit has made, because both have
    /// the same version: a conditional write ran although the two differ.
    @Test func aSnapshotFromWithinAWriteLacksTheRestOfIt() async throws {
        try await withFreshRealm([Leaf.self]) { realm in
            let (early, late) = try await realm.write { tx in
                let leaf = try tx.create(Leaf.self, value: ["number": 1])
                let early = leaf.freeze().snapshot
                leaf.number = 2
                return (early, leaf.freeze().snapshot)
            }
            #expect(early.version == realm.latestVersion && late.version == realm.latestVersion)
            await #expect(throws: RealmError.self) {
                try await realm.write(ifUnchangedSince: early) { _ in }
            }
            try await realm.write(ifUnchangedSince: late) { _ in }
            try await realm.write(ifUnchangedSince: realm.snapshot()) { _ in }
        }
    }

    /// A token is what it was after it was stored, also one that an earlier release has stored.
    @Test func tokensAreStored() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(path: path, objectTypes: [Leaf.self])
            var realm = try await Realm.open(configuration)
            try await realm.write { tx in try tx.create(Leaf.self, value: ["number": 1]) }
            let token = realm.snapshot().changeToken
            let stored = try JSONEncoder().encode(token)
            try await realm.close()
            realm = try await Realm.open(configuration)
            let found = try JSONDecoder().decode(ChangeToken.self, from: stored)
            #expect(found == token && found == realm.snapshot().changeToken)
            var fields = try #require(
                try JSONSerialization.jsonObject(with: stored) as? [String: Any])
            #expect(fields.removeValue(forKey: "life") != nil)
            let old = try JSONDecoder().decode(
                ChangeToken.self, from: try JSONSerialization.data(withJSONObject: fields))
            try await realm.write(ifUnchangedSince: old) { _ in }
            try await realm.write(ifUnchangedSince: found) { tx in
                try tx.create(Leaf.self, value: ["number": 2])
            }
            await #expect(throws: RealmError.self) {
                try await realm.write(ifUnchangedSince: found) { _ in }
            }
            try await realm.close()
        }
    }
}

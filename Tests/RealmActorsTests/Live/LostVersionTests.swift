import Foundation
import StorageHarness
import Testing

@testable import RealmActors
@testable import Storage

/// Live realms, frozen objects and their holders where a crash has taken a version back: a relaxed
/// store gives its number to another commit.
@Suite @MainActor struct LostVersionTests {
    /// A realm that was opened again after it lost its last commits, objects that were held from a
    /// lost one, and later writes.
    private struct Loss {
        let realm: Realm
        let live: LiveRealm
        /// The lost version, and its first object.
        let snapshot: Snapshot
        let cat: Frozen<LiveCat>

        func add(_ number: Int) async throws {
            try await realm.write { tx in
                try tx.create(LiveCat.self, value: ["number": number])
            }
        }

        var numbers: [Int] { live.objects(LiveCat.self).map(\.number) }
    }

    /// Loses `count` commits behind that of cat 1, which a live realm shows that does not refresh
    /// itself, and opens the realm again.
    private static func lose(_ count: Int) async throws -> Loss {
        let disk = SimulatedDisk()
        var configuration = Realm.Configuration(
            path: "/lost-\(UUID().uuidString).realm", objectTypes: [LiveCat.self],
            durability: .relaxed(every: .seconds(3600)), writeTimeout: nil)
        configuration.fileSystem = disk
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": 1]) }
        try (realm.store.engine.log as? Log)?.sync()
        for number in 0..<count {
            try await realm.write { tx in
                try tx.create(LiveCat.self, value: ["number": 10 + number])
            }
        }
        let live = try await realm.live()
        live.autorefresh = false
        let snapshot = realm.snapshot()
        let cat = try #require(snapshot.objects(LiveCat.self).first)
        #expect(live.objects(LiveCat.self).count == 1 + count)
        disk.crash(seed: 1, .nothing)
        try await realm.reopen()
        #expect(realm.objects(LiveCat.self).map(\.number) == [1])
        return Loss(realm: realm, live: live, snapshot: snapshot, cat: cat)
    }

    /// With as many commits as were lost the live realm took itself for up to date, and with fewer
    /// it waited for versions that it was beyond.
    @Test(arguments: [1, 2, 3], [0, 1, 2]) func aLiveRealmMovesToTheOtherVersion(
        lost: Int, made: Int
    ) async throws {
        for asked in 0..<3 {
            let loss = try await Self.lose(lost)
            for number in 0..<made { try await loss.add(20 + number) }
            let live = loss.live
            let expected = [1] + (0..<made).map { 20 + $0 }
            #expect(live.isBehind)
            var versions = live.changes().makeAsyncIterator()
            switch asked {
            case 0: #expect(live.refresh())
            case 1: #expect(await live.refreshed())
            default: #expect(await live.refreshed(toAtLeast: loss.realm.latestVersion))
            }
            #expect(loss.numbers == expected)
            #expect(await versions.next() == loss.realm.latestVersion)
            #expect(!live.isBehind && !live.refresh())
            #expect(await live.refreshed() == false)
            try await loss.realm.close()
        }
    }

    /// It waits for a number that only the lost version had.
    @Test func waitingForTheNumberOfALostVersionWaitsForTheOther() async throws {
        let loss = try await Self.lose(1)
        let wanted = loss.snapshot.version
        let (realm, live) = (loss.realm, loss.live)
        #expect(realm.latestVersion < wanted)
        let writer = Task.detached {
            try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": 20]) }
        }
        #expect(await live.refreshed(toAtLeast: wanted))
        #expect(loss.numbers == [1, 20])
        _ = try await writer.value
        try await realm.close()
    }

    /// What is frozen of the other version is not in the lost one, whose number is as high.
    @Test func resolvingWhatIsFrozenLeavesTheLostVersion() async throws {
        for way in 0..<2 {
            let loss = try await Self.lose(2)
            try await loss.add(20)
            let frozen = loss.realm.objects(LiveCat.self)
            let last = try #require(frozen.last)
            #expect(last.number == 20)
            if way == 0 {
                #expect(loss.live.resolve(last)?.number == 20)
            } else {
                #expect(frozen.thaw(in: loss.live)?.map(\.number) == [1, 20])
            }
            try await loss.realm.close()
        }
    }

    /// Both versions were one entry: the other one had the lost one's holders, labels and memory.
    @Test("S8: each of two versions with one number is its own")
    func eachOfTwoVersionsWithOneNumberHasItsHolders() async throws {
        let loss = try await Self.lose(1)
        let live = loss.live
        try await loss.add(20)
        let realm = loss.realm
        #expect(realm.latestVersion == loss.snapshot.version)
        let other = realm.snapshot(label: "the other")
        let held = realm.activeVersions
        #expect(held.count == 2 && held.allSatisfy { $0.version == other.version })
        #expect(held.map(\.labels).sorted { $0.count < $1.count } == [[], ["the other"]])
        withExtendedLifetime((other, loss.snapshot, live)) {}
        let (old, new) = (loss.cat, try #require(other.objects(LiveCat.self).first))
        #expect(old.reference == new.reference && old != new)
        #expect(old.withObject { old in new.withObject { old != $0 } })
        try await realm.close()
    }

    /// With a lower number it was refused as one of an open write; with the same it delivered what
    /// became of another object in its place.
    @Test("S8: the stream of an object of a lost version throws", arguments: [0, 1, 2])
    func theStreamOfAnObjectOfALostVersionSaysSo(
        made: Int
    ) async throws {
        let loss = try await Self.lose(2)
        for number in 0..<made { try await loss.add(20 + number) }
        let lost = try #require(loss.snapshot.objects(LiveCat.self).last)
        for cat in [loss.cat, lost] {
            var changes = cat.changes().makeAsyncIterator()
            let error = await #expect(throws: RealmError.self) { try await changes.next() }
            guard case .invalidObject(let text)? = error else {
                Issue.record("expected a refusal, not \(String(describing: error))")
                continue
            }
            #expect(text.contains("rolled back"))
        }
        let cat = try #require(loss.realm.objects(LiveCat.self).first)
        var changes = cat.changes().makeAsyncIterator()
        try await loss.realm.write { tx in tx.resolve(cat)?.age = 7 }
        guard case .change(let changed, _)? = try await changes.next() else {
            Issue.record("expected a change")
            return
        }
        #expect(changed.age == 7)
        try await loss.realm.close()
    }
}

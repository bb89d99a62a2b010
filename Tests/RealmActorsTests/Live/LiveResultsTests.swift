import Observation
import RealmActors
import Storage
import Synchronization
import Testing

final class LiveCat: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var name: String = ""
    @Persisted var age: Int = 0
    @Persisted var mother: LiveCat?
    @Persisted var kittens: List<LiveCat>
}

/// Results and objects of a live realm, on the main actor.
@Suite @MainActor struct LiveResultsTests {
    static func realm(_ count: Int = 10) async throws -> Realm {
        let realm = try await freshRealm([LiveCat.self])
        try await realm.write { tx in
            for number in 0..<count {
                try tx.create(LiveCat.self, value: ["number": number, "age": number])
            }
        }
        return realm
    }

    @Test("Q12: results follow every change inside a write")
    func resultsFollowEveryChangeInsideAWrite() async throws {
        let live = try await Self.realm().live()
        let old = live.objects(LiveCat.self).where { $0.age > 5 }
        #expect(old.count == 4)
        try await live.write {
            live.object(LiveCat.self, forPrimaryKey: 0)?.age = 50
            #expect(old.count == 5)
            #expect(old.first?.number == 0)
            try live.delete(#require(live.object(LiveCat.self, forPrimaryKey: 9)))
            #expect(old.map { $0.number } == [0, 6, 7, 8])
        }
        #expect(old.count == 4)
        #expect(old.sorted(by: \.age, ascending: false).map { $0.age } == [50, 8, 7, 6])
    }

    @Test("Q12: iterating is safe while the results shrink")
    func iterationIsSafeWhileTheResultsShrink() async throws {
        let live = try await Self.realm().live()
        var seen: [Int] = []
        try await live.write {
            for cat in live.objects(LiveCat.self).where({ $0.age < 8 }) {
                seen.append(cat.number)
                cat.age += 100
                if cat.number == 2 {
                    try live.delete(#require(live.object(LiveCat.self, forPrimaryKey: 3)))
                }
            }
        }
        #expect(seen == [0, 1, 2, 4, 5, 6, 7])
        #expect(live.objects(LiveCat.self).where { $0.age >= 100 }.count == 7)
    }

    @Test func resultsStayAtTheirVersionUntilRefresh() async throws {
        let realm = try await Self.realm()
        let live = try await realm.live()
        live.autorefresh = false
        let cats = live.objects(LiveCat.self)
        let first = try #require(cats.first)
        try await realm.write { tx in try tx.deleteAll(LiveCat.self) }
        #expect(cats.count == 10)
        #expect(first.number == 0 && !first.isInvalidated)
        #expect(live.refresh())
        #expect(!live.refresh())
        #expect(cats.isEmpty)
        #expect(first.isInvalidated)
        #expect(first.number == 0)
    }

    @Test("D5, D22: invalidate empties results until they are asked for again")
    func invalidateEmptiesResultsUntilTheyAreAskedAgain() async throws {
        let live = try await Self.realm().live()
        let cats = live.objects(LiveCat.self)
        let first = try #require(cats.first)
        live.invalidate()
        #expect(cats.isInvalidated && cats.isEmpty)
        #expect(first.isInvalidated)
        #expect(live.objects(LiveCat.self).count == 10)
        #expect(cats.isInvalidated && cats.isEmpty && !live.refresh())
    }

    @Test func frozenResultsOfALiveRealmKeepTheirVersion() async throws {
        let live = try await Self.realm().live()
        let frozen = live.objects(LiveCat.self).where { $0.age > 5 }.freeze()
        try await live.write { try live.deleteAll() }
        #expect(frozen.map { $0.age } == [6, 7, 8, 9])
        #expect(live.objects(LiveCat.self).isEmpty)
    }

    @Test func observationTellsOfChangesByTheRealmAndByOthers() async throws {
        let realm = try await Self.realm()
        let live = try await realm.live()
        live.autorefresh = false
        let cat = try #require(live.object(LiveCat.self, forPrimaryKey: 1))
        let notifications = Mutex(0)
        func track() {
            withObservationTracking {
                _ = cat.age
            } onChange: {
                notifications.withLock { $0 += 1 }
            }
        }
        track()
        try await live.write { cat.name = "other property" }
        #expect(notifications.withLock { $0 } == 0)
        try await live.write { cat.age = 7 }
        #expect(notifications.withLock { $0 } == 1)
        track()
        try await realm.write { tx in tx.object(LiveCat.self, forPrimaryKey: 1)?.age = 8 }
        #expect(notifications.withLock { $0 } == 1)
        live.refresh()
        #expect(notifications.withLock { $0 } == 2)
        #expect(cat.age == 8)
    }

    @Test func linksAndListsWorkLive() async throws {
        let live = try await Self.realm().live()
        let mother = try #require(live.object(LiveCat.self, forPrimaryKey: 0))
        try await live.write {
            for number in 1...3 {
                let kitten = try #require(live.object(LiveCat.self, forPrimaryKey: number))
                kitten.mother = mother
                mother.kittens.append(kitten)
            }
            mother.kittens.swapAt(0, 2)
        }
        #expect(mother.kittens.map { $0.number } == [3, 2, 1])
        #expect(live.objects(LiveCat.self).where { $0.mother.number == 0 }.count == 3)
        try await live.write { try live.delete(mother) }
        #expect(live.objects(LiveCat.self).allSatisfy { $0.mother == nil })
        #expect(mother.isInvalidated)
    }
}

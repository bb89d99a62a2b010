import RealmActors
import Testing

final class NotedCat: Object {
    @Persisted var number: Int
    /// Not persisted: it belongs to the accessor.
    var note = ""
}

/// Going over live objects while they change.
@Suite struct LiveWalkTests {
    private static func realm(_ count: Int) async throws -> Realm {
        let realm = try await freshRealm([LiveCat.self, NotedCat.self])
        try await realm.write { tx in
            for number in 0..<count {
                try tx.create(LiveCat.self, value: ["number": number, "age": number])
                try tx.create(NotedCat.self, value: ["number": number])
            }
        }
        return realm
    }

    @Test func everyRowOfManyClustersIsChangedOnce() async throws {
        let realm = try await Self.realm(5000)
        try await realm.write { tx in
            for cat in tx.objects(LiveCat.self) { cat.age += 1 }
        }
        let ages = realm.objects(LiveCat.self).map { $0.age }
        #expect(ages == Array(1...5000))
        try await realm.close()
        try await realm.reopen()
        #expect(realm.objects(LiveCat.self).map { $0.age } == ages)
    }

    @Test func rowsThatComeDuringTheWalkAreNotPartOfIt() async throws {
        let realm = try await Self.realm(600)
        let seen = try await realm.write { tx in
            var seen: [Int] = []
            for cat in tx.objects(LiveCat.self) {
                seen.append(cat.number)
                try tx.create(LiveCat.self, value: ["number": 1000 + cat.number])
            }
            return seen
        }
        #expect(seen == Array(0..<600))
        #expect(realm.objects(LiveCat.self).count == 1200)
    }

    @Test func rowsThatGoDuringTheWalkAreSkipped() async throws {
        let realm = try await Self.realm(1000)
        let seen = try await realm.write { tx in
            var seen: [Int] = []
            for cat in tx.objects(LiveCat.self) {
                seen.append(cat.number)
                let next = cat.number + 1
                if cat.number % 3 == 0 { try tx.delete(cat) }
                if let other = tx.object(LiveCat.self, forPrimaryKey: next), next % 3 == 1 {
                    try tx.delete(other)
                }
            }
            return seen
        }
        #expect(seen == (0..<1000).filter { $0 % 3 != 1 })
        #expect(realm.objects(LiveCat.self).map { $0.number } == (0..<1000).filter { $0 % 3 == 2 })
    }

    @Test func objectsThatAreKeptStandForTheirOwnRows() async throws {
        let realm = try await Self.realm(300)
        try await realm.write { tx in
            var kept: [LiveCat] = []
            for cat in tx.objects(LiveCat.self) where cat.number % 2 == 0 { kept.append(cat) }
            #expect(kept.map { $0.number } == Array(stride(from: 0, to: 300, by: 2)))
            for cat in tx.objects(LiveCat.self).where({ $0.number >= 290 }) { kept.append(cat) }
            #expect(kept.suffix(10).map { $0.number } == Array(290..<300))
        }
    }

    @Test func whatAnAccessorNotesDoesNotReachTheNextRow() async throws {
        let realm = try await Self.realm(10)
        try await realm.write { tx in
            for cat in tx.objects(NotedCat.self) {
                #expect(cat.note == "")
                cat.note = "seen \(cat.number)"
            }
        }
    }

    /// An accessor that moved to another row kept the values of the previous one.
    @Test @MainActor func aRowReachedInAWriteDoesNotShowTheValuesOfTheRowBefore() async throws {
        let realm = try await Self.realm(2)
        try await realm.write { tx in tx.object(LiveCat.self, forPrimaryKey: 0)?.name = "first" }
        let live = try await realm.live()
        live.autorefresh = false
        var held: LiveCat?
        for cat in live.objects(LiveCat.self) {
            if cat.name == "first" {
                try await live.beginWrite()
            } else {
                held = cat
            }
        }
        try await live.commitWrite()
        try await realm.write { tx in try tx.deleteAll(LiveCat.self) }
        live.refresh()
        #expect(held?.isInvalidated == true && held?.name == "")
    }
}

import Foundation
import RealmActors
import Testing

private final class ValueShelf: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var numbers: List<Int>
    @Persisted var names: List<String>
    @Persisted var maybe: List<Double?>
    @Persisted var tags: MutableSet<String>
    @Persisted var counts: Map<String, Int>
    @Persisted var moods: List<Mood>
    @Persisted var flags: List<Bool>
    @Persisted var any: List<AnyRealmValue>

    static var values: [String: Any] {
        [
            "id": 1, "numbers": [3, 1, 2, 1, 3], "names": ["b", "A", "a", "b"],
            "maybe": [2.5, nil, -1, nil] as [Any?], "tags": ["z", "k"],
            "counts": ["a": 2, "b": 1, "c": 2],
            "moods": ["playful", "calm", "playful"], "flags": [true, false, true],
            "any": ["text", 2, 1.5, "text", true] as [Any],
        ]
    }

    /// Whether the collections give what they should, as they are.
    func check() {
        #expect(numbers.sorted(ascending: true) == [1, 1, 2, 3, 3])
        #expect(numbers.sorted(ascending: false) == [3, 3, 2, 1, 1])
        #expect(numbers.distinct() == [3, 1, 2])
        #expect(names.sorted(ascending: true) == ["A", "a", "b", "b"])
        #expect(names.distinct() == ["b", "A", "a"])
        #expect(maybe.sorted(ascending: true) == [nil, nil, -1, 2.5])
        #expect(maybe.sorted(ascending: false) == [2.5, -1, nil, nil])
        #expect(maybe.distinct() == [2.5, nil, -1])
        #expect(tags.sorted(ascending: false) == ["z", "k"])
        #expect(Set(tags.distinct()) == ["k", "z"])
        #expect(counts.sorted(ascending: true) == [1, 2, 2])
        #expect(counts.distinct().sorted() == [1, 2])
        #expect(moods.sorted() == [.calm, .playful, .playful])
        #expect(moods.distinct() == [.playful, .calm])
        #expect(flags.sorted() == [false, true, true])
        #expect(any.sorted() == [true, 1.5, 2, "text", "text"])
        #expect(any.distinct() == ["text", 2, 1.5, true])
    }
}

/// Realm's `sorted(ascending:)` and `distinct` of collections of values were not there.
@Suite struct SortedValuesTests {
    @Test func valuesOfUnmanagedCollections() throws {
        try ValueShelf(value: ValueShelf.values).check()
    }

    @Test func valuesInAWriteLiveAndFrozen() async throws {
        try await withFreshRealm([ValueShelf.self]) { realm in
            try await realm.write { tx in
                try tx.create(ValueShelf.self, value: ValueShelf.values).check()
            }
            try await Self.checkLive(realm)
            let shelf = try #require(realm.object(ValueShelf.self, forPrimaryKey: 1))
            #expect(shelf.numbers.sorted(ascending: false) == [3, 3, 2, 1, 1])
            #expect(shelf.numbers.distinct() == [3, 1, 2])
            #expect(shelf.maybe.sorted() == [nil, nil, -1, 2.5])
            #expect(shelf.maybe.distinct() == [2.5, nil, -1])
            #expect(shelf.tags.sorted(ascending: true) == ["k", "z"])
            #expect(shelf.counts.sorted(ascending: true) == [1, 2, 2])
            #expect(shelf.moods.sorted() == [.calm, .playful, .playful])
            #expect(shelf.any.sorted() == [true, 1.5, 2, "text", "text"])
            #expect(shelf.any.distinct() == ["text", 2, 1.5, true])
        }
    }

    @MainActor private static func checkLive(_ realm: Realm) async throws {
        let live = try await realm.live()
        try #require(live.object(ValueShelf.self, forPrimaryKey: 1)).check()
    }
}

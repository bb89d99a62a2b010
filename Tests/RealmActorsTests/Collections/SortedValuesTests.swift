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
        #expect(any.min() == true && any.max() == "text")
        #expect(any.sum() == 3.5 && any.average() == 1.75)
    }
}

extension ValueShelf {
    /// Whether the collections are divided as they should be, as they are.
    fileprivate func checkSections() {
        let parity = numbers.sectioned { $0 % 2 == 0 }
        #expect(parity.allKeys == [false, true])
        #expect(parity.map { Array($0) } == [[1, 1, 3, 3], [2]])
        #expect(parity[SectionPath(section: 0, item: 2)] == 3)
        #expect(parity.section(forKey: true)?.first == 2)
        let falling = numbers.sectioned(by: { $0 % 2 == 0 }, ascending: false)
        #expect(falling.map { Array($0) } == [[3, 3, 1, 1], [2]])
        let names = names.sectioned { $0.lowercased() }
        #expect(names.allKeys == ["a", "b"] && names.section(forKey: "c") == nil)
        #expect(names.map { Array($0) } == [["A", "a"], ["b", "b"]])
        #expect(names[1].key == "b" && names[1].id == "b" && names[1].count == 2)
        let maybe = maybe.sectioned { $0 == nil }
        #expect(maybe.map { Array($0) } == [[nil, nil], [-1, 2.5]])
        #expect(tags.sectioned { $0 }.allKeys == ["k", "z"])
        #expect(counts.sectioned(by: { $0 }, ascending: false).map(\.count) == [2, 1])
        #expect(moods.sectioned { $0 }.map(\.key) == [.calm, .playful])
        #expect(any.sectioned { $0.stringValue == nil }.map(\.count) == [3, 2])
        #expect(List<Int>().sectioned { $0 }.isEmpty)
    }
}

private struct Milestone: CustomPersistable {
    var distance: Int
    init(_ distance: Int) { self.distance = distance }
    init(persistedValue: StoredMilestone) { distance = persistedValue.distance }
    var persistableValue: StoredMilestone {
        let stored = StoredMilestone()
        stored.distance = distance
        return stored
    }
}

private final class StoredMilestone: EmbeddedObject {
    @Persisted var distance: Int
}

private final class Road: Object {
    @Persisted var milestones: List<Milestone>

    func check() {
        #expect(milestones.distinct().map(\.distance) == [3, 1, 2])
        #expect(milestones.sorted(ascending: true).map(\.distance) == [3, 3, 1, 1, 2])
        #expect(milestones.sorted(ascending: false).map(\.distance) == [2, 1, 1, 3, 3])
    }
}

/// Realm's `sorted(ascending:)`, `distinct` and `sectioned(by:)` of collections of values were not
/// there.
@Suite struct SortedValuesTests {
    @Test func valuesOfUnmanagedCollections() throws {
        try ValueShelf(value: ValueShelf.values).check()
        try ValueShelf(value: ValueShelf.values).checkSections()
    }

    @Test func valuesInAWriteLiveAndFrozen() async throws {
        try await withFreshRealm([ValueShelf.self]) { realm in
            try await realm.write { tx in
                let shelf = try tx.create(ValueShelf.self, value: ValueShelf.values)
                shelf.check()
                shelf.checkSections()
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
            #expect(shelf.any.min() == true && shelf.any.max() == "text")
            #expect(shelf.any.sum() == 3.5 && shelf.any.average() == 1.75)
            #expect(shelf.names.sectioned { $0.lowercased() }.allKeys == ["a", "b"])
            #expect(shelf.maybe.sectioned { $0 == nil }.map(\.count) == [2, 2])
            #expect(shelf.any.sectioned { $0 == "text" }.map(\.key) == [false, true])
        }
    }

    /// Lists of them had no aggregates.
    @Test("Q15: of values of any type")
    func valuesOfAnyType() {
        let list: List<AnyRealmValue> = []
        #expect([list.min(), list.max()].compactMap { $0 }.isEmpty)
        #expect(list.sum() == 0 && list.average() == nil)
        let values: [AnyRealmValue] = [
            nil, .double(.nan), 2, .float(0.5), .decimal128("1.25"),
        ]
        list.append(objectsIn: values)
        #expect(list.min() == .float(0.5) && list.max() == 2)
        #expect(list.sum() == .decimal128("3.75") && list.average() == 1.25)
        let map: Map<String, AnyRealmValue> = ["a": 3, "b": 4]
        #expect(map.min() == 3 && map.max() == 4 && map.sum() == 7 && map.average() == 3.5)
    }

    /// It was that of their sum: doubles that add up to zero gave an integer.
    @Test("Q15: the sum of values of any type has the type of the numbers")
    func typeOfSums() {
        let doubles: List<AnyRealmValue> = [1.5, -1.5]
        #expect(doubles.sum() == .double(0))
        doubles.append(2)
        #expect(doubles.sum() == .double(2))
        let decimals: List<AnyRealmValue> = [.decimal128("0"), 2, "text"]
        #expect(decimals.sum() == .decimal128(2))
        decimals.append(objectsIn: [.double(0.25), .double(-0.25)])
        #expect(decimals.sum() == .decimal128(2))
        let integers: List<AnyRealmValue> = [2, -2]
        #expect(integers.sum() == .int(0))
    }

    /// They were the defaults of the embedded objects, as many as there are; none when unmanaged.
    @Test func valuesThatAreStoredAsEmbeddedObjects() async throws {
        try await withFreshRealm([Road.self, StoredMilestone.self]) { realm in
            try await realm.write { tx in
                let road = Road()
                road.milestones.append(contentsOf: [3, 1, 2, 1, 3].map { Milestone($0) })
                road.check()
                try tx.add(road)
                road.check()
            }
            let road = try #require(realm.objects(Road.self).first)
            #expect(road.milestones.distinct().map(\.distance) == [3, 1, 2])
            #expect(road.milestones.sorted(ascending: true).map(\.distance) == [3, 3, 1, 1, 2])
        }
    }

    @MainActor private static func checkLive(_ realm: Realm) async throws {
        let live = try await realm.live()
        let shelf = try #require(live.object(ValueShelf.self, forPrimaryKey: 1))
        shelf.check()
        shelf.checkSections()
    }
}

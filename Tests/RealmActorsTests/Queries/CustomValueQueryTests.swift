import Foundation
import RealmActors
import Testing

private struct Grade: CustomPersistable {
    var points: Int

    init(persistedValue: Int) { points = persistedValue }

    var persistableValue: Int { points }
}

private final class Trail: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var start: Cairn
    @Persisted var end: Cairn?
    @Persisted var stops: List<Cairn>
    @Persisted var top: Grade
    @Persisted var grade: Grade?
    @Persisted var grades: List<Grade>
    @Persisted var maybeGrades: List<Grade?>
    @Persisted var lengths: List<Int?>
}

/// Conditions on types of one's own, and on what they are stored as.
@Suite struct CustomValueQueryTests {
    private func withTrails(_ body: (FrozenResults<Trail>) throws -> Void) async throws {
        try await withFreshRealm([Trail.self, CairnRow.self]) { realm in
            try await realm.write { tx in
                let lengths: [[Int?]] = [[1, nil, 3], [], [2, 7]]
                for id in 0..<3 {
                    let trail = Trail()
                    trail.id = id
                    trail.top = Grade(persistedValue: id)
                    trail.start = Cairn(id, id == 1 ? "hut" : nil)
                    if id > 0 { trail.end = Cairn(9, "peak") }
                    if id < 2 { trail.grade = Grade(persistedValue: id + 3) }
                    trail.stops.append(contentsOf: [Cairn(id), Cairn(5, "lake")])
                    trail.grades.append(Grade(persistedValue: id))
                    trail.maybeGrades.append(id == 0 ? nil : Grade(persistedValue: id))
                    trail.lengths.append(contentsOf: lengths[id])
                    try tx.add(trail)
                }
            }
            try body(realm.objects(Trail.self))
        }
    }

    private func ids(
        _ trails: FrozenResults<Trail>, _ isIncluded: (Query<Trail>) -> Query<Bool>
    ) -> [Int] { trails.where(isIncluded).map(\.id) }

    /// A condition on such a value found the objects that have none.
    @Test("P16: a value that is stored as an embedded object equals what has all its properties")
    func embeddedValues() async throws {
        try await withTrails { trails throws in
            #expect(ids(trails) { $0.start == Cairn(1, "hut") } == [1])
            #expect(ids(trails) { $0.start == Cairn(1) } == [])
            #expect(ids(trails) { $0.start != Cairn(2) } == [0, 1])
            #expect(ids(trails) { $0.start.in([Cairn(0), Cairn(2), Cairn(3)]) } == [0, 2])
            #expect(ids(trails) { $0.end == Cairn(9, "peak") } == [1, 2])
            #expect(ids(trails) { $0.end != Cairn(9, "peak") } == [0])
            #expect(ids(trails) { $0.end == nil } == [0])
            #expect(ids(trails) { $0.end != nil } == [1, 2])
            #expect(ids(trails) { $0.end.in([Cairn(9, "peak")]) && $0.id > 1 } == [2])
            #expect(throws: RealmError.self) { try trails.filter("start == %@", Cairn(0)) }
        }
    }

    @Test("P16: a collection contains a value that is stored as an embedded object")
    func collectionsOfEmbeddedValues() async throws {
        try await withTrails { trails throws in
            #expect(ids(trails) { $0.stops.contains(Cairn(1)) } == [1])
            #expect(ids(trails) { $0.stops == Cairn(5, "lake") } == [0, 1, 2])
            #expect(ids(trails) { $0.stops == Cairn(2, "lake") } == [])
            #expect(ids(trails) { $0.stops != Cairn(5, "lake") } == [0, 1, 2])
            #expect(ids(trails) { $0.stops.containsAny(in: [Cairn(0), Cairn(2)]) } == [0, 2])
        }
    }

    @Test("P16: persistableValue is what is stored, of optionals, elements and embedded objects")
    func persistableValues() async throws {
        try await withTrails { trails throws in
            #expect(ids(trails) { $0.grade.persistableValue > 3 } == [1])
            #expect(ids(trails) { $0.grade.persistableValue == nil } == [2])
            #expect(ids(trails) { $0.grades.persistableValue >= 1 } == [1, 2])
            #expect(ids(trails) { $0.maybeGrades.persistableValue == nil } == [0])
            #expect(ids(trails) { $0.start.persistableValue.x > 0 } == [1, 2])
            #expect(ids(trails) { $0.end.persistableValue.label == "peak" } == [1, 2])
        }
    }

    /// They had no order unless their Swift type had one.
    @Test("Q4, P16: enums and types of one's own order as what is stored for them")
    func orders() async throws {
        try await withTrails { trails throws in
            #expect(ids(trails) { $0.top > Grade(persistedValue: 0) } == [1, 2])
            #expect(ids(trails) { $0.top <= Grade(persistedValue: 1) } == [0, 1])
        }
        try await Ships.check { ships in
            #expect(ships.numbers { $0.rig > .ship } == [2, 3])
            #expect(ships.numbers { $0.rig <= .brig || $0.rig < .brig } == [0])
        }
        try await Letters.check { letters in
            #expect(letters.ids { $0.mood >= .playful } == [1])
            #expect(letters.ids { $0.mood < .playful } == [0])
        }
    }

    /// Collections of optional values had no ranges.
    @Test("Q6: a range on a collection of optional values means all that are not nil")
    func rangesOfOptionals() async throws {
        try await withTrails { trails throws in
            #expect(ids(trails) { $0.lengths.contains(1...3) } == [0])
            #expect(ids(trails) { $0.lengths.contains(2..<7) } == [])
            #expect(ids(trails) { $0.lengths.contains(1..<8) } == [0, 2])
        }
    }

    /// Maps of objects could only be asked by key, and values of any type one by one.
    @Test("Q7, Q8: a map contains an object or any of several, a collection any of several values")
    func members() async throws {
        try await withFreshRealm(Ships.types + Letters.types) { realm in
            let eve = try await realm.write { tx in
                try Ships.fill(tx)
                try Letters.fill(tx)
                let sailors = tx.objects(Sailor.self)
                let ships = tx.objects(Ship.self)
                #expect(ships.numbers { $0.mates.contains(sailors[1]) } == [0])
                #expect(ships.numbers { $0.mates.contains(sailors[0]) } == [])
                let some = [sailors[1], sailors[4]]
                #expect(ships.numbers { $0.mates.containsAny(in: some) } == [0, 1])
                #expect(ships.numbers { $0.mates.none.name == "Bob" } == [1, 2, 3])
                return sailors[4].freeze()
            }
            let ships = realm.objects(Ship.self)
            #expect(ships.numbers { $0.mates.contains(eve) } == [1])
            #expect(ships.numbers { $0.mates.containsAny(in: [eve]) } == [1])
            let values: [AnyRealmValue] = [.string("two"), .int(2)]
            let letters = realm.objects(Letter.self)
            #expect(letters.ids { $0.values.containsAny(in: values) } == [0, 1])
            let nothing: [AnyRealmValue] = [.none]
            #expect(letters.ids { $0.values.containsAny(in: nothing) } == [0])
        }
    }
}

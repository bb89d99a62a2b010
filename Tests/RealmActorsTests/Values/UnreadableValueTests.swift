import Foundation
import RealmActors
import Testing

/// A type of which neither the zero of what is stored makes a value, nor any odd number.
private struct Even: FailableCustomPersistable {
    var half: Int
    init?(persistedValue: Int) {
        guard persistedValue != 0, persistedValue % 2 == 0 else { return nil }
        half = persistedValue / 2
    }
    var persistableValue: Int { half * 2 }
}

private enum Tone: String, PersistableEnum { case low, high }

private final class Chord: Object {
    @Persisted var even: Even = Even(persistedValue: 4)!
    @Persisted var optional: Even?
    @Persisted var page: URL = URL(fileURLWithPath: "/start")
    @Persisted var tone: Tone = .high
    @Persisted var optionalTone: Tone?
    @Persisted var list: List<Even?>
    @Persisted var set: MutableSet<Even?>
    @Persisted var byName: Map<String, Even?>
    @Persisted var tones: List<Tone?>
    @Persisted var next: Chord?
}

/// Stored values of which the Swift type has none, and types that have no zero.
@Suite struct UnreadableValueTests {
    @Test("P16: conditions, orders, groups and sections take a type without a zero")
    func aTypeWithoutAZeroIsAskedFor() async throws {
        try await withFreshRealm([Chord.self]) { realm in
            try await realm.write { tx in
                for half in [3, 1, 2] {
                    let chord = Chord()
                    chord.even = try #require(Even(persistedValue: half * 2))
                    try tx.add(chord)
                }
            }
            let all = realm.objects(Chord.self)
            let two = try #require(Even(persistedValue: 2))
            #expect(all.where { $0.even == two }.map { $0.even.half } == [1])
            #expect(all.where { $0.even.persistableValue > 2 }.count == 2)
            #expect(all.where { $0.page == URL(fileURLWithPath: "/start") }.count == 3)
            #expect(all.sorted(by: \.even).map { $0.even.half } == [1, 2, 3])
            #expect(all.values(of: \.even).map(\.half) == [3, 1, 2])
            #expect(all.grouped(by: \.even).count().map { $0.key.half } == [1, 2, 3])
            #expect(all.sectioned(by: \.even).allKeys.map(\.half) == [1, 2, 3])
        }
    }

    @Test("D18: an optional element that makes no value reads as nil")
    func elements() async throws {
        try await withFreshRealm([Chord.self]) { realm in
            try await realm.write { tx in
                let value: [String: Any] = [
                    "list": [2, 3], "set": [2, 5], "byName": ["a": 3, "b": 6],
                    "tones": ["odd", "low"],
                ]
                try tx.dynamicCreate("Chord", value: value)
            }
            let chord = try #require(realm.objects(Chord.self).first)
            #expect(chord.list.map { $0?.half } == [1, nil])
            #expect(chord.set.map { $0?.half } == [1, nil])
            #expect(chord.byName.values.map { $0?.half } == [nil, 3])
            #expect(chord.byName["a"] == .some(nil))
            #expect(Array(chord.tones) == [nil, .low])
            let sorted: [Even?] = chord.list.sorted()
            #expect(sorted.map { $0?.half } == [1, nil])
            try await realm.write { tx in
                let live = try #require(tx.objects(Chord.self).first)
                #expect(live.list.map { $0?.half } == [1, nil] && live.list[1] == nil)
                #expect(live.byName["a"] == .some(nil) && live.tones[0] == nil)
            }
        }
    }

    @Test("D18: a group's key reads as the property does")
    func groups() async throws {
        try await withFreshRealm([Chord.self]) { realm in
            try await realm.write { tx in
                let value: [String: Any] = [
                    "even": 3, "optional": 5, "tone": "odd", "optionalTone": "odd",
                ]
                try tx.dynamicCreate("Chord", value: value)
            }
            let all = realm.objects(Chord.self)
            #expect(all.grouped(by: \.even).count().map { $0.key.half } == [2])
            #expect(all.grouped(by: \.optional).count().map { $0.key?.half } == [nil])
            #expect(all.grouped(by: \.tone).count().map(\.key) == [.high])
            #expect(all.grouped(by: \.optionalTone).count().map(\.key) == [nil])
            // Behind a link it was the zero, and trapped without one.
            try await realm.write { tx in
                let chord = try #require(tx.objects(Chord.self).first)
                chord.next = chord
            }
            let linked = realm.objects(Chord.self)
            #expect(linked.grouped(by: \.next!.even).count().map { $0.key.half } == [2])
            #expect(linked.grouped(by: \.next!.tone).count().map(\.key) == [.high])
        }
    }
}

import Foundation
import RealmActors
import StorageHarness
import Testing

private final class Gauge: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var size: Double
    @Persisted var extra: AnyRealmValue
}

@Suite struct SnapshotDiffTests {
    /// It differed from itself: the object was modified by what changed another one beside it.
    @Test func whatIsNoNumberIsNoDifference() async throws {
        try await withFreshRealm([Gauge.self]) { realm in
            try await realm.write { tx in
                for id in 0..<3 {
                    let gauge = try tx.create(Gauge.self, value: ["id": id])
                    gauge.size = .nan
                    gauge.extra = [.double(.nan), ["a": .float(.nan)]]
                }
            }
            let older = realm.snapshot()
            try await realm.write { tx in
                let gauge = tx.object(Gauge.self, forPrimaryKey: 1)
                gauge?.size = 2
            }
            let changes = try realm.snapshot().changes(from: older)
            #expect(changes.modifications(of: Gauge.self).map { $0.after.id } == [1])
        }
    }

    @Test("O2: a difference of two snapshots has old and new values")
    func aDiffHasOldAndNewValues() async throws {
        try await withFreshRealm(historyTypes) { realm in
            try await realm.addDog(1, "Rex", age: 1)
            try await realm.addDog(2, "Fido")
            let older = realm.snapshot()
            try await realm.editDog(1) { dog in
                dog.name = "Max"
                dog.age = nil
                dog.tags.append("good")
            }
            try await realm.write { tx in
                try tx.delete(#require(tx.object(HistoryDog.self, forPrimaryKey: 2)))
                try tx.create(HistoryDog.self, value: ["id": 3])
            }
            let newer = realm.snapshot()
            let diff = try newer.changes(from: older)
            #expect(diff.classNames == ["HistoryDog"])
            #expect(diff.insertions(of: HistoryDog.self).map(\.id) == [3])
            #expect(diff.deletions(of: HistoryDog.self).map(\.name) == ["Fido"])
            let rex = try #require(diff.modifications(of: HistoryDog.self).first)
            #expect(rex.properties.map(\.name) == ["name", "age", "tags"])
            #expect(rex.properties.map(\.oldValue) == ["Rex", 1, nil])
            #expect(rex.properties.map(\.newValue) == ["Max", FrozenValue.none, nil])
            #expect(Array(rex.before.tags).isEmpty && Array(rex.after.tags) == ["good"])
            let back = try realm.diff(from: newer, to: older)
            #expect(back.insertions(of: HistoryDog.self).map(\.id) == [2])
            #expect(try newer.changes(from: newer).isEmpty)
        }
    }

    @Test func writingAnEqualValueIsNoDifference() async throws {
        try await withFreshRealm(historyTypes) { realm in
            try await realm.addDog(1, "Rex")
            let older = realm.snapshot()
            try await realm.editDog(1) { $0.name = "Rex" }
            #expect(try realm.snapshot().changes(from: older).isEmpty)
        }
    }

    @Test func snapshotsOfTwoRealmsAreRefused() async throws {
        try await withFreshRealm(historyTypes) { realm in
            try await withFreshRealm(historyTypes) { other in
                _ = #expect(throws: RealmError.self) {
                    _ = try realm.snapshot().changes(from: other.snapshot())
                }
            }
        }
    }

    /// Compares with what every object of both versions says.
    @Test("O2: differences agree with a naive comparison of any two versions")
    func diffsAgreeWithANaiveComparisonOfAnyTwoVersions() async throws {
        let seed =
            ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: 0...UInt64.max)
        try await withFreshRealm(historyTypes) { realm in
            var generator = SeededGenerator(seed: seed)
            var held = [realm.snapshot()]
            var nextID = 0
            for round in 0..<60 {
                let count = generator.next() % 4 == 0 ? 700 : Int(generator.next() % 12)
                let choices = (0..<count).map { _ in (generator.next(), generator.next()) }
                let first = nextID
                nextID += count
                try await realm.write { tx in
                    for (index, choice) in choices.enumerated() {
                        let id = first + index
                        try Self.change(id, choice.0, choice.1, tx)
                    }
                }
                held.append(realm.snapshot())
                if held.count > 6 { held.remove(at: Int(generator.next() % 6)) }
                let from = held[Int(generator.next() % UInt64(held.count))]
                let to = held[Int(generator.next() % UInt64(held.count))]
                let diff = try to.changes(from: from)
                #expect(Self.summary(diff) == Self.naive(from, to), "SEED=\(seed), round \(round)")
            }
        }
    }

    private static func change(
        _ id: Int, _ choice: UInt64, _ value: UInt64, _ tx: WriteTransaction
    ) throws {
        let other = tx.object(HistoryDog.self, forPrimaryKey: Int(value % UInt64(id + 1)))
        switch choice % 6 {
        case 0, 1, 2: try tx.create(HistoryDog.self, value: ["id": id, "name": "\(value % 7)"])
        case 3:
            other?.name = "\(value % 7)"
            other?.age = Int(value % 3)
        case 4:
            other?.tags.append("\(value % 3)")
            other?.scores["\(value % 3)"] = Int(value % 5)
        default: if let other { try tx.delete(other) }
        }
    }

    private static func image(_ dog: Frozen<HistoryDog>) -> [String: String] {
        [
            "id": "\(dog.id)", "name": dog.name, "age": "\(dog.age ?? -1)",
            "friend": "\(dog.friend?.id ?? -1)", "tags": "\(Array(dog.tags))",
            "scores": "\(dog.scores.map { "\($0.key)=\($0.value)" }.sorted())",
        ]
    }

    private static func naive(_ from: Snapshot, _ to: Snapshot) -> [String] {
        let old = Dictionary(
            uniqueKeysWithValues: from.objects(HistoryDog.self).map { ($0.id, image($0)) })
        let new = Dictionary(
            uniqueKeysWithValues: to.objects(HistoryDog.self).map { ($0.id, image($0)) })
        var lines: [String] = []
        for (id, image) in new where old[id] == nil {
            lines.append("+\(id) \(image["name"] ?? "")")
        }
        for (id, image) in old where new[id] == nil {
            lines.append("-\(id) \(image["name"] ?? "")")
        }
        for (id, image) in new {
            guard let before = old[id], before != image else { continue }
            let names = image.keys.filter { before[$0] != image[$0] }.sorted()
            lines.append("*\(id) \(names)")
        }
        return lines.sorted()
    }

    private static func summary(_ diff: SnapshotChanges) -> [String] {
        var lines = diff.insertions(of: HistoryDog.self).map { "+\($0.id) \($0.name)" }
        lines += diff.deletions(of: HistoryDog.self).map { "-\($0.id) \($0.name)" }
        lines += diff.modifications(of: HistoryDog.self).map {
            "*\($0.after.id) \($0.properties.map(\.name).sorted())"
        }
        return lines.sorted()
    }
}

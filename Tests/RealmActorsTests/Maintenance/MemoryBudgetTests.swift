import Foundation
import RealmActors
import StorageHarness
import Testing

private final class Crate: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var label = ""
    @Persisted var weight = 0
    @Persisted var next: Crate?
    @Persisted var contents: List<Int>
}

/// What a crate should hold.
private struct ModelCrate: Equatable {
    var label: String
    var weight: Int
    var next: Int?
    var contents: [Int]
}

/// Realms whose memory budget is a small part of what they hold: what they say must not depend on
/// it.
@Suite struct MemoryBudgetRealmTests {
    private static let crates = 6_000

    /// Changes about a hundred crates, in the realm and in the model.
    private static func change(
        _ model: inout [Int: ModelCrate], _ tx: WriteTransaction, _ random: inout SeededGenerator
    ) throws {
        for _ in 0..<100 {
            let id = Int.random(in: 0..<crates, using: &random)
            let other = Int.random(in: 0..<crates, using: &random)
            guard let crate = tx.object(Crate.self, forPrimaryKey: id) else {
                try tx.create(Crate.self, value: ["id": id, "label": "new \(id)"])
                model[id] = ModelCrate(label: "new \(id)", weight: 0, next: nil, contents: [])
                continue
            }
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                try tx.delete(crate)
                model[id] = nil
                for key in model.filter({ $0.value.next == id }).keys { model[key]?.next = nil }
            case 1:
                crate.label = "label \(other)"
                model[id]?.label = "label \(other)"
            case 2:
                crate.next = tx.object(Crate.self, forPrimaryKey: other)
                let target = model[other].map { _ in other }
                model[id]?.next = target
            case 3:
                crate.contents.append(other)
                model[id]?.contents.append(other)
            default:
                crate.weight += other
                model[id]?.weight += other
            }
        }
    }

    private static func check(_ realm: Realm, _ model: [Int: ModelCrate]) throws {
        let crates = realm.objects(Crate.self)
        #expect(crates.count == model.count)
        for crate in crates {
            let found = ModelCrate(
                label: crate.label, weight: crate.weight, next: crate.next?.id,
                contents: Array(crate.contents))
            #expect(found == model[crate.id])
        }
        let heavy = crates.where { $0.weight > crates.count }
        #expect(heavy.count == model.values.count { $0.weight > model.count })
        for number in stride(from: 0, to: Self.crates, by: 613) {
            let labelled = crates.where { $0.label == "label \(number)" }
            #expect(
                Set(labelled.map(\.id))
                    == Set(model.filter { $0.value.label == "label \(number)" }.keys))
        }
        let sorted = crates.sorted(by: \.label).map(\.label)
        #expect(Array(sorted) == model.values.map(\.label).sorted())
    }

    @Test(arguments: [0, -1])
    func aBudgetOfNothingIsRefused(_ budget: Int) async throws {
        try await withStorePath { path in
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(
                    .init(path: path, objectTypes: [Crate.self], memoryBudget: budget))
            }
            #expect(error?.description.contains("memoryBudget of \(budget) bytes") ?? false)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test(arguments: [64 << 10, 200 << 10, 1 << 20])
    func aRealmLargerThanItHoldsTheSame(_ budget: Int) async throws {
        let seeded = SeededGenerator()
        let seed = seeded.seed
        try await withStorePath { path in
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Crate.self], memoryBudget: budget)
            var random = seeded
            var model: [Int: ModelCrate] = [:]
            for round in 0..<4 {
                let realm = try await Realm.open(configuration)
                if round == 0 {
                    try await realm.write { tx in
                        for id in 0..<Self.crates {
                            try tx.create(
                                Crate.self,
                                value: ["id": id, "label": "label \(id)", "contents": [id]])
                        }
                    }
                    for id in 0..<Self.crates {
                        model[id] = ModelCrate(
                            label: "label \(id)", weight: 0, next: nil, contents: [id])
                    }
                }
                try Self.check(realm, model)
                let held = realm.snapshot()
                let before = model
                for _ in 0..<12 {
                    let (state, generator) = (model, random)
                    (model, random) = try await realm.write { tx in
                        var (model, random) = (state, generator)
                        try Self.change(&model, tx, &random)
                        return (model, random)
                    }
                }
                try Self.check(realm, model)
                let frozen = held.objects(Crate.self)
                #expect(frozen.count == before.count, "SEED=\(seed)")
                #expect(frozen.allSatisfy { $0.weight == before[$0.id]?.weight }, "SEED=\(seed)")
                let report = try await realm.verify()
                #expect(report.problems.isEmpty, "SEED=\(seed): \(report.problems)")
                try await realm.close()
            }
        }
    }
}

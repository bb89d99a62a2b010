import Foundation
import StorageHarness
import Synchronization
import Testing

@testable import RealmActors

/// For random transactions: applying a change to the elements of before gives the present ones,
/// whatever is watched, and however many commits were folded into it.
///
/// `EXACTNESS_STEPS=100000 swift test --filter ChangeExactness` runs the long form.
@Suite struct ChangeExactnessTests {
    private static let steps =
        ProcessInfo.processInfo.environment["EXACTNESS_STEPS"].flatMap { Int($0) } ?? 250

    @Test("N9: applying a change to the previous elements gives the present ones")
    func randomTransactions() async throws {
        var random = SeededGenerator()
        let realm = try await Realm.open(
            .init(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [ExactDog.self, ExactOwner.self]))
        let owner = try await realm.write { tx in
            for id in 0..<ExactEdits.owners { try tx.create(ExactOwner.self, value: ["id": id]) }
            try tx.create(ExactDog.self, value: ["id": -1])
            return try #require(tx.object(ExactOwner.self, forPrimaryKey: 0)).freeze()
        }
        let watchers =
            Self.results(realm) + Self.collections(of: owner) + Self.derived(from: owner)
            + ExactSections.watchers(realm, owner)
        for step in 0..<Self.steps {
            let seed = random.next()
            try await realm.write { tx in
                var random = SeededGenerator(seed: seed)
                try ExactEdits.edit(tx, &random)
            }
            for watcher in watchers where Int.random(in: 0..<3, using: &random) == 0 {
                if let complaint = try watcher.check() {
                    Issue.record("SEED=\(random.seed) step \(step), \(watcher.name): \(complaint)")
                    return
                }
            }
        }
        for watcher in watchers {
            #expect(try watcher.check() == nil, "SEED=\(random.seed), \(watcher.name)")
        }
        try await realm.close()
    }

    private static func results(_ realm: Realm) -> [any ExactWatching] {
        let all = realm.objects(ExactDog.self)
        let queries: [(String, FrozenResults<ExactDog>)] = [
            ("all", all), ("filter", all.where { $0.age > 3 }),
            ("indexed filter", all.where { $0.age == 3 }),
            ("text filter", all.where { $0.name.ends(with: "2") }),
            ("index-sorted", all.sorted(by: \.age)),
            ("index-sorted, descending", all.sorted(by: \.age, ascending: false)),
            ("sorted", all.sorted(by: \.name)),
            ("sorted, descending", all.sorted(by: \.name, ascending: false)),
            ("sorted by nullable", all.sorted(by: \.weight, ascending: false)),
            ("sorted by two", all.sorted(by: \.age).sorted(by: \.name, ascending: false)),
            ("sorted by mixed", all.sorted(by: \.mixed)),
            ("sorted across a link", all.sorted(by: \.owner?.name)),
            ("filter across a link", all.where { $0.owner.name == "owner 1" }),
            ("filter across an inverse", all.where { $0.owners.count > 0 }),
            ("filter, sorted", all.where { $0.age < 6 }.sorted(by: \.weight)),
            ("limit", all.limit(7)), ("limit of none", all.limit(0)),
            ("sorted, limit", all.sorted(by: \.age).limit(5)),
            ("filter, sorted, limit", all.where { $0.age < 6 }.sorted(by: \.weight).limit(3)),
            ("sorted across a link, limit", all.sorted(by: \.owner?.name).limit(6)),
            ("distinct", all.distinct(by: [\.age])),
            ("sorted, distinct", all.sorted(by: \.name).distinct(by: [\.age, \.weight])),
            ("distinct, limit", all.distinct(by: [\.owner?.name]).limit(2)),
            ("limit, sorted", all.limit(9).sorted(by: \.name)),
        ]
        return queries.map(watcher)
    }

    private static func watcher(
        _ name: String, _ results: FrozenResults<ExactDog>
    ) -> any ExactWatching {
        ExactWatcher(name, results.changes(), isDeep: true) { dogs in
            dogs.map { ExactElement($0.id, "\($0.age) \($0.name) \($0.weight ?? -1)") }
        } fresh: {
            results.evaluated(at: $0).map { $0.id }
        }
    }

    /// Results of collections of one owner, and of an inverse.
    private static func derived(from owner: Frozen<ExactOwner>) -> [any ExactWatching] {
        let queries: [(String, FrozenResults<ExactDog>)] = [
            ("filtered list", owner.dogs.where { $0.age > 2 }),
            ("sorted list", owner.dogs.sorted(by: \.name)),
            ("list, distinct", owner.dogs.distinct(by: \.age)),
            ("list, limit", owner.dogs.sorted(by: \.age).limit(3)),
            ("filtered set", owner.pack.where { $0.name.ends(with: "2") }),
            ("sorted map", owner.named.sorted(by: \.age)),
            ("inverse", owner.owned.where { $0.age > 2 }),
            ("sorted inverse", owner.owned.sorted(by: \.age)),
        ]
        return queries.map(watcher)
    }

    private static func collections(of owner: Frozen<ExactOwner>) -> [any ExactWatching] {
        @Sendable func now(_ moment: Snapshot) -> Frozen<ExactOwner>? {
            moment.resolve(owner.reference)
        }
        @Sendable func text(_ dog: Frozen<ExactDog>) -> String { "\(dog.age) \(dog.name)" }
        return [
            ExactWatcher("list of objects", owner.dogs.changes(), isDeep: true) { dogs in
                dogs.map { ExactElement($0.id, text($0)) }
            } fresh: {
                now($0)?.dogs.map(\.id)
            },
            ExactWatcher("list with a key path", owner.dogs.changes(keyPaths: ["name"])) { dogs in
                dogs.map { ExactElement($0.id, $0.name) }
            } fresh: {
                now($0)?.dogs.map(\.id)
            },
            ExactWatcher("list of values", owner.scores.changes()) { scores in
                scores.map { ExactElement($0, "") }
            } fresh: {
                now($0).map { Array($0.scores) }
            },
            ExactWatcher("set of objects", owner.pack.changes(), isDeep: true) { dogs in
                dogs.map { ExactElement($0.id, text($0)) }
            } fresh: {
                now($0)?.pack.map(\.id)
            },
            ExactWatcher("set of values", owner.marks.changes()) { marks in
                marks.map { ExactElement($0, "") }
            } fresh: {
                now($0).map { Array($0.marks) }
            },
            ExactWatcher("map of values", owner.notes.changes(), isDeep: true) { notes in
                notes.map { ExactElement($0.key, "\($0.value)") }
            } fresh: {
                now($0)?.notes.keys
            },
            ExactWatcher("map of objects", owner.named.changes(), isDeep: true) { dogs in
                dogs.map { ExactElement($0.key, $0.value.map(text) ?? "") }
            } fresh: {
                now($0)?.named.keys
            },
        ]
    }
}

extension FrozenResults {
    /// The same query in another version, evaluated there.
    func evaluated(at moment: Snapshot) -> FrozenResults {
        FrozenResults(context: moment.context, model: _plan.model, query: query)
    }
}

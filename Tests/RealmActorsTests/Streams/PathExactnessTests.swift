import Foundation
import Storage
import StorageHarness
import Testing

@testable import RealmActors

/// For random transactions: an object is reported if the values on a key path from it have changed,
/// however many commits were folded into one.
@Suite struct PathExactnessTests {
    private static let paths = [
        "owner.name", "owners", "owners.name", "owners.dogs", "owner.dogs.name",
        "owner.owned.age", "owners.dogs.owners",
        // Inverses of a set and of a map.
        "packs", "packs.dogs", "namers.name", "owner.dogs.packs",
    ]

    /// A key path, and a hash of the values on it from each dog at the last check.
    private struct Watch {
        let name: String
        let path: WatchedPath
        var finder: ModificationFinder
        var images: [RowKey: Int] = [:]

        init(_ name: String, _ root: ClassID, _ rows: [RowKey], in snapshot: Snapshot) throws {
            self.name = name
            let names = name.split(separator: ".").map { String($0) }
            let context = snapshot.context
            guard case .paths(let paths) = try context.watched([names], root: root, ifNone: .deep)
            else { throw RealmError.invalidKeyPath(name) }
            path = try #require(paths.first)
            finder = try context.finder([names], root: root)
            finder.reset(rows, in: TreeGraph(view: snapshot.view))
            note(rows, in: snapshot)
        }

        private mutating func note(_ rows: [RowKey], in snapshot: Snapshot) {
            images = [:]
            for row in rows { images[row] = PathValueHash.hash(path, of: row, in: snapshot.view) }
        }

        /// How many dogs show something else, and were not reported.
        mutating func missed(
            _ rows: [RowKey], _ marks: MergedMarks, in snapshot: Snapshot
        ) -> Int {
            let graph = TreeGraph(view: snapshot.view)
            let reported = finder.modified(rows, by: marks, in: graph) ?? Set(rows)
            let before = images
            note(rows, in: snapshot)
            return rows.count { row in
                before[row] != nil && before[row] != images[row] && !reported.contains(row)
            }
        }
    }

    @Test("N14, N17: nothing that a key path shows changes without a report")
    func randomTransactions() async throws {
        var random = SeededGenerator()
        let realm = try await Realm.open(
            .init(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [ExactDog.self, ExactOwner.self]))
        try await realm.write { tx in
            for id in 0..<ExactEdits.owners { try tx.create(ExactOwner.self, value: ["id": id]) }
        }
        let start = realm.snapshot()
        let query = start.objects(ExactDog.self).query
        let catcher = MarkCatcher(start.hub, start)
        var watches = try Self.paths.map {
            try Watch($0, query.classID, query.evaluate(in: start.view), in: start)
        }
        for step in 0..<400 {
            let seed = random.next()
            try await realm.write { tx in
                var random = SeededGenerator(seed: seed)
                try ExactEdits.edit(tx, &random)
            }
            if Int.random(in: 0..<3, using: &random) > 0 { continue }
            let (moment, marks) = try catcher.take()
            let rows = query.evaluate(in: moment.view)
            for index in watches.indices {
                let missed = watches[index].missed(rows, marks, in: moment)
                #expect(
                    missed == 0, "SEED=\(random.seed) step \(step), \(watches[index].name)")
            }
        }
        try await realm.close()
    }
}

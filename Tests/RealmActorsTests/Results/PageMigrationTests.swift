import Foundation
import RealmActors
import Testing

private enum Early {
    final class Leaf: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var title: String
        @Persisted var rank: Int
    }
}

/// A property and indexes have been added, and the rank may be nil, so that its column is another.
private enum Late {
    final class Leaf: Object, IndexedModel {
        @Persisted var added: String
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: true) var title: String
        @Persisted var rank: Int?

        static var indexes: [Index<Leaf>] { [Index(.ascending(\.title), .descending(\.rank))] }
    }
}

/// Cursors that were given out before the models changed.
@Suite struct PageMigrationTests {
    @Test func aCursorStaysWhereItsPropertiesStay() async throws {
        try await withStorePath { path in
            var realm = try await Realm.open(
                .init(path: path, objectTypes: [Early.Leaf.self], writeTimeout: nil))
            try await realm.write { tx in
                for id in 0..<40 {
                    try tx.create(
                        Early.Leaf.self, value: ["id": id, "title": "\(id % 4)", "rank": id % 3])
                }
            }
            let early = realm.objects(Early.Leaf.self)
            let expected = early.sorted(by: \.title, ascending: false).map(\.id)
            let byTitle = try early.sorted(by: \.title, ascending: false).page(limit: 15).next
            let byRank = try early.sorted(by: \.rank).page(limit: 15).next
            let byCreation = try early.page(limit: 15).next
            try await realm.close()

            realm = try await Realm.open(
                .init(
                    path: path, objectTypes: [Late.Leaf.self], writeTimeout: nil,
                    schemaVersion: 1, migration: { _, _ in }))
            let late = realm.objects(Late.Leaf.self)
            let titles = late.sorted(by: \.title, ascending: false)
            let behind = try titles.page(after: byTitle, limit: .max).objects
            #expect(behind.map(\.id) == Array(expected.dropFirst(15)))
            #expect(behind.explain().contains("index scan on title"), "\(behind.explain())")
            let created = try late.page(after: byCreation, limit: .max).objects
            #expect(created.map(\.id) == Array(15..<40))
            // What is another column now has other values.
            for order in [late.sorted(by: \.rank), late.sorted(by: \.added), late] {
                #expect(throws: RealmError.self) { try order.page(after: byRank, limit: 5) }
            }
            try await realm.close()
        }
    }
}

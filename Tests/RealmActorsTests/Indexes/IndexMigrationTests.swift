import Foundation
import RealmActors
import Testing

private enum Plain {
    final class Book: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var shelf: String
        @Persisted var place: Int
        @Persisted var code: String?
    }
}
private enum Ordered {
    final class Book: Object, IndexedModel {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var shelf: String
        @Persisted var place: Int
        @Persisted var code: String?
        static var indexes: [Index<Book>] { [Index(.ascending(\.shelf), .descending(\.place))] }
    }
}
private enum Unique {
    final class Book: Object, IndexedModel {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var shelf: String
        @Persisted var place: Int
        @Persisted var code: String?
        static var indexes: [Index<Book>] {
            [Index(unique: \.shelf, \.place), Index(unique: \.code)]
        }
    }
}
/// The place has become optional, so that its column is another.
private enum Loose {
    final class Book: Object, IndexedModel {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var shelf: String
        @Persisted var place: Int?
        @Persisted var added: String = "new"
        static var indexes: [Index<Book>] {
            [Index(unique: \.shelf, \.place), Index(\.added, \.shelf)]
        }
    }
}
private enum Wrong {
    final class Part: EmbeddedObject {
        @Persisted var size: Int
    }
    final class Book: Object, IndexedModel {
        @Persisted var id: Int
        @Persisted var price: Decimal128
        @Persisted var tags: List<String>
        @Persisted var next: Book?
        var notStored = 0
        static var indexes: [Index<Book>] {
            [
                Index(), Index(\.id, \.price), Index(\.tags), Index(\.id, \.id),
                Index(\.id.description), Index(\.notStored), Index(\.next!.id),
            ]
        }
    }
}

/// Indexes that come and go with the models.
@Suite struct IndexMigrationTests {
    private func open(
        _ path: String, _ type: ObjectBase.Type, version: UInt64 = 0,
        _ migration: (@Sendable (Migration, UInt64) throws -> Void)? = nil
    ) async throws -> Realm {
        try await Realm.open(
            .init(
                path: path, objectTypes: [type], writeTimeout: nil, schemaVersion: version,
                migration: migration))
    }

    /// A closed store with so many books on three shelves, each in its place.
    private func fill(_ path: String, _ count: Int) async throws {
        let realm = try await open(path, Plain.Book.self)
        try await realm.write { tx in
            for id in 0..<count {
                try tx.create(
                    Plain.Book.self,
                    value: [
                        "id": id, "shelf": "Shelf number \(id % 3)", "place": id,
                        "code": id % 4 == 0 ? nil : "code \(id)",
                    ] as [String: Any?])
            }
        }
        try await realm.close()
    }

    @Test func anIndexComesAndGoesWithoutAMigration() async throws {
        try await withStorePath { path in
            try await fill(path, 700)
            var realm = try await open(path, Ordered.Book.self)
            let books = realm.objects(Ordered.Book.self)
            let found = books.where { $0.shelf == "Shelf number 1" }
                .sorted(by: \.place, ascending: false).limit(3)
            #expect(found.map { $0.place } == [697, 694, 691])
            #expect(found.explain().contains("scan on (shelf, place DESC) by shelf, forward"))
            #expect(try await realm.verify().isIntact)
            try await realm.close()
            realm = try await open(path, Plain.Book.self)
            #expect(realm.snapshot().storedSchema.schema["Book"]?.indexes == [])
            #expect(realm.objects(Plain.Book.self).count == 700)
            try await realm.write { tx in
                tx.objects(Plain.Book.self)[1].place = 9_999
            }
            try await realm.close()
            realm = try await open(path, Ordered.Book.self)
            let first = realm.objects(Ordered.Book.self).where { $0.shelf == "Shelf number 1" }
                .sorted(by: \.place, ascending: false).first
            #expect(first?.place == 9_999)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test func aUniqueIndexOverDuplicatesIsRefusedBeforeAnythingIsCommitted() async throws {
        try await withStorePath { path in
            try await fill(path, 500)
            var realm = try await open(path, Plain.Book.self)
            try await realm.write { tx in
                tx.object(Plain.Book.self, forPrimaryKey: 7)?.place = 10
            }
            let version = realm.snapshot().version
            try await realm.close()
            await #expect(
                throws: RealmError.duplicateValues(
                    className: "Book", properties: ["shelf", "place"],
                    values: ["\"Shelf number 1\"", "10"],
                    existing: "the object with primary key 7",
                    rejected: "the object with primary key 10")
            ) { try await open(path, Unique.Book.self) }
            realm = try await open(path, Plain.Book.self)
            #expect(realm.snapshot().version == version)
            try await realm.write { tx in
                tx.object(Plain.Book.self, forPrimaryKey: 7)?.place = 7
            }
            try await realm.close()
            realm = try await open(path, Unique.Book.self)
            let books = realm.objects(Unique.Book.self)
            #expect(books.where { $0.shelf == "Shelf number 1" && $0.place == 10 }.count == 1)
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in tx.objects(Unique.Book.self)[1].code = "code 2" }
            }
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test func aMigrationKeepsMakesAndChecksThem() async throws {
        try await withStorePath { path in
            try await fill(path, 300)
            var realm = try await open(path, Unique.Book.self)
            try await realm.close()
            await #expect(throws: RealmError.self) {
                try await open(path, Loose.Book.self, version: 1) { migration, _ in
                    try migration.enumerateObjects(ofType: "Book") { _, new in
                        new?["place"] = 3
                    }
                }
            }
            realm = try await open(path, Unique.Book.self)
            #expect(realm.objects(Unique.Book.self).map { $0.place } == Array(0..<300))
            try await realm.close()
            realm = try await open(path, Loose.Book.self, version: 1) { migration, _ in
                try migration.enumerateObjects(ofType: "Book") { _, new in
                    if new?["id"] as? Int == 5 { new?["place"] = nil }
                }
            }
            let books = realm.objects(Loose.Book.self)
            #expect(books.where { $0.place == nil }.map { $0.id } == [5])
            #expect(
                books.where { $0.shelf == "Shelf number 0" && $0.place < 7 }.map { $0.id }
                    == [0, 3, 6])
            #expect(
                books.where { $0.added == "new" && $0.shelf == "Shelf number 0" }.count == 100)
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    tx.object(Loose.Book.self, forPrimaryKey: 3)?.place = 6
                }
            }
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test func indexesThatCannotBeAreNamed() async throws {
        try await withStorePath { path in
            let error = await #expect(throws: RealmError.self) {
                try await open(path, Wrong.Book.self)
            }
            guard case .invalidSchema(let problems) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(problems.count == 7, "\(problems)")
            for words in [
                "has no property", "'price'", "'tags'", "'id' 2 times", "a part of 'id'",
                "not persisted", "goes through a link",
            ] { #expect(problems.contains { $0.contains(words) }, "\(words) in \(problems)") }
        }
    }
}

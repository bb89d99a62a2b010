import Foundation
import RealmActors

/// The models of one store as they change from version to version.
enum Before {
    final class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var fullName: String
        @Persisted var age: String
        @Persisted var score: Double?
        @Persisted var size: Int
        @Persisted var home: Place?
        @Persisted var homes: List<Place>
        @Persisted var tags: List<String>
    }
    final class Place: Object {
        @Persisted var street: String
        @Persisted var inner: Nest?
    }
    final class Nest: EmbeddedObject {
        @Persisted var depth: Int
    }
    final class Draft: Object {
        @Persisted var text: String
    }

    static let types: [ObjectBase.Type] = [Person.self, Place.self, Nest.self, Draft.self]

    /// A store with `count` persons, each with a place of its own, and as many drafts.
    static func fill(_ path: String, _ count: Int = 3, version: UInt64 = 0) async throws {
        var configuration = Realm.Configuration(path: path, objectTypes: types)
        configuration.schemaVersion = version
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in
            for id in 0..<count {
                let place = try tx.create(
                    Place.self, value: ["street": "S\(id)", "inner": ["depth": id]])
                try tx.create(
                    Person.self,
                    value: [
                        "id": id, "fullName": "First\(id) Last\(id)", "age": "\(20 + id)",
                        "score": id.isMultiple(of: 2) ? Double(id) + 0.5 : nil as Double? as Any,
                        "size": id * 10, "home": place, "homes": [place], "tags": ["t\(id)"],
                    ])
                try tx.create(Draft.self, value: ["text": "d\(id)"])
            }
        }
        try await realm.close()
    }

    /// Opens the store with the old models and says whether it is as ``fill(_:_:version:)`` left
    /// it.
    static func isIntact(_ path: String, _ count: Int = 3, version: UInt64 = 0) async throws -> Bool
    {
        var configuration = Realm.Configuration(path: path, objectTypes: types)
        configuration.schemaVersion = version
        let realm = try await Realm.open(configuration)
        let persons = realm.objects(Person.self)
        let isWhole =
            persons.count == count && realm.objects(Draft.self).count == count
            && persons.enumerated().allSatisfy { id, person in
                person.id == id && person.fullName == "First\(id) Last\(id)"
                    && person.age == "\(20 + id)" && person.size == id * 10
                    && person.home?.street == "S\(id)" && person.homes.count == 1
                    && person.tags.first == "t\(id)"
            }
        let report = try await realm.verify()
        try await realm.close()
        return isWhole && report.isIntact
    }
}

/// The persons of ``Before``, of whom each owns its places.
enum Embedding {
    final class Place: EmbeddedObject {
        @Persisted var street: String
        @Persisted var inner: Before.Nest?
    }
    final class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var home: Place?
        @Persisted var homes: List<Place>
    }
}

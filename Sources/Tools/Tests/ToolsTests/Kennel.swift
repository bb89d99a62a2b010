import Foundation
import RealmActors

final class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int16?
    @Persisted var owner: Person?
    @Persisted var born: Date?
    @Persisted var tags: List<String>
    @Persisted var friends: MutableSet<Dog>
    @Persisted var chip: Chip?
    @Persisted var weight: Decimal128
    @Persisted var photo: Data
    @Persisted var mood: AnyRealmValue
}

final class Person: Object, IndexedModel {
    @Persisted(primaryKey: true) var name: String
    @Persisted var wealth: Double

    static var indexes: [Index<Person>] {
        [Index(unique: .ascending(\.name), .descending(\.wealth))]
    }
}

final class Chip: EmbeddedObject {
    @Persisted var number: String
}

/// A store that the tests made with models, which the tool does not have.
struct Kennel {
    /// The folder of the test.
    let folder: String

    var path: String { folder + "/kennel" }

    static func configuration(_ path: String, key: EncryptionKey? = nil) -> Realm.Configuration {
        Realm.Configuration(
            path: path, objectTypes: [Dog.self, Person.self, Chip.self], encryptionKey: key,
            schemaVersion: 3)
    }

    /// Runs `body` with a store of three dogs and two persons, made by two commits.
    static func with(
        key: EncryptionKey? = nil, _ body: (Kennel) async throws -> Void
    ) async throws {
        let kennel = Kennel(folder: NSTemporaryDirectory() + "kennel-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            atPath: kennel.folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: kennel.folder) }
        let realm = try await kennel.open(key: key)
        try await realm.write(author: "first") { tx in
            let ann = try tx.create(Person.self, value: ["name": "Ann", "wealth": 12.5])
            try tx.create(Person.self, value: ["name": "Bo, \"the\" 2nd", "wealth": 0.1])
            let rex = try tx.create(Dog.self, value: ["id": 1, "name": "Rex", "age": 3])
            rex.owner = ann
            rex.born = Date(timeIntervalSince1970: 1_500_000_000.123)
            rex.tags.append(objectsIn: ["good", "loud"])
            rex.weight = 12.25
            rex.photo = Data([0, 1, 255])
            rex.mood = .string("happy")
            rex.chip = try Chip(value: ["number": "77"])
        }
        try await realm.write(author: "second") { tx in
            let kit = try tx.create(Dog.self, value: ["id": 2, "name": "Kit, the\ncat"])
            let tom = try tx.create(Dog.self, value: ["id": 3, "name": "Tom", "age": 9])
            tom.owner = tx.object(Person.self, forPrimaryKey: "Bo, \"the\" 2nd")
            // A point in time that has no text of milliseconds.
            tom.born = Date(timeIntervalSinceReferenceDate: 0.123456789)
            kit.friends.insert(tom)
        }
        try await realm.close()
        try await body(kennel)
    }

    func open(key: EncryptionKey? = nil) async throws -> Realm {
        try await Realm.open(Self.configuration(path, key: key))
    }

    /// A copy of the store as it is now, which this process has never had open.
    func copied(_ name: String) throws -> String {
        let copy = folder + "/" + name
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        return copy
    }

    /// Makes a store without objects, beside the first.
    func makeEmpty(_ name: String) async throws -> String {
        let path = folder + "/" + name
        try await Realm.open(Self.configuration(path)).close()
        return path
    }

    /// Everything in a store, as text.
    func contents(of path: String, key: EncryptionKey? = nil) async throws -> String {
        let realm = try await Realm.open(Self.configuration(path, key: key))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.userInfo[.linksAsKeys] = true
        let dogs = try encoder.encode(realm.objects(Dog.self))
        let persons = try encoder.encode(realm.objects(Person.self))
        try await realm.close()
        return String(decoding: dogs + persons, as: UTF8.self)
    }

    /// Changes a byte in the middle of what the log has.
    func damage() throws {
        let log = URL(fileURLWithPath: path + "/log")
        let name = try FileManager.default.contentsOfDirectory(atPath: log.path)
            .filter { $0.hasSuffix(".log") }.sorted()[0]
        let file = log.appendingPathComponent(name)
        var data = try Data(contentsOf: file)
        let end = (data.lastIndex { $0 != 0 } ?? 128) + 1
        data[128 + (end - 128) / 2] ^= 0xFF
        try data.write(to: file)
    }
}

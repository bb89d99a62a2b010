import Foundation
import RealmActors
import Testing

enum Mood: String, PersistableEnum { case calm, playful }
enum Rank: Int, PersistableEnum { case low = 1, high = 7 }

final class Address: EmbeddedObject {
    @Persisted var street: String = ""
    @Persisted var city: String = ""
}

final class Person: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted(indexed: true) var name: String
    @Persisted var birthday: Date?
    @Persisted var mood: Mood = .calm
    @Persisted var address: Address?
    @Persisted var dogs: List<Dog>
    @Persisted var nicknames: MutableSet<String>
    @Persisted var notes: Map<String, AnyRealmValue>
    var visits: Int = 0
    var displayName: String { name.uppercased() }
}

final class Dog: Object {
    @Persisted var name: String = ""
    @Persisted var age: Int = 0
    @Persisted var owner: Person?
    @Persisted(originProperty: "dogs") var people: LinkingObjects<Person>
}

/// One property of every type, required and optional.
final class Everything: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted(indexed: true) var bool: Bool
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var uint8: UInt8
    @Persisted var uint16: UInt16
    @Persisted var uint32: UInt32
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var uuid: UUID
    @Persisted var mood: Mood
    @Persisted(indexed: true) var rank: Rank = .high
    @Persisted var any: AnyRealmValue
    @Persisted var optionalBool: Bool?
    @Persisted var optionalInt: Int?
    @Persisted var optionalInt8: Int8?
    @Persisted var optionalFloat: Float?
    @Persisted var optionalDouble: Double?
    @Persisted var optionalString: String?
    @Persisted var optionalData: Data?
    @Persisted var optionalDate: Date?
    @Persisted var optionalUUID: UUID?
    @Persisted var optionalMood: Mood?
    @Persisted var link: Everything?
    @Persisted var embedded: Address?
    @Persisted var integers: List<Int>
    @Persisted var optionals: List<String?>
    @Persisted var moods: List<Mood>
    @Persisted var links: List<Everything>
    @Persisted var addresses: List<Address>
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var numbers: MutableSet<Int>
    @Persisted var friends: MutableSet<Everything>
    @Persisted var named: Map<String, Int>
    @Persisted var linked: Map<String, Everything?>
    @Persisted(originProperty: "link") var origins: LinkingObjects<Everything>
}

/// A superclass with properties of its own.
class Animal: Object {
    @Persisted var legs: Int = 4
}

final class Cat: Animal {
    @Persisted var lives: Int = 9
}

/// Members that the library's own would collide with, were they not in extensions.
final class Document: Object, Identifiable {
    @Persisted var description: String = "text"
    @Persisted var version: Int = 1
    @Persisted var realm: String = "domain"
    @Persisted var reference: String?
    static func == (a: Document, b: Document) -> Bool { a === b }
}

/// Opens a fresh realm in a directory of its own. Writes have no time limit, as those of
/// ``withFreshRealm(_:_:_:)``.
func freshRealm(
    _ types: [ObjectBase.Type] = [
        Person.self, Dog.self, Address.self, Everything.self, Cat.self, Animal.self, Document.self,
    ]
) async throws -> Realm {
    try await Realm.open(
        .init(path: TestFolder.path("object"), objectTypes: types, writeTimeout: nil))
}

/// The problems of a schema that no realm opens with.
func schemaProblems(
    of types: [ObjectBase.Type], sourceLocation: SourceLocation = #_sourceLocation
) async throws -> [String] {
    do {
        _ = try await freshRealm(types)
    } catch RealmError.invalidSchema(let problems) {
        return problems
    }
    Issue.record("The schema was accepted", sourceLocation: sourceLocation)
    return []
}

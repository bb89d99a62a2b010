extension Snippet {
    /// Collections, references and values of any type.
    static let collectionMisuse: [Snippet] = [
        .rejected(
            "a set returned from a write", "Sendable",
            """
            func escape(_ realm: Realm) async throws -> MutableSet<String>? {
                try await realm.write { tx in tx.objects(Person.self).first?.nicknames }
            }
            """),
        .rejected(
            "a map returned from a write", "Sendable",
            """
            func escape(_ realm: Realm) async throws -> Map<String, Int>? {
                try await realm.write { tx in tx.objects(Person.self).first?.ages }
            }
            """),
        .rejected(
            "inverse links returned from a write", "Sendable",
            """
            func escape(_ realm: Realm) async throws -> LinkingObjects<Person>? {
                try await realm.write { tx in tx.objects(Dog.self).first?.people }
            }
            """),
        .rejected(
            "live sections returned from a write", "Sendable",
            """
            func escape(_ realm: Realm) async throws -> SectionedResults<Int, Dog> {
                try await realm.write { tx in tx.objects(Dog.self).sectioned(by: \\.age) }
            }
            """),
        .rejected(
            "a live object captured by what makes sections", "non-Sendable",
            """
            func sections(_ dogs: Results<Dog>, _ rex: Dog) -> SectionedResults<Bool, Dog> {
                dogs.sectioned { $0.age > rex.age }
            }
            """),
        .rejected(
            "a value of any type returned from a write", "Sendable",
            """
            func escape(_ realm: Realm) async throws -> AnyRealmValue? {
                try await realm.write { tx in tx.objects(Person.self).first?.extra }
            }
            """),
        .rejected(
            "a value of any type in a Sendable struct", "Sendable",
            """
            struct Card: Sendable {
                let value: AnyRealmValue
            }
            """),
        .rejected(
            "a live map captured by a detached task", "data race",
            """
            actor Kennel {
                var person: Person?
                func run() {
                    guard let ages = person?.ages else { return }
                    Task.detached { ages["Rex"] = 3 }
                }
            }
            """),
        .rejected(
            "an insertion into a frozen set", "insert",
            """
            func change(_ person: Frozen<Person>) { person.nicknames.insert("Ada") }
            """),
        .rejected(
            "an assignment to an entry of a frozen map", "error:",
            """
            func change(_ person: Frozen<Person>) { person.ages["Rex"] = 3 }
            """),
        .rejected(
            "a removal from a frozen list", "remove",
            """
            func change(_ person: Frozen<Person>) { person.dogs.remove(at: 0) }
            """),
        .rejected(
            "an assignment through an element of a frozen list", "error:",
            """
            func change(_ person: Frozen<Person>) { person.dogs[0].age = 3 }
            """),
        .rejected(
            "a live object in a frozen value", "Frozen<Object>",
            """
            func wrap(_ dog: Dog) -> FrozenValue { .object(dog) }
            """),
        .rejected(
            "an append to inverse links", "append",
            """
            func change(_ dog: Dog, _ person: Person) { dog.people.append(person) }
            """),
        .rejected(
            "an element of another type in a list", "'Person'",
            """
            func change(_ person: Person) { person.dogs.append(person) }
            """),
        .rejected(
            "an element of another type in a set", "'Int'",
            """
            func change(_ person: Person) { person.nicknames.insert(3) }
            """),
        .rejected(
            "a value of another type in a map", "'String'",
            """
            func change(_ person: Person) { person.ages["Rex"] = "three" }
            """),
        .rejected(
            "a reference resolved as another class", "'Person' and 'Dog'",
            """
            func find(_ tx: WriteTransaction, _ reference: ObjectReference<Person>) {
                let dog: Dog? = tx.resolve(reference)
                _ = dog
            }
            """),
        .rejected(
            "an object lent by a frozen one and kept", "Sendable",
            """
            func keep(_ dog: Frozen<Dog>) -> Dog { dog.withObject { $0 } }
            """),
        .rejected(
            "a frozen object given to a deletion", "Frozen<Dog>",
            """
            func delete(_ tx: WriteTransaction, _ dog: Frozen<Dog>) throws { try tx.delete(dog) }
            """),
        .rejected(
            "imported objects returned from a write", "Sendable",
            """
            func escape(_ realm: Realm, _ json: Data) async throws -> CreatedObjects<Dog> {
                try await realm.write { tx in try tx.create(Dog.self, json: json) }
            }
            """),
        .rejected(
            "embedded objects imported by themselves", "'Address'",
            """
            func load(_ tx: WriteTransaction, _ json: Data) throws {
                _ = try tx.create(Address.self, json: json)
            }
            """),
        .rejected(
            "JSON imported outside a write", "tx.create(",
            """
            func load(_ realm: Realm, _ json: Data) throws {
                _ = try realm.create(Dog.self, json: json)
            }
            """),
        .rejected(
            "a live realm as a global", "not concurrency-safe",
            """
            enum Shared { nonisolated static var live: LiveRealm? }
            """),
        .rejected(
            "the transaction captured by a dispatch block", "Sendable",
            """
            import Dispatch
            func escape(_ realm: Realm) async throws {
                try await realm.write { tx in
                    DispatchQueue.global().async { _ = tx.objects(Dog.self).count }
                }
            }
            """),
        .rejected(
            "the transaction captured by a thread", "Sendable",
            """
            func escape(_ realm: Realm) async throws {
                try await realm.write { tx in
                    Thread.detachNewThread { _ = tx.objects(Dog.self).count }
                }
            }
            """),
        .rejected(
            "an object in a Sendable closure", "Sendable",
            """
            func wrap(_ dog: Dog) -> @Sendable () -> Int { { dog.age } }
            """),
        .rejected(
            "an object sent twice", "data race",
            """
            func escape(_ realm: Realm, _ other: Realm) async throws {
                let dog = Dog()
                try await realm.write { tx in try tx.add(dog) }
                try await other.write { tx in try tx.add(dog) }
            }
            """),
    ]

    /// More that cannot be stored.
    static let unsupportedElements: [Snippet] = [
        .rejected(
            "a set of embedded objects", "Address",
            """
            final class Town: Object {
                @Persisted var places: MutableSet<Address>
            }
            """),
        .rejected(
            "a map of objects that are not optional", "Dog",
            """
            final class Pack: Object {
                @Persisted var dogs: Map<String, Dog>
            }
            """),
        .rejected(
            "a map whose keys are numbers", "MapKey",
            """
            final class Pack: Object {
                @Persisted var names: Map<Int, String>
            }
            """),
        .rejected(
            "a list of lists", "ListElement",
            """
            final class Grid: Object {
                @Persisted var rows: List<List<Int>>
            }
            """),
        .rejected(
            "a set of URLs", "SetElement",
            """
            final class Page: Object {
                @Persisted var links: MutableSet<URL>
            }
            """),
        .rejected(
            "an enum that is no PersistableEnum", "PersistedValue",
            """
            enum Kind: String { case small, large }
            final class Cat: Object {
                @Persisted var kind: Kind
            }
            """),
        .rejected(
            "a persisted constant", "can only be applied to a 'var'",
            """
            final class Cat: Object {
                @Persisted let name: String
            }
            """),
        .rejected(
            "a persisted property of a struct", "@Persisted works in classes derived from Object",
            """
            struct Cat {
                @Persisted var name: String
            }
            """),
        .rejected(
            "a primary key of booleans", "'Bool'",
            """
            final class Reading: Object {
                @Persisted(primaryKey: true) var flag: Bool
            }
            """),
        .rejected(
            "an indexed link", "Dog",
            """
            final class Leash: Object {
                @Persisted(indexed: true) var dog: Dog?
            }
            """),
        .rejected(
            "a sum of texts", "'String'",
            """
            func add(_ dogs: FrozenResults<Dog>) { _ = dogs.sum(of: \\.name) }
            """),
        .rejected(
            "a link compared with a number", "error:",
            """
            func ask(_ dogs: FrozenResults<Dog>) -> Int { dogs.where { $0.owner == 3 }.count }
            """),
    ]

    /// Types of one's own, identifiers, decimals and dynamic objects.
    static let valueMisuse: [Snippet] = [
        .rejected(
            "an index over decimals", "'Decimal128'",
            """
            final class Price: Object {
                @Persisted(indexed: true) var amount: Decimal128
            }
            """),
        .rejected(
            "a decimal as a primary key", "'Decimal128'",
            """
            final class Price: Object {
                @Persisted(primaryKey: true) var amount: Decimal128
            }
            """),
        .rejected(
            "an identifier compared with a text", "'String'",
            """
            final class Item: Object {
                @Persisted(primaryKey: true) var id: ObjectId
            }
            func ask(_ items: FrozenResults<Item>, _ text: String) -> Int {
                items.where { $0.id == text }.count
            }
            """),
        .rejected(
            "a type of one's own that is stored as an array", "PersistableScalar",
            """
            struct Tags: CustomPersistable {
                var names: [String] = []
                init(persistedValue: [String]) { names = persistedValue }
                var persistableValue: [String] { names }
            }
            """),
        .rejected(
            "a type of one's own that is stored as an object by itself", "PersistableScalar",
            """
            struct Puppy: CustomPersistable {
                var name = ""
                init(persistedValue: Dog) { name = persistedValue.name }
                var persistableValue: Dog { Dog() }
            }
            """),
        .rejected(
            "a dynamic object returned from a write", "Sendable",
            """
            func escape(_ realm: Realm) async throws -> DynamicObject? {
                try await realm.write { tx in try tx.dynamicObjects("Dog").first }
            }
            """),
        .rejected(
            "an assignment to a frozen object by name", "error:",
            """
            func change(_ dog: Frozen<DynamicObject>) { dog["name"] = "Rex" }
            """),
        .rejected(
            "a nested list changed through a frozen value", "error:",
            """
            func change(_ value: FrozenValue) {
                if case .list(let values) = value { values.append(3) }
            }
            """),
        .rejected(
            "a list within a value returned from a write", "Sendable",
            """
            func escape(_ realm: Realm) async throws -> List<AnyRealmValue>? {
                try await realm.write { tx in tx.objects(Person.self).first?.extra.listValue }
            }
            """),
        .rejected(
            "a slice of a live list returned from a write", "Sendable",
            """
            func escape(_ realm: Realm) async throws -> Slice<List<Dog>>? {
                try await realm.write { tx in tx.objects(Person.self).first?.dogs.prefix(2) }
            }
            """),
    ]
}

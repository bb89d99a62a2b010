extension Snippet {
    /// What users write every day.
    static let acceptedSnippets: [Snippet] = [
        .accepted(
            "an unmanaged object captured by a write",
            """
            func addsAnObject(_ realm: Realm) async throws {
                let dog = Dog()
                dog.name = "Rex"
                try await realm.write { tx in try tx.add(dog) }
            }
            """),
        .accepted(
            "collections compared with a value, and texts with another property",
            """
            func comparesCollections(_ people: FrozenResults<Person>) -> Int {
                people.where {
                    $0.nicknames == "Ann" && $0.ages > 3 && $0.notes != "x" && $0.dogs.age >= 2
                        && $0.name.contains($0.address.street, options: .caseInsensitive)
                        && $0.dogs.all.name.starts(with: $0.name) && $0.extra.in([1, "two"])
                }.count
            }
            """),
        .accepted(
            "arrays of a model's own, which are no properties of the database",
            """
            extension Person {
                var words: [String] { name.split(separator: " ").map(String.init) }
                var lengths: Set<Int> { Set(words.map(\\.count)) }
            }
            func mapsToArrays(_ people: FrozenResults<Person>, _ live: Results<Person>) -> Int {
                let frozen: [[String]] = people.map(\\.words)
                let now: [Set<Int>] = live.map(\\.lengths)
                let sorted: [Person] = live.sorted { $0.words.count < $1.words.count }
                let owners: [Person?] = live.flatMap { Array($0.dogs) }.map(\\.owner)
                return frozen.count + now.count + sorted.count + owners.count
            }
            """),
        .accepted(
            "an enum that may be missing, as key and with an index",
            """
            enum Weather: String, PersistableEnum { case sun, rain }
            final class Day: Object {
                @Persisted(primaryKey: true) var weather: Weather?
                @Persisted(indexed: true) var other: Weather? = .rain
            }
            """),
        .accepted(
            "a JSON dictionary captured by a write",
            """
            func addsFromJSON(_ realm: Realm, _ data: Data) async throws {
                let json = try JSONSerialization.jsonObject(with: data)
                try await realm.write { tx in try tx.create(Dog.self, value: json) }
            }
            """),
        .accepted(
            "a counter captured by a write",
            """
            func countsRows(_ realm: Realm) async throws -> Int {
                let limit = 3
                return try await realm.write { tx in
                    var count = 0
                    for age in 0..<limit {
                        try tx.add(Dog(value: ["age": age]))
                        count += 1
                    }
                    return count
                }
            }
            """),
        .accepted(
            "a stored closure as the body",
            """
            func runsABody(
                _ realm: Realm, _ body: sending @escaping (WriteTransaction) throws -> Void
            ) async throws {
                try await realm.write(body)
            }
            """),
        .accepted(
            "a write of one line",
            """
            func writesOneLine(_ realm: Realm) async throws {
                try await realm.write { tx in try tx.create(Dog.self, value: ["name": "Rex"]) }
            }
            """),
        .accepted(
            "a frozen object returned from a write",
            """
            func returnsFrozen(_ realm: Realm) async throws -> Frozen<Dog> {
                try await realm.write { tx in
                    let dog = try Dog(value: ["name": "Rex", "age": 3])
                    try tx.add(dog)
                    return dog.freeze()
                }
            }
            """),
        .accepted(
            "a frozen object resolved in a transaction",
            """
            func resolves(_ realm: Realm, _ rex: Frozen<Dog>) async throws {
                try await realm.write { tx in tx.resolve(rex)?.age += 1 }
                try await realm.write { tx in tx.resolve(rex.reference)?.age += 1 }
            }
            """),
        .accepted(
            "a live write in a task on the same actor",
            """
            actor LiveKennel {
                var live: LiveRealm?
                func open(_ realm: Realm) async throws { live = try await realm.live() }
                func birthday(_ reference: ObjectReference<Dog>) {
                    Task {
                        guard let live, let dog = live.resolve(reference) else { return }
                        try await live.write { dog.age += 1 }
                    }
                }
            }
            """),
        .accepted(
            "a live realm on the main actor",
            """
            @MainActor final class DogList {
                var live: LiveRealm?
                func open(_ realm: Realm) async throws { live = try await realm.live() }
                func names() -> [String] { live?.objects(Dog.self).map { $0.name } ?? [] }
            }
            """),
        .accepted(
            "frozen objects shared by tasks",
            """
            func sharesFrozen(_ dogs: FrozenResults<Dog>) async -> Int {
                await withTaskGroup(of: Int.self) { group in
                    for dog in dogs.prefix(8) {
                        group.addTask { dog.age + (dog.owner?.name.count ?? 0) }
                    }
                    return await group.reduce(0, +)
                }
            }
            """),
        .accepted(
            "changes of a collection, with key paths across a link",
            """
            func watchesDogs(_ realm: Realm) async throws {
                let adults = realm.objects(Dog.self).where { $0.age > 3 }
                for try await change in adults.changes(keyPaths: [\\.name, \\.owner?.name]) {
                    switch change {
                    case .initial(let dogs): _ = dogs.count
                    case .update(let dogs, let deletions, let insertions, let modifications):
                        _ = dogs.count + deletions.count + insertions.count + modifications.count
                    }
                }
            }
            """),
        .accepted(
            "changes of an object",
            """
            func watchesOne(_ rex: Frozen<Dog>) async throws {
                for try await change in rex.changes(keyPaths: [\\.age]) {
                    switch change {
                    case .change(let dog, let properties): _ = dog.age + properties.count
                    case .deleted: return
                    }
                }
            }
            """),
        .accepted(
            "a query over links and text",
            """
            func asks(_ realm: Realm) -> Int {
                realm.objects(Dog.self)
                    .where { $0.age > 3 && ($0.name.contains("e") || $0.owner.name == "Ada") }
                    .sorted(by: \\.name)
                    .count
            }
            """),
        .accepted(
            "a snapshot kept in a Sendable struct",
            """
            struct Report: Sendable {
                let snapshot: Snapshot
                let dogs: FrozenResults<Dog>
                let best: Frozen<Dog>?
                let reference: ObjectReference<Dog>?
            }
            """),
        .accepted(
            "an object made in a task",
            """
            func addsFromATask(_ realm: Realm) {
                Task {
                    let dog = Dog()
                    try await realm.write { tx in try tx.add(dog) }
                }
            }
            """),
        .accepted(
            "projections, live and frozen",
            """
            func readsProjections(_ realm: Realm) async throws -> [String] {
                try await realm.write { tx in
                    for dog in tx.objects(DogView.self) { dog.title += "!" }
                }
                return realm.objects(PersonView.self).flatMap { Array($0.dogsNames) }
            }
            """),
        .accepted(
            "changes of a projection",
            """
            func watchesAProjection(_ rex: FrozenProjection<DogView>) async throws {
                for try await change in rex.changes(keyPaths: [\\.title, \\.ownersName]) {
                    switch change {
                    case .change(let dog, let properties): _ = dog.title.count + properties.count
                    case .deleted: return
                    }
                }
            }
            """),
        .accepted(
            "frozen collections kept in a Sendable struct",
            """
            struct Contents: Sendable {
                let dogs: FrozenList<Frozen<Dog>>
                let names: FrozenSet<String>
                let ages: FrozenMap<Int>
                let notes: FrozenMap<FrozenValue>
                let people: FrozenResults<Person>
                let view: FrozenProjection<DogView>
                let titles: FrozenProjectedCollection<String>
                init(_ person: Frozen<Person>, _ dog: Frozen<Dog>, _ all: FrozenResults<Person>) {
                    dogs = person.dogs
                    names = person.nicknames
                    ages = person.ages
                    notes = person.notes
                    people = dog.people
                    view = FrozenProjection(projecting: dog)
                    titles = FrozenProjection<PersonView>(projecting: person).dogsNames
                }
            }
            """),
        .accepted(
            "JSON imported in a write",
            """
            func importsJSON(_ realm: Realm, _ json: Data) async throws -> Int {
                try await realm.write { tx in
                    try tx.create(Person.self, json: json, update: .modified).count
                }
            }
            """),
        .accepted(
            "inverse links of an embedded class",
            """
            final class Street: EmbeddedObject {
                @Persisted var houses: List<House>
            }
            final class House: EmbeddedObject {
                @Persisted(originProperty: "houses") var streets: LinkingObjects<Street>
            }
            func street(of house: Frozen<House>) -> Frozen<Street>? { house.streets.first }
            """),
        .accepted(
            "names with more than one meaning",
            """
            func amongResults(_ dogs: FrozenResults<Dog>, _ some: [Frozen<Dog>]) -> Bool {
                some.allSatisfy(dogs.contains) && some.contains { dogs.firstIndex(of: $0) == 0 }
            }
            func plainConfigurations() -> [Realm.Configuration] {
                [.init(), .init(path: "a"), .init(objectTypes: [Dog.self], schemaVersion: 2)]
            }
            @MainActor func hearsOfValues(_ person: Person) throws -> [NotificationToken] {
                try [
                    person.observe { _ in }, person.dogs.observe { _ in },
                    person.nicknames.observe { _ in }, person.notes.observe { _ in },
                    person.ages.observe(on: MainActor.shared) { _, _ in },
                ]
            }
            """),
        .accepted(
            "copies whose reports nobody reads",
            """
            func copiesFiles(_ realm: Realm) async throws {
                try await realm.backUp(to: "backup.realm")
                try await realm.writeCopy(to: "copy.realm")
                try Realm.deleteFiles(at: "copy.realm")
            }
            """),
        .accepted(
            "state of an actor that a write captures by value",
            """
            @MainActor final class DogForm {
                var name = ""
                func save(_ realm: Realm) async throws {
                    try await realm.write { [name] tx in
                        try tx.create(Dog.self, value: ["name": name])
                    }
                }
            }
            """),
        .accepted(
            "extensions of collections of objects",
            """
            extension List where Element: Object { var firstObject: Element? { first } }
            extension MutableSet where Element: Object { var firstObject: Element? { first } }
            extension LinkingObjects where Element: Object { var firstObject: Element? { first } }
            extension Results where Model: Object { var firstObject: Model? { first } }
            extension FrozenResults where Model: Object { var firstOne: Frozen<Model>? { first } }
            """),
    ]
}

import Foundation
import Testing

@testable import RealmActors

extension RowOwner {
    fileprivate var label: String { (dog == nil ? "lonely " : "") + name }
}

/// What key paths watch, each for an object and for a collection, with key paths of Swift and as
/// text.
@Suite struct KeyPathTests {
    @Test("N13: [\"dog\"] fires on reassigning dog and on its deletion, not on dog.name")
    func dog() async throws {
        let world = try await RowWorld()
        let streams = try KeyPathProbes(world, ["dog"], [\.dog])
        try await world.edit { _, dogs in dogs[0].name = "x" }
        #expect(try streams.nextSummary() == "")
        try await world.edit { owner, dogs in owner.dog = dogs[1] }
        #expect(try streams.nextSummary() == "dog")
        try await world.delete(dog: 1)
        #expect(try streams.nextSummary() == "dog")
    }

    @Test("N14: [\"dog.name\"] fires on dog.name and on dog reassignment")
    func dogName() async throws {
        let world = try await RowWorld()
        let streams = try KeyPathProbes(world, ["dog.name"], [\.dog?.name])
        try await world.edit { _, dogs in dogs[0].name = "x" }
        #expect(try streams.nextSummary() == "dog")
        try await world.edit { _, dogs in
            dogs[0].age = 3
            dogs[1].name = "y"
        }
        #expect(try streams.nextSummary() == "")
        try await world.edit { owner, dogs in owner.dog = dogs[1] }
        #expect(try streams.nextSummary() == "dog")
        try await world.edit { _, dogs in dogs[1].name = "z" }
        #expect(try streams.nextSummary() == "dog")
        try await world.edit { owner, _ in owner.name = "o" }
        #expect(try streams.nextSummary() == "")
    }

    @Test("N30: key paths are of any depth")
    func depth() async throws {
        let world = try await RowWorld()
        let deep = try KeyPathProbes(
            world, ["dog.friend.friend.tag.text"], [\.dog?.friend?.friend?.tag?.text])
        try await world.edit { _, dogs in dogs[1].tag?.text = "x" }
        #expect(try deep.nextSummary() == "")
        try await world.edit { _, dogs in dogs[1].friend = dogs[1] }
        #expect(try deep.nextSummary() == "dog")
        try await world.edit { _, dogs in dogs[1].tag?.text = "y" }
        #expect(try deep.nextSummary() == "dog")
        let long = Array(repeating: "friend", count: 12).joined(separator: ".")
        let longer = try KeyPathProbes(world, ["dog.\(long).age"], nil)
        try await world.edit { _, dogs in dogs[1].age = 1 }
        #expect(try longer.nextSummary() == "dog")
    }

    @Test("N15: [\"employees\"] fires on insert, remove, move and replace only")
    func employees() async throws {
        let world = try await RowWorld()
        let streams = try KeyPathProbes(world, ["employees"], [\.employees])
        let edits: [@Sendable (RowOwner, [RowDog]) -> Void] = [
            { owner, dogs in owner.employees.append(objectsIn: dogs) },
            { owner, _ in owner.employees.move(from: 0, to: 2) },
            { owner, dogs in owner.employees[1] = dogs[1] },
            { owner, _ in owner.employees.remove(at: 0) },
        ]
        for edit in edits {
            try await world.edit { edit($0, $1) }
            #expect(try streams.nextSummary() == "employees -")
        }
        try await world.edit { _, dogs in for dog in dogs { dog.name = "x" } }
        #expect(try streams.nextSummary() == "")
    }

    @Test("N16: [\"employees.age\"] fires on an element's age and on list mutations")
    func employeesAge() async throws {
        let world = try await RowWorld()
        let streams = try KeyPathProbes(world, ["employees.age"], [\.employees.age])
        try await world.edit { owner, dogs in owner.employees.append(dogs[2]) }
        #expect(try streams.nextSummary() == "employees -")
        try await world.edit { _, dogs in dogs[2].age = 1 }
        #expect(try streams.nextSummary() == "employees -")
        try await world.edit { _, dogs in dogs[2].name = "x" }
        #expect(try streams.nextSummary() == "")
        try await world.delete(dog: 2)
        #expect(try streams.nextSummary() == "employees -")
    }

    @Test("N30: key paths go through sets, maps and embedded objects")
    func collections() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in
            owner.pack.insert(dogs[0])
            owner.byName["a"] = .some(dogs[1])
            owner.tags.append(RowTag())
        }
        let pack = try KeyPathProbes(world, ["pack.age"], [\.pack.age])
        let names = try KeyPathProbes(world, ["byName.age"], nil)
        let tags = try KeyPathProbes(world, ["tags.text"], [\.tags.text])
        let numbers = try KeyPathProbes(world, ["numbers"], [\.numbers])
        try await world.edit { owner, dogs in
            for dog in dogs { dog.name = "x" }
            owner.name = "y"
        }
        for streams in [pack, names, tags, numbers] { #expect(try streams.nextSummary() == "") }
        try await world.edit { owner, dogs in
            dogs[0].age = 1
            dogs[1].age = 1
            owner.tags[0].text = "t"
            owner.numbers.append(1)
        }
        #expect(try pack.nextSummary() == "pack -")
        #expect(try names.nextSummary() == "byName -")
        #expect(try tags.nextSummary() == "tags -")
        #expect(try numbers.nextSummary() == "numbers -")
        try await world.edit { owner, dogs in
            owner.pack.remove(dogs[0])
            owner.byName["b"] = .some(dogs[0])
            owner.tags.removeAll()
        }
        #expect(try pack.nextSummary() == "pack -")
        #expect(try names.nextSummary() == "byName -")
        #expect(try tags.nextSummary() == "tags -")
        #expect(try numbers.nextSummary() == "")
    }

    @Test("N17: backlinks [\"owners\"] and [\"owners.name\"] follow the same two rules")
    func backlinks() async throws {
        let world = try await RowWorld()
        let dog = try world.dog(0)
        let owners = [dog.changes(keyPaths: ["owners"]), dog.changes(keyPaths: [\.owners])]
            .map { $0.probe() }
        let names = [
            dog.changes(keyPaths: ["owners.name"]), dog.changes(keyPaths: [\.owners.name]),
        ].map { $0.probe() }
        let all = world.realm.objects(RowDog.self)
        let rows = try [
            all.changes(keyPaths: ["owners.name"]), all.changes(keyPaths: [\.owners.name]),
        ].map { try $0.probe() }
        try await world.edit { owner, _ in owner.name = "x" }
        for probe in owners { #expect(try probe.nextSummary() == "") }
        for probe in names { #expect(try probe.nextSummary() == "owners -") }
        for probe in rows { #expect(try probe.nextSummary() == "-[] +[] ~[0]") }
        try await world.edit { owner, dogs in owner.dog = dogs[1] }
        for probe in owners + names { #expect(try probe.nextSummary() == "owners -") }
        for probe in rows { #expect(try probe.nextSummary() == "-[] +[] ~[0, 1]") }
        try await world.edit { owner, dogs in owner.numbers.append(1) }
        for probe in owners + names { #expect(try probe.nextSummary() == "") }
        for probe in rows { #expect(try probe.nextSummary() == "") }
    }

    /// The program stopped with the first, and names were not watched with the second.
    @Test("N17: a key path through one of the backlinks means all of them")
    func oneOfTheBacklinks() async throws {
        let world = try await RowWorld()
        let dog = try world.dog(0)
        let probes = [
            dog.changes(keyPaths: [\.owners[0].name]),
            dog.changes(keyPaths: [\.owners.first?.name]),
        ].map { $0.probe() }
        try await world.edit { owner, _ in owner.name = "x" }
        for probe in probes { #expect(try probe.nextSummary() == "owners -") }
        try await world.edit { owner, _ in owner.numbers.append(1) }
        for probe in probes { #expect(try probe.nextSummary() == "") }
    }

    @Test("N17: key paths go through backlinks of what links lead to")
    func backlinksOfLinks() async throws {
        let world = try await RowWorld()
        let streams = try KeyPathProbes(world, ["dog.owners.name"], [\.dog?.owners.name])
        try await world.edit { owner, _ in owner.numbers.append(1) }
        #expect(try streams.nextSummary() == "")
        try await world.edit { owner, _ in owner.name = "x" }
        #expect(try streams.nextSummary() == "dog")
        let towns = try KeyPathProbes(world, ["town"], [\.town])
        try await world.realm.write { tx in
            let town = try tx.create(RowTown.self, value: ["id": 1])
            town.owners.append(try #require(tx.object(RowOwner.self, forPrimaryKey: 0)))
        }
        #expect(try towns.nextSummary() == "town -")
        try await world.realm.write { tx in
            try tx.delete(#require(tx.object(RowTown.self, forPrimaryKey: 1)))
        }
        #expect(try towns.nextSummary() == "town -")
    }

    @Test("N17: backlinks never notify unless in a key path")
    func backlinksByDefault() async throws {
        let world = try await RowWorld()
        let object = try world.dog(2).changes().probe()
        let dogs = try world.realm.objects(RowDog.self).changes().probe()
        try await world.edit { owner, dogs in
            owner.name = "x"
            owner.dog = dogs[2]
        }
        #expect(try object.nextSummary() == "")
        #expect(try dogs.nextSummary() == "")
    }

    @Test("N18: the root property's name is reported, in the order of the schema")
    func roots() async throws {
        let world = try await RowWorld()
        let owner = try world.owner
        let probe = owner.changes(
            keyPaths: ["town", "employees.age", "dog.friend.age", "name", "dog.age"]
        ).probe()
        try await world.realm.write { tx in
            let owner = try #require(tx.object(RowOwner.self, forPrimaryKey: 0))
            try tx.create(RowTown.self, value: ["id": 1]).owners.append(owner)
            owner.employees.append(try #require(owner.dog))
            owner.dog?.friend?.age = 9
            owner.dog?.age = 9
            owner.name = "x"
        }
        #expect(try probe.nextSummary() == "name, dog, employees -, town -")
    }

    @Test("N29: [\"*\"] stands for every property, [\"*.age\"] for that of all that is linked")
    func wildcards() async throws {
        let world = try await RowWorld()
        let own = try KeyPathProbes(world, ["*"], nil)
        let swift = try KeyPathProbes(world, [#"\.*"#], nil)
        let ages = try KeyPathProbes(world, ["*.age"], nil)
        let two = try KeyPathProbes(world, ["*.*"], nil)
        func nextSummaries() throws -> [String] {
            try [own, swift, ages, two].map { try $0.nextSummary() }
        }
        try await world.edit { _, dogs in dogs[0].name = "x" }
        #expect(try nextSummaries() == ["", "", "", "dog"])
        try await world.edit { _, dogs in dogs[0].age = 1 }
        #expect(try nextSummaries() == ["", "", "dog", "dog"])
        try await world.edit { _, dogs in dogs[1].age = 1 }
        #expect(try nextSummaries() == ["", "", "", ""])
        try await world.edit { owner, _ in owner.name = "x" }
        #expect(try nextSummaries() == ["name", "name", "", "name"])
    }

    @Test("N29: a wildcard stands for properties of elements, and the path continues from it")
    func wildcardsOfElements() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in owner.employees.append(dogs[2]) }
        let elements = try KeyPathProbes(world, ["employees.*"], nil)
        let friends = try KeyPathProbes(world, ["*.friend.age"], nil)
        func nextSummaries() throws -> [String] {
            [try elements.nextSummary(), try friends.nextSummary()]
        }
        try await world.edit { _, dogs in dogs[2].name = "x" }
        #expect(try nextSummaries() == ["employees -", ""])
        try await world.edit { _, dogs in dogs[2].friend = dogs[1] }
        #expect(try nextSummaries() == ["employees -", "employees -"])
        try await world.edit { _, dogs in dogs[1].age = 1 }
        #expect(try nextSummaries() == ["", "dog, employees -"])
        try await world.edit { _, dogs in dogs[0].name = "x" }
        #expect(try nextSummaries() == ["", ""])
    }

    /// A key path that continued after a map was refused, and a position other than the first, or
    /// any of a collection of values, stopped the program.
    @Test("N30: a position or key in a key path of Swift means all of them")
    func positionsAndKeys() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in
            owner.byName["a"] = .some(dogs[0])
            owner.employees.append(dogs[1])
            owner.pack.insert(dogs[2])
        }
        let map = try KeyPathProbes(world, ["byName"], [\.byName["b"]])
        let names = try KeyPathProbes(world, ["byName.age"], [\.byName["b"]??.age])
        let friends = try KeyPathProbes(world, ["byName.friend.age"], [\.byName["b"]??.friend?.age])
        let employees = try KeyPathProbes(world, ["employees.age"], [\.employees[7].age])
        let pack = try KeyPathProbes(world, ["pack.age"], [\.pack[7].age])
        let numbers = try KeyPathProbes(world, ["numbers"], [\.numbers[7]])
        let count = try world.owner.changes(keyPaths: [\.byName.count]).probe()
        func nextSummaries() throws -> [String] {
            try [map, names, friends, employees, pack, numbers].map { try $0.nextSummary() }
        }
        try await world.edit { _, dogs in dogs[0].age = 1 }
        #expect(try nextSummaries() == ["", "byName -", "", "", "", ""])
        try await world.edit { _, dogs in dogs[1].age = 1 }
        #expect(try nextSummaries() == ["", "", "byName -", "employees -", "", ""])
        try await world.edit { _, dogs in dogs[2].age = 1 }
        #expect(try nextSummaries() == ["", "", "", "", "pack -", ""])
        try await world.edit { owner, _ in owner.numbers.append(1) }
        #expect(try nextSummaries() == ["", "", "", "", "", "numbers -"])
        #expect(try count.nextSummary() == "")
        try await world.edit { owner, dogs in owner.byName["b"] = .some(dogs[1]) }
        #expect(try nextSummaries() == ["byName -", "byName -", "byName -", "", "", ""])
        #expect(try count.nextSummary() == "byName -")
    }

    @Test("N20: an invalid path is an error at registration that names property and class")
    func invalidPaths() async throws {
        let world = try await RowWorld()
        let owner = try world.owner
        for path in ["nme", "dog.nme", "employees.x", "name.length", "", "dog.", "*.nme"] {
            let error = #expect(throws: RealmError.self, "\(path)") {
                try owner.observe(on: MainActor.shared, keyPaths: [path]) { _, _ in }
            }
            guard case .invalidKeyPath(let text)? = error else {
                Issue.record("\(path) gives \(String(describing: error))")
                continue
            }
            #expect(path != "dog.nme" || text.contains("'nme'") && text.contains("'RowDog'"))
            #expect(throws: RealmError.self) {
                try owner.employees.observe(on: MainActor.shared, keyPaths: [path]) { _, _ in }
            }
            var stream = world.realm.objects(RowOwner.self).changes(keyPaths: [path])
                .makeAsyncIterator()
            await #expect(throws: RealmError.self) { try await stream.next() }
        }
    }

    /// What was read of two objects was taken for one path, and the name of the dog was watched.
    @Test("N20: what is computed from several properties is no path")
    func computedPaths() async throws {
        let world = try await RowWorld()
        let owner = try world.owner
        let error = #expect(throws: RealmError.self) {
            try owner.observe(on: MainActor.shared, keyPaths: [\.label]) { _, _ in }
        }
        guard case .invalidKeyPath(let text)? = error else {
            Issue.record("expected a refusal, not \(String(describing: error))")
            return
        }
        #expect(text.contains("'dog', 'name'"))
    }

    /// What an inverse shows was remembered from before the link that leads to it was changed, and
    /// the change was reported again with the next commit of the class that links back.
    @Test func aLinkThatLeadsToAnotherInverseIsReportedOnce() async throws {
        let world = try await RowWorld()
        let streams = try KeyPathProbes(world, ["dog.friend.owners"], nil)
        let path = ["friend.owners"]
        let dog = try world.dog(2).changes(keyPaths: path).probe()
        let dogs = try world.realm.objects(RowDog.self).changes(keyPaths: path).probe()
        try await world.edit { _, dogs in
            dogs[0].friend = dogs[2]
            dogs[2].friend = dogs[0]
        }
        #expect(try streams.nextSummary() == "dog")
        #expect(try dog.nextSummary() == "friend")
        #expect(try dogs.nextSummary() == "-[] +[] ~[0, 2]")
        try await world.edit { owner, _ in owner.numbers.append(1) }
        #expect(try streams.nextSummary() == "")
        #expect(try dog.nextSummary() == "")
        #expect(try dogs.nextSummary() == "")
        try await world.edit { owner, _ in owner.dog = nil }
        #expect(try streams.nextSummary() == "dog")
        #expect(try dog.nextSummary() == "friend")
        #expect(try dogs.nextSummary() == "-[] +[] ~[2]")
    }

    @Test("D10: every subscriber is filtered by its own key paths exactly")
    func ownPaths() async throws {
        let world = try await RowWorld()
        let name = try KeyPathProbes(world, ["name"], [\.name])
        let dog = try KeyPathProbes(world, ["dog.age"], [\.dog?.age])
        try await world.edit { owner, _ in owner.name = "x" }
        #expect(try name.nextSummary() == "name")
        #expect(try dog.nextSummary() == "")
        try await world.edit { _, dogs in dogs[0].age = 1 }
        #expect(try name.nextSummary() == "")
        #expect(try dog.nextSummary() == "dog")
    }

    @Test("D11: [] is the same as no key paths: every property")
    func noPaths() async throws {
        let world = try await RowWorld()
        let object = try world.owner.changes(keyPaths: [] as [String]).probe()
        let rows = try world.realm.objects(RowOwner.self).changes(keyPaths: [] as [String]).probe()
        try await world.edit { _, dogs in dogs[0].age = 1 }
        #expect(try object.nextSummary() == "")
        #expect(try rows.nextSummary() == "-[] +[] ~[0]")
        try await world.edit { owner, _ in owner.numbers.append(1) }
        #expect(try object.nextSummary() == "numbers -")
        #expect(try rows.nextSummary() == "-[] +[] ~[0]")
    }
}

import Foundation
import RealmActors
import Testing

private enum Whole {
    final class Leaf: EmbeddedObject {
        @Persisted var size: Int
    }
    final class Branch: EmbeddedObject {
        @Persisted var leaves: List<Leaf>
    }
    final class Tree: Object {
        @Persisted var name: String
        @Persisted var branch: Branch?
        @Persisted var branches: List<Branch>
    }
    static let types: [ObjectBase.Type] = [Leaf.self, Branch.self, Tree.self]
}
private enum Pruned {
    final class Tree: Object {
        @Persisted var name: String
        @Persisted var branches: List<Whole.Branch>
    }
}
private enum Bare {
    final class Tree: Object {
        @Persisted var name: String
    }
}
private enum Loose {
    final class Node: Object {
        @Persisted var name: String
        @Persisted var next: Node?
    }
    final class Owner: Object {
        @Persisted var node: Node?
    }
}
private enum Tied {
    final class Node: EmbeddedObject {
        @Persisted var name: String
        @Persisted var next: Node?
    }
    final class Owner: Object {
        @Persisted var node: Node?
    }
}

private enum Pinned {
    final class Board: Object {
        @Persisted var node: Loose.Node?
        @Persisted var values: List<AnyRealmValue>
    }
}
private enum Fixed {
    final class Board: Object {
        @Persisted var node: Tied.Node?
        @Persisted var values: List<AnyRealmValue>
    }
}

private enum Homes {
    final class Home: EmbeddedObject {
        @Persisted var street: String
    }
    final class Person: Object {
        @Persisted var home: Home?
    }
}
private enum Moved {
    final class Person: Object {
        @Persisted var home: Homes.Home?
        @Persisted var before: Homes.Home?
    }
}

private enum Freed {
    final class Home: Object {
        @Persisted var street: String
    }
    final class Person: Object {
        @Persisted var home: Home?
    }
}

/// Embedded objects whose parents go, and those that a class becomes.
@Suite struct MigrationEmbeddingTests {
    /// They stayed without a parent, which `verify()` finds fault with.
    @Test("G7, G12: a property that goes takes the embedded objects along that it held")
    func whatARemovedPropertyHeldGoes() async throws {
        try await withStorePath { path in
            let old = try await Realm.open(.init(path: path, objectTypes: Whole.types))
            try await old.write { tx in
                for number in 0..<300 {
                    let branch: [String: Any] = ["leaves": [["size": number]]]
                    try tx.create(
                        Whole.Tree.self,
                        value: [
                            "name": "t\(number)", "branch": branch, "branches": [branch],
                        ] as [String: Any])
                }
            }
            try await old.close()
            var realm = try await Realm.open(
                .init(
                    path: path,
                    objectTypes: [Pruned.Tree.self, Whole.Branch.self, Whole.Leaf.self],
                    schemaVersion: 1))
            #expect(try realm.dynamicObjects("Branch").count == 300)
            #expect(try realm.dynamicObjects("Leaf").count == 300)
            let sizes = realm.objects(Pruned.Tree.self).map { tree in
                tree.branches.first?.leaves.first?.size
            }
            #expect(sizes == (0..<300).map { Optional($0) })
            #expect(try await realm.verify().isIntact)
            try await realm.close()
            // Also where the models have no embedded class any more.
            realm = try await Realm.open(
                .init(path: path, objectTypes: [Bare.Tree.self], schemaVersion: 2))
            #expect(realm.objects(Bare.Tree.self).count == 300)
            #expect(try realm.dynamicObjects("Branch").isEmpty)
            #expect(try realm.dynamicObjects("Leaf").isEmpty)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    /// What the block had given the new property stayed without a parent.
    @Test("G10, G12: a late rename leaves no embedded object without a parent")
    func aLateRenameLeavesNothingWithoutAParent() async throws {
        try await withStorePath { path in
            let old = try await Realm.open(
                .init(path: path, objectTypes: [Homes.Person.self, Homes.Home.self]))
            try await old.write { tx in
                for number in 0..<3 {
                    let home: [String: Any] = ["street": "old \(number)"]
                    try tx.create(Homes.Person.self, value: ["home": home])
                }
            }
            try await old.close()
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Moved.Person.self, Homes.Home.self], schemaVersion: 1)
            configuration.migration = { migration, _ in
                try migration.enumerateObjects(ofType: "Person") { _, new in
                    new?["before"] = ["street": "new"]
                }
                try migration.renameProperty(onType: "Person", from: "home", to: "before")
            }
            let realm = try await Realm.open(configuration)
            let persons = realm.objects(Moved.Person.self)
            #expect(persons.map { $0.before?.street } == ["old 0", "old 1", "old 2"])
            #expect(persons.allSatisfy { $0.home == nil })
            #expect(try realm.dynamicObjects("Home").count == 3)
            let report = try await realm.verify()
            #expect(report.isIntact, "\(report)")
            try await realm.close()
        }
    }

    /// A copy was made of each, and the one before stayed, to which nothing led any more.
    @Test("G12: what was embedded and is no longer is linked to")
    func whatIsEmbeddedNoLongerIsLinkedTo() async throws {
        try await withStorePath { path in
            let old = try await Realm.open(
                .init(path: path, objectTypes: [Homes.Person.self, Homes.Home.self]))
            try await old.write { tx in
                let home: [String: Any] = ["street": "old"]
                try tx.create(Homes.Person.self, value: ["home": home])
                return
            }
            try await old.close()
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Freed.Person.self, Freed.Home.self], schemaVersion: 1)
            configuration.migration = { migration, _ in
                try migration.enumerateObjects(ofType: "Person") { old, new in
                    new?["home"] = old?["home"]
                }
            }
            let realm = try await Realm.open(configuration)
            #expect(realm.objects(Freed.Person.self).map { $0.home?.street } == ["old"])
            #expect(realm.objects(Freed.Home.self).count == 1)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test("G12: a class becomes embedded and top-level again")
    func thereAndBack() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            var realm = try await Realm.open(
                .init(
                    path: path,
                    objectTypes: [Embedding.Person.self, Embedding.Place.self, Before.Nest.self],
                    schemaVersion: 1))
            #expect(try realm.dynamicObjects("Place").count == 6)
            try await realm.close()
            realm = try await Realm.open(
                .init(path: path, objectTypes: Before.types, schemaVersion: 2))
            for person in realm.objects(Before.Person.self) {
                #expect(person.home?.street == "S\(person.id)")
                #expect(person.home?.inner?.depth == person.id)
                #expect(person.homes.map(\.street) == ["S\(person.id)"])
                // It went with the models that lack it.
                #expect(person.fullName == "")
            }
            try await realm.write { tx in try tx.delete(tx.objects(Before.Person.self)) }
            #expect(realm.objects(Before.Place.self).count == 6)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    /// Each of them had a parent, so that they stayed, where nothing leads to.
    @Test("G12: objects that only have each other go like orphans")
    func objectsThatOnlyHaveEachOtherGo() async throws {
        try await withStorePath { path in
            let old = try await Realm.open(
                .init(path: path, objectTypes: [Loose.Owner.self, Loose.Node.self]))
            try await old.write { tx in
                let nodes = try ["a", "b", "c", "d", "e"].map {
                    try tx.create(Loose.Node.self, value: ["name": $0])
                }
                // A cycle of three, and a chain that an owner has.
                nodes[0].next = nodes[1]
                nodes[1].next = nodes[2]
                nodes[2].next = nodes[0]
                nodes[3].next = nodes[4]
                let owner = try tx.create(Loose.Owner.self)
                owner.node = nodes[3]
            }
            try await old.close()
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Tied.Owner.self, Tied.Node.self], schemaVersion: 1)
            #expect(try await Realm.migrationPlan(for: configuration).outcome == .migrate)
            let realm = try await Realm.open(configuration)
            let node = realm.objects(Tied.Owner.self).first?.node
            #expect(node?.name == "d" && node?.next?.name == "e")
            #expect(try realm.dynamicObjects("Node").count == 2)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    /// It was deleted where it had no other parent, and else the link led to what no value shows.
    @Test("G12: objects that values of any type link to are not embedded")
    func objectsThatValuesLinkToAreNotEmbedded() async throws {
        try await withStorePath { path in
            let former = Realm.Configuration(
                path: path, objectTypes: [Pinned.Board.self, Loose.Node.self])
            let old = try await Realm.open(former)
            try await old.write { tx in
                let board = try tx.create(Pinned.Board.self)
                board.node = try tx.create(Loose.Node.self, value: ["name": "a"])
                let pinned = try tx.create(Loose.Node.self, value: ["name": "b"])
                board.values.append(["deep": [.object(pinned)]])
            }
            try await old.close()
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Fixed.Board.self, Tied.Node.self], schemaVersion: 1)
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(configuration)
            }
            #expect(error?.description.contains("'Board.values' links to an object") == true)
            let refused = try await Realm.migrationPlan(for: configuration)
            #expect(refused.description.contains("'Board.values' links to an object"))
            let same = try await Realm.open(former)
            #expect(same.objects(Loose.Node.self).map(\.name) == ["a", "b"])
            try await same.close()
            configuration.migration = { migration, _ in
                try migration.enumerateObjects(ofType: "Board") { _, new in
                    new?["values"] = [1]
                }
            }
            let realm = try await Realm.open(configuration)
            let board = realm.objects(Fixed.Board.self).first
            #expect(board?.node?.name == "a" && board?.values.first == FrozenValue.int(1))
            #expect(try realm.dynamicObjects("Node").count == 1)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }
}

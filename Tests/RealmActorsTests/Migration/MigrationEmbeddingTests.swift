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
}

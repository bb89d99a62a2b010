import Foundation
import RealmActors
import Testing

private final class Node: Object {
    @Persisted(primaryKey: true) var id: Int?
    @Persisted var name: String = "node"
    @Persisted var next: Node?
    @Persisted var leaf: Leaf?
    @Persisted var leaves: List<Leaf>
    @Persisted var tag: Tag?
    @Persisted var tags: List<Tag>
}

private final class Leaf: Object {
    @Persisted var size: Int = 1
}

private final class Tag: EmbeddedObject {
    @Persisted var text: String = "tag"
    @Persisted var inner: Tag?
}

private let models: [ObjectBase.Type] = [Node.self, Leaf.self, Tag.self]

/// What creating with a value, updating and adding do to what is there.
@Suite struct UpdateTests {
    /// Each update with the same values was a change.
    @Test("V11: what is not a number does not differ from itself")
    func notANumber() async throws {
        let realm = try await freshRealm()
        var versions: [Realm.Version] = []
        for _ in 0..<2 {
            try await realm.write { tx in
                let values: [String: Any] = [
                    "key": 1, "double": Double.nan, "optionalFloat": Float.nan,
                ]
                _ = try tx.create(Everything.self, value: values, update: .modified)
            }
            versions.append(realm.latestVersion)
        }
        #expect(versions[0] == versions[1])
    }

    @Test("V4: absent keys have the default, else nil; extra keys are ignored")
    func absentKeys() throws {
        let node = try Node(value: ["other": 1])
        #expect(node.id == nil && node.name == "node" && node.next == nil && node.leaves.isEmpty)
    }

    @Test("V7: a managed source is copied shallow within its realm, deep from another")
    func managedSources() async throws {
        try await withFreshRealm(models) { realm in
            try await withFreshRealm(models) { other in
                let source = try await realm.write { tx in
                    let value: [String: Any] = [
                        "id": 1, "leaf": ["size": 7], "leaves": [["size": 8], ["size": 9]],
                        "next": ["id": 2, "name": "second"], "tag": ["text": "own"],
                    ]
                    let node = try tx.create(Node.self, value: value)
                    let leaf = try #require(node.leaf)
                    let copied = try tx.create(Leaf.self, value: leaf)
                    #expect(!copied.isSameObject(as: leaf) && copied.size == 7)
                    let shallow = Node()
                    shallow.id = 5
                    shallow.leaf = leaf
                    let made = try tx.create(Node.self, value: shallow)
                    #expect(made.leaf?.isSameObject(as: leaf) == true)
                    return node.freeze()
                }
                #expect(realm.objects(Leaf.self).count == 4)
                try await other.write { tx in
                    let deep = try tx.create(Node.self, value: source)
                    #expect(deep.leaf?.size == 7 && deep.leaves.map(\.size) == [8, 9])
                    #expect(deep.next?.name == "second" && deep.tag?.text == "own")
                }
                #expect(other.objects(Node.self).count == 2)
                #expect(other.objects(Leaf.self).count == 3)
                #expect(try await other.verify().isIntact)
            }
        }
    }

    @Test("V6: creating outside of a write throws, as does an invalidated source")
    @MainActor func creationNeedsAWrite() async throws {
        try await withFreshRealm(models) { realm in
            let live = try await realm.live()
            #expect(throws: RealmError.self) { try live.create(Leaf.self) }
            #expect(throws: RealmError.self) { try live.add(Leaf()) }
            try await live.write {
                let leaf = try live.create(Leaf.self)
                try live.delete(leaf)
                #expect(throws: RealmError.self) { try live.create(Leaf.self, value: leaf) }
                #expect(throws: RealmError.self) { try live.add(leaf) }
            }
        }
    }

    @Test("V8: nested values update by key, and are new rows each time without one")
    func nestedUpdates() async throws {
        try await withFreshRealm(models) { realm in
            for name in ["one", "two"] {
                try await realm.write { tx in
                    let value: [String: Any] = [
                        "id": 1, "next": ["id": 2, "name": name], "leaf": ["size": 3],
                    ]
                    try tx.create(Node.self, value: value, update: .modified)
                }
            }
            #expect(realm.objects(Node.self).count == 2 && realm.objects(Leaf.self).count == 2)
            #expect(realm.object(Node.self, forPrimaryKey: 2)?.name == "two")
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    _ = try tx.create(Leaf.self, value: ["size": 1], update: .all)
                }
            }
        }
    }

    @Test("V9: explicit nil sets nil, and throws where a value is required")
    func explicitNil() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let value: [String: Any] = ["id": 1, "name": "a", "leaf": ["size": 3]]
                try tx.create(Node.self, value: value)
                let nulls: [String: Any] = ["id": 1, "leaf": NSNull()]
                let same = try tx.create(Node.self, value: nulls, update: .modified)
                #expect(same.leaf == nil && same.name == "a")
                let wrong: [String: Any] = ["id": 1, "name": NSNull()]
                #expect(throws: RealmError.self) {
                    try tx.create(Node.self, value: wrong, update: .modified)
                }
            }
        }
    }

    @Test("V10: lists are replaced on update; null is an empty list")
    func listsAreReplaced() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let value: [String: Any] = ["id": 1, "leaves": [["size": 1], ["size": 2]]]
                try tx.create(Node.self, value: value)
                let shorter: [String: Any] = ["id": 1, "leaves": [["size": 5]]]
                let node = try tx.create(Node.self, value: shorter, update: .modified)
                #expect(node.leaves.map(\.size) == [5])
                let none: [String: Any] = ["id": 1, "leaves": NSNull()]
                try tx.create(Node.self, value: none, update: .all)
                #expect(node.leaves.isEmpty)
            }
        }
    }

    @Test("V11: .all writes and reports what is given, .modified what differs")
    func policies() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                try tx.create(Node.self, value: ["id": 1, "name": "a"] as [String: Any])
            }
            let node = try #require(realm.object(Node.self, forPrimaryKey: 1))
            var changes = node.changes().makeAsyncIterator()
            func update(_ name: String, _ policy: UpdatePolicy) async throws {
                try await realm.write { tx in
                    let value: [String: Any] = ["id": 1, "name": name]
                    _ = try tx.create(Node.self, value: value, update: policy)
                }
            }
            try await update("a", .modified)
            try await update("a", .all)
            guard case .change(_, let all)? = try await changes.next() else {
                Issue.record(".all reported nothing")
                return
            }
            #expect(all.map(\.name) == ["name"])
            #expect(all[0].oldValue == "a" && all[0].newValue == "a")
            try await update("a", .modified)
            try await update("b", .modified)
            guard case .change(_, let changed)? = try await changes.next() else {
                Issue.record(".modified reported nothing")
                return
            }
            // The update that changed nothing was no change.
            #expect(changed.map(\.name) == ["name"] && changed[0].newValue == "b")
        }
    }

    @Test("V12: updating with the managed object itself is a no-op that returns it")
    func updatingWithItself() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let node = try tx.create(Node.self, value: ["id": 1])
                #expect(try tx.create(Node.self, value: node, update: .all) === node)
                try tx.add(node, update: .modified)
                try tx.add(node)
            }
            #expect(realm.objects(Node.self).count == 1)
        }
    }

    @Test("V13: a nested duplicate key throws with plain create and add")
    func nestedDuplicates() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in _ = try tx.create(Node.self, value: ["id": 2]) }
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    let value: [String: Any] = ["id": 1, "next": ["id": 2]]
                    _ = try tx.create(Node.self, value: value)
                }
            }
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    let node = try Node(value: ["id": 1, "next": ["id": 2]] as [String: Any])
                    try tx.add(node)
                }
            }
            #expect(realm.objects(Node.self).count == 1)
        }
    }

    @Test("V14: nil is one key of an optional primary key")
    func nilKeys() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                try tx.create(Node.self, value: ["name": "nil"])
                try tx.create(Node.self, value: ["id": 1])
                #expect(throws: RealmError.self) { try tx.create(Node.self) }
                #expect(throws: RealmError.self) {
                    try tx.create(Node.self, value: ["id": NSNull()])
                }
                let same = try tx.create(Node.self, value: ["name": "same"], update: .modified)
                #expect(same.name == "same")
            }
            #expect(realm.objects(Node.self).count == 2)
            #expect(realm.object(Node.self, forPrimaryKey: Int?.none)?.name == "same")
        }
    }

    @Test("A2: adding what another realm or version has throws, as does adding a child of it")
    @MainActor func objectsOfOthers() async throws {
        try await withLiveRealms(models) { live, foreign in
            let leaf = try await foreign.write { try foreign.create(Leaf.self) }
            await #expect(throws: RealmError.self) {
                try await live.write { try live.add(leaf) }
            }
            await #expect(throws: RealmError.self) {
                try await live.write {
                    let node = Node()
                    node.leaf = leaf
                    try live.add(node)
                }
            }
            await #expect(throws: RealmError.self) {
                try await live.write {
                    let node = try live.create(Node.self)
                    node.leaf = leaf
                }
            }
            #expect(live.realm.objects(Node.self).isEmpty && live.realm.objects(Leaf.self).isEmpty)
        }
    }

    @Test("A3: any sequence of objects can be added")
    func sequences() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                try tx.add((0..<3).lazy.map { _ in Leaf() })
                try tx.add([Node(value: ["id": 1]), Node(value: ["id": 2])])
                let list = List<Leaf>()
                list.append(Leaf())
                try tx.add(list)
            }
            #expect(realm.objects(Leaf.self).count == 4 && realm.objects(Node.self).count == 2)
        }
    }

    @Test("A4: duplicate keys in one graph are one row, and the last wins")
    func duplicatesInAGraph() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let first = try Node(value: ["id": 1, "name": "first"] as [String: Any])
                let second = try Node(value: ["id": 1, "name": "second"] as [String: Any])
                try tx.add([first, second], update: .all)
                #expect(first.isSameObject(as: second) && first.name == "second")
            }
            #expect(realm.objects(Node.self).map(\.name) == ["second"])
        }
    }

    @Test("A5: deleting takes arrays, lists, sets and results, of this realm alone")
    func deletions() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let sizes = (1...6).map { ["size": $0] }
                let value: [String: Any] = ["id": 1, "leaves": sizes]
                let node = try tx.create(Node.self, value: value)
                try tx.delete([node.leaves[0], node.leaves[1]])
                #expect(node.leaves.map(\.size) == [3, 4, 5, 6])
                try tx.delete(tx.objects(Leaf.self).where { $0.size == 4 })
                try tx.delete(node.leaves.where { $0.size == 6 })
                #expect(node.leaves.map(\.size) == [3, 5])
                try tx.delete(node.leaves)
                #expect(node.leaves.isEmpty && tx.objects(Leaf.self).isEmpty)
                #expect(throws: RealmError.self) { try tx.delete([Leaf()]) }
                try tx.deleteAll()
                #expect(node.isInvalidated)
            }
            #expect(realm.snapshot().isEmpty)
        }
    }

    @Test("P15: one parent, deleted with it, replaced by assignment")
    func embeddedObjects() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let value: [String: Any] = [
                    "id": 1, "tag": ["text": "a", "inner": ["text": "b"]],
                    "tags": [["text": "x"], ["text": "y"]],
                ]
                let node = try tx.create(Node.self, value: value)
                let (tag, inner) = (try #require(node.tag), try #require(node.tag?.inner))
                #expect(inner.text == "b" && tag.realm != nil)
                // Assigning the same object changes nothing, another one replaces it.
                node.tag = tag
                #expect(!tag.isInvalidated)
                node.tag = try Tag(value: ["text": "new"])
                #expect(tag.isInvalidated && inner.isInvalidated && node.tag?.text == "new")
                let first = node.tags[0]
                node.tags.remove(at: 0)
                #expect(first.isInvalidated && node.tags.map(\.text) == ["y"])
                let last = node.tags[0]
                node.tag = nil
                try tx.delete(node)
                #expect(last.isInvalidated)
            }
            #expect(try realm.dynamicObjects("Tag").isEmpty)
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test("P15: a managed one cannot have a second parent")
    func secondParents() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let value: [String: Any] = ["id": 1, "tag": ["text": "a"]]
                _ = try tx.create(Node.self, value: value)
            }
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    let node = try #require(tx.object(Node.self, forPrimaryKey: 1))
                    let other = try tx.create(Node.self, value: ["id": 2])
                    other.tag = node.tag
                }
            }
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    let node = try #require(tx.object(Node.self, forPrimaryKey: 1))
                    node.tags.append(try #require(node.tag))
                }
            }
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    let node = try #require(tx.object(Node.self, forPrimaryKey: 1))
                    let tag = Tag()
                    node.tags.append(tag)
                    node.tags.append(tag)
                }
            }
        }
    }

    @Test("P15: .all deletes and creates anew, .modified updates in place")
    func embeddedUpdates() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let value: [String: Any] = ["id": 1, "tag": ["text": "a"], "tags": [["text": "x"]]]
                let node = try tx.create(Node.self, value: value)
                let tag = try #require(node.tag)
                let modified: [String: Any] = ["id": 1, "tag": ["text": "b"]]
                try tx.create(Node.self, value: modified, update: .modified)
                #expect(!tag.isInvalidated && tag.text == "b")
                let all: [String: Any] = ["id": 1, "tag": ["text": "c"]]
                try tx.create(Node.self, value: all, update: .all)
                #expect(tag.isInvalidated && node.tag?.text == "c")
            }
            #expect(try realm.dynamicObjects("Tag").count == 2)
        }
    }
}

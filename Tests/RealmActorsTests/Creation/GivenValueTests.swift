import RealmActors
import Testing

private final class Toy: Object {
    @Persisted var name: String
}
private final class Box: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var content: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
    @Persisted var counts: Map<String, Int>
    @Persisted var lid: Lid?
    @Persisted var lids: List<Lid>
}
private final class Lid: EmbeddedObject {
    @Persisted var label: String
    @Persisted var toy: Toy?
    @Persisted var extra: AnyRealmValue
}

private let models: [ObjectBase.Type] = [Toy.self, Box.self, Lid.self]

/// What becomes of objects that are given within values of any type, and within embedded objects.
@Suite struct GivenValueTests {
    /// The object that was given became the realm's own.
    @Test("V6: create copies the objects in values of any type, too")
    func unmanagedObjectsInValues() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let toy = try Toy(value: ["name": "top"])
                let nested: AnyRealmValue = ["a": [.object(toy)]]
                let values: [String: Any] = [
                    "id": 1, "content": AnyRealmValue.object(toy), "list": [nested],
                    "map": ["k": AnyRealmValue.object(toy)],
                ]
                let box = try tx.create(Box.self, value: values)
                #expect(toy.realm == nil && box.content.object(Toy.self)?.name == "top")
                let inner = box.list[0].dictionaryValue?["a"]?.listValue
                #expect(inner?[0].object(Toy.self)?.name == "top")
                #expect(box.map["k"]?.object(Toy.self)?.name == "top")
                let given = Box()
                given.id = 2
                given.content = .object(toy)
                let copy = try tx.create(Box.self, value: given)
                #expect(toy.realm == nil && given.realm == nil)
                #expect(copy.content.object(Toy.self)?.name == "top")
                #expect(tx.objects(Toy.self).count == 4)
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    /// Threw that the object is frozen, or belongs to another realm.
    @Test("V7: values of any type link to the same objects in one realm, to copies in another")
    func managedObjectsInValues() async throws {
        try await withFreshRealm(models) { realm in
            try await withFreshRealm(models) { other in
                let source = try await realm.write { tx in
                    let toy = try tx.create(Toy.self, value: ["name": "top"])
                    let box = Box()
                    box.id = 1
                    box.content = .object(toy)
                    box.list.append([.object(toy), ["deep": .object(toy)]])
                    box.counts["n"] = 3
                    try tx.add(box)
                    return box.freeze()
                }
                try await realm.write { tx in
                    let toy = try #require(tx.objects(Toy.self).first)
                    try tx.create(Box.self, value: source, update: .modified)
                    // What is frozen is also taken one by one.
                    let values: [String: Any] = [
                        "id": 2, "content": source.content, "list": source.list,
                        "counts": source.counts,
                    ]
                    let box = try tx.create(Box.self, value: values)
                    #expect(box.content.object(Toy.self)?.isSameObject(as: toy) == true)
                    let list = box.list[0].listValue
                    #expect(list?[0].object(Toy.self)?.isSameObject(as: toy) == true)
                    let deep = list?[1].dictionaryValue?["deep"]
                    #expect(deep?.object(Toy.self)?.isSameObject(as: toy) == true)
                    #expect(box.counts["n"] == 3 && tx.objects(Toy.self).count == 1)
                }
                try await other.write { tx in
                    let copy = try tx.create(Box.self, value: source)
                    let toy = try #require(copy.content.object(Toy.self))
                    #expect(toy.name == "top")
                    let list = copy.list[0].listValue
                    #expect(list?[0].object(Toy.self)?.isSameObject(as: toy) == true)
                    #expect(tx.objects(Toy.self).count == 1)
                }
                #expect(try await other.verify().isIntact)
            }
        }
    }

    @Test("P11: an update with the value that is there leaves its lists valid")
    func anUpdateWithTheSameValue() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let toy = try tx.create(Toy.self, value: ["name": "top"])
                let box = try tx.create(Box.self, value: ["id": 1])
                box.content = [.object(toy), [1]]
                let list = try #require(box.content.listValue)
                let values: [String: Any] = ["id": 1, "content": box.content]
                try tx.create(Box.self, value: values, update: .modified)
                list.append(2)
                #expect(box.content.listValue?.count == 3)
            }
        }
    }

    /// Copies were added. What was given stayed unmanaged, and changes of it were lost.
    @Test("A1, M13: an update adopts embedded objects, and what they lead to")
    func whatEmbeddedObjectsLeadTo() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let values: [String: Any] = [
                    "id": 1, "lid": ["label": "l"], "lids": [["label": "a"]],
                ]
                let stored = try tx.create(Box.self, value: values)
                let (lid, first) = (try #require(stored.lid), stored.lids[0])
                let toy = try Toy(value: ["name": "top"])
                let other = try Toy(value: ["name": "kite"])
                let given = try Box(value: values)
                given.lid?.toy = toy
                given.lids[0].label = "b"
                given.lids[0].extra = .object(other)
                let added = try Lid(value: ["label": "c"])
                given.lids.append(added)
                let (mine, lids) = (try #require(given.lid), given.lids)
                try tx.add(given, update: .modified)
                #expect(!lid.isInvalidated && !first.isInvalidated && first.label == "b")
                #expect(toy.isSameObject(as: lid.toy))
                #expect(other.isSameObject(as: first.extra.object(Toy.self)))
                #expect(added.isSameObject(as: stored.lids[1]))
                #expect(tx.objects(Toy.self).count == 2)
                // What was taken before follows.
                #expect(mine.isSameObject(as: lid) && lids.isSame(as: stored.lids))
                mine.label = "later"
                lids.removeLast()
                #expect(lid.label == "later" && stored.lids.count == 1 && added.isInvalidated)
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    /// Became the realm's own; frozen ones were copied.
    @Test("V6, V7: dynamicCreate copies unmanaged objects, and links to those of the realm")
    func objectsGivenByName() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let toy = try Toy(value: ["name": "top"])
                let lid: [String: Any] = ["label": "l", "toy": toy]
                let values: [String: Any] = ["id": 1, "lid": lid]
                let box = try tx.dynamicCreate("Box", value: values)
                #expect(toy.realm == nil && tx.objects(Toy.self).count == 1)
                let first = try #require(tx.object(Box.self, forPrimaryKey: 1))
                #expect(first.lid?.toy?.name == "top" && first.isSameObject(as: box))
                let stored = try #require(first.lid?.toy)
                let other: [String: Any] = ["label": "m", "toy": stored.freeze()]
                let others: [String: Any] = ["id": 2, "lid": other]
                try tx.dynamicCreate("Box", value: others)
                let second = try #require(tx.object(Box.self, forPrimaryKey: 2))
                #expect(stored.isSameObject(as: second.lid?.toy))
                #expect(tx.objects(Toy.self).count == 1)
            }
            #expect(try await realm.verify().isIntact)
        }
    }
}

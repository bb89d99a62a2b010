import RealmActors
import Testing

private final class Firm: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var staff: List<Worker>
}
private final class Worker: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var age: Int
    @Persisted var tools: List<Int>
    @Persisted var desk: Desk?
    @Persisted var friend: Worker?
}
private final class Hand: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var age: Int
    @Persisted var friend: Hand?
}
private final class Desk: EmbeddedObject {
    @Persisted var number: Int
}
private class Figure: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var label: String
}
private final class Disc: Figure {
    @Persisted var radius: Double
}

private let models: [ObjectBase.Type] = [
    Firm.self, Worker.self, Hand.self, Desk.self, Figure.self, Disc.self,
]

/// Objects that are given as values although another one has their key, they are gone, or they are
/// of a subclass.
@Suite struct GivenSourceTests {
    /// Of three the second counted, and the list of the first was appended to that of the others.
    @Test(
        "A4: of duplicate keys in a list of one graph the last wins",
        arguments: [UpdatePolicy.modified, .all])
    func duplicateKeys(_ policy: UpdatePolicy) async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let firm = try Firm(value: ["name": "f"])
                for age in 1...3 {
                    let values: [String: Any] = [
                        "name": "Ada", "age": age, "tools": [age], "desk": ["number": age],
                    ]
                    firm.staff.append(try Worker(value: values))
                }
                try tx.add(firm, update: policy)
                let worker = try #require(tx.object(Worker.self, forPrimaryKey: "Ada"))
                #expect(worker.age == 3 && Array(worker.tools) == [3])
                #expect(worker.desk?.number == 3 && firm.staff.map(\.age) == [3, 3, 3])
                #expect(tx.objects(Worker.self).count == 1)
            }
            #expect(try realm.dynamicObjects("Desk").count == 1)
            #expect(try await realm.verify().isIntact)
        }
    }

    /// What another accessor had deleted was copied, with the values that it had.
    @Test("V6: a deleted object is refused as a source, whichever of its accessors is given")
    func sourcesThatAreGone() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let values: [String: Any] = ["name": "Ada", "desk": ["number": 1]]
                let worker = try tx.create(Worker.self, value: values)
                let again = try #require(tx.object(Worker.self, forPrimaryKey: "Ada"))
                let third = try #require(tx.object(Worker.self, forPrimaryKey: "Ada"))
                let desk = try #require(again.desk)
                try tx.delete(worker)
                #expect(throws: RealmError.self) { try tx.create(Worker.self, value: again) }
                #expect(throws: RealmError.self) { try tx.dynamicCreate("Worker", value: third) }
                let other: [String: Any] = ["name": "Bo", "desk": desk]
                #expect(throws: RealmError.self) { try tx.create(Worker.self, value: other) }
            }
            #expect(realm.objects(Worker.self).isEmpty)
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test("V6: a deleted object of another realm is refused as a source")
    @MainActor func sourcesThatAreGoneElsewhere() async throws {
        try await withLiveRealms(models) { live, foreign in
            let worker = try await foreign.write {
                try foreign.create(Worker.self, value: ["name": "Ada"])
            }
            try await foreign.realm.write { tx in try tx.deleteAll(Worker.self) }
            foreign.refresh()
            try await live.write {
                try live.create(Worker.self, value: ["name": "Cy"])
                let values: [String: Any] = ["name": "Bo", "friend": worker]
                #expect(throws: RealmError.self) { try live.create(Worker.self, value: values) }
                #expect(throws: RealmError.self) { try live.create(Worker.self, value: worker) }
            }
            #expect(live.realm.objects(Worker.self).map(\.name) == ["Cy"])
        }
    }

    /// An error said that they nest too deeply, where the objects were there.
    @Test(
        "V6: objects of another class that lead back to themselves update those that are there",
        arguments: [UpdatePolicy.modified, .all])
    func cyclesOfAnotherClass(_ policy: UpdatePolicy) async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let ada = try Worker(value: ["name": "Ada", "age": 3])
                let bo = try Worker(value: ["name": "Bo", "age": 3])
                (ada.friend, bo.friend) = (bo, ada)
                for age in 4...5 {
                    (ada.age, bo.age) = (age, age)
                    let hand = try tx.create(Hand.self, value: ada, update: policy)
                    let other = try #require(hand.friend)
                    #expect(hand.name == "Ada" && other.name == "Bo")
                    #expect(hand.age == age && other.age == age)
                    #expect(hand.isSameObject(as: other.friend))
                }
                #expect(tx.objects(Hand.self).count == 2 && tx.objects(Worker.self).isEmpty)
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    /// The cycle led to a second copy, which had the primary key of the first.
    @Test("V2: an unmanaged object that is made of one that leads back to itself does so, too")
    func unmanagedCyclesOfAnotherClass() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let ada = try Worker(value: ["name": "Ada"])
                let bo = try Worker(value: ["name": "Bo"])
                (ada.friend, bo.friend) = (bo, ada)
                let hand = try Hand(value: ada)
                #expect(hand.friend?.name == "Bo" && hand.friend?.friend === hand)
                try tx.add(hand)
                #expect(tx.objects(Hand.self).count == 2 && tx.objects(Worker.self).isEmpty)
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    /// The second object of a cycle was to be made anew of the first: a duplicate primary key.
    @Test("L5: objects that lead back to themselves are created by name as by their class")
    func cyclesByName() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let ada = try Worker(value: ["name": "Ada", "age": 3])
                let bo = try Worker(value: ["name": "Bo", "age": 3])
                (ada.friend, bo.friend) = (bo, ada)
                let made = try tx.dynamicCreate("Worker", value: ada)
                let worker = try #require(tx.object(Worker.self, forPrimaryKey: "Ada"))
                #expect(made["age"] as? Int == 3 && worker.friend?.name == "Bo")
                #expect(worker.isSameObject(as: worker.friend?.friend))
                (ada.age, bo.age) = (4, 4)
                try tx.dynamicCreate("Worker", value: ada, update: .modified)
                #expect(worker.age == 4 && worker.friend?.age == 4)
                #expect(worker.isSameObject(as: worker.friend?.friend))
                #expect(tx.objects(Worker.self).count == 2)
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    /// An error said that they nest too deeply.
    @Test(
        "L5: objects of another realm that lead back to themselves are created by name",
        arguments: [UpdatePolicy.modified, .all])
    func foreignCyclesByName(_ policy: UpdatePolicy) async throws {
        try await withFreshRealm(models) { realm in
            try await withFreshRealm(models) { other in
                let given = try await other.write { tx in
                    let values: [String: Any] = ["name": "Ada", "desk": ["number": 1]]
                    let ada = try Worker(value: values)
                    let bo = try Worker(value: ["name": "Bo"])
                    (ada.friend, bo.friend) = (bo, ada)
                    try tx.add(ada)
                    return ada.freeze()
                }
                try await realm.write { tx in
                    for _ in 0..<2 {
                        try tx.dynamicCreate("Worker", value: given, update: policy)
                        let worker = try #require(tx.object(Worker.self, forPrimaryKey: "Ada"))
                        #expect(worker.desk?.number == 1 && worker.friend?.name == "Bo")
                        #expect(worker.isSameObject(as: worker.friend?.friend))
                        #expect(tx.objects(Worker.self).count == 2)
                    }
                }
            }
            #expect(try realm.dynamicObjects("Desk").count == 1)
            #expect(try await realm.verify().isIntact)
        }
    }

    /// The object of the subclass was returned, and none of the class that was asked for was there.
    @Test("V12, D26: an object of a subclass is none of the class that is updated")
    func objectsOfSubclasses() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let values: [String: Any] = ["id": 1, "label": "d", "radius": 2.5]
                let disc = try tx.create(Disc.self, value: values)
                let figure = try tx.create(Figure.self, value: disc, update: .modified)
                #expect(type(of: figure) == Figure.self && figure.label == "d")
                #expect(try tx.create(Disc.self, value: disc, update: .modified) === disc)
                #expect(tx.objects(Figure.self).map(\.id) == [1])
                #expect(tx.objects(Disc.self).map(\.id) == [1])
                // Of the class that is only known when it runs.
                let known: Object.Type = Disc.self
                #expect(try tx.create(known, value: disc, update: .all) === disc)
                let other: Object.Type = Figure.self
                let same = try tx.create(other, value: disc, update: .all)
                #expect(same.isSameObject(as: figure))
            }
            #expect(try await realm.verify().isIntact)
        }
    }
}

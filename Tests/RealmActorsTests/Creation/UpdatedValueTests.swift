import Foundation
import RealmActors
import Storage
import Synchronization
import Testing

private final class Keeper: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var theme: String
    @Persisted var size: Int = 10
    @Persisted var value: AnyRealmValue
    @Persisted var friend: Keeper?
    @Persisted var badge: Badge?
}

private final class Badge: EmbeddedObject {
    @Persisted var text: String
}

private final class Pet: Object {
    @Persisted var name: String = ""
}

private final class Ticket: Object {
    private static let last = Mutex(0)

    @Persisted(primaryKey: true) var number: Int = Ticket.next()

    private static func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}

private let models: [ObjectBase.Type] = [Keeper.self, Badge.self, Pet.self, Ticket.self]

/// What an update takes of the object that it is given.
@Suite struct UpdatedValueTests {
    /// They were left out, with the list around them.
    @Test(
        "A4: objects within a value of any type come along",
        arguments: [UpdatePolicy.modified, .all])
    func objectsWithinValues(_ policy: UpdatePolicy) async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let stored = try tx.create(Keeper.self, value: ["id": 1])
                let given = Keeper()
                given.id = 1
                given.value = .object(try Pet(value: ["name": "Rex"]))
                try tx.add(given, update: policy)
                #expect(stored.value.object(Pet.self)?.name == "Rex")
                let nested = Keeper()
                nested.id = 1
                nested.value = [.object(try Pet(value: ["name": "Max"])), 7]
                try tx.add(nested, update: policy)
                #expect(stored.value.listValue?.count == 2)
                #expect(stored.value.listValue?[0].object(Pet.self)?.name == "Max")
                // One that is linked to, of an object to be copied.
                let outer = Keeper()
                outer.id = 2
                outer.friend = Keeper()
                outer.friend?.id = 1
                outer.friend?.value = .object(try Pet(value: ["name": "Tom"]))
                try tx.create(Keeper.self, value: outer, update: policy)
                #expect(stored.value.object(Pet.self)?.name == "Tom")
                #expect(tx.objects(Pet.self).count == 3 && tx.objects(Keeper.self).count == 2)
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    /// The link led to whatever row had its key here.
    @Test("A2: an object of another realm within a value is refused")
    @MainActor func foreignObjectsWithinValues() async throws {
        try await withLiveRealms(models) { live, foreign in
            let pet = try await foreign.write { try foreign.create(Pet.self) }
            try await live.write {
                try live.create(Keeper.self, value: ["id": 1])
                try live.create(Pet.self)
            }
            await #expect(throws: RealmError.self) {
                try await live.write {
                    let keeper = Keeper()
                    keeper.id = 1
                    keeper.value = .object(pet)
                    try live.add(keeper, update: .modified)
                }
            }
            let keeper = try #require(live.realm.object(Keeper.self, forPrimaryKey: 1))
            #expect(keeper.value == .none)
        }
    }

    @Test("P11: values that nest too deep are refused by an update as well")
    func deepValues() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in _ = try tx.create(Keeper.self, value: ["id": 1]) }
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    let keeper = Keeper()
                    keeper.id = 1
                    for _ in 0..<101 { keeper.value = [keeper.value] }
                    try tx.add(keeper, update: .modified)
                }
            }
        }
    }

    @Test(
        "A4: what is nil in the object given is nil then",
        arguments: [UpdatePolicy.modified, .all])
    func nilLinks(_ policy: UpdatePolicy) async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let friend = try tx.create(Keeper.self, value: ["id": 2])
                let values: [String: Any] = ["id": 1, "friend": friend, "badge": ["text": "b"]]
                let stored = try tx.create(Keeper.self, value: values)
                let badge = try #require(stored.badge)
                try tx.add(Keeper(value: ["id": 1]), update: policy)
                #expect(stored.friend == nil && stored.badge == nil)
                #expect(badge.isInvalidated && !friend.isInvalidated)
            }
            #expect(try realm.dynamicObjects("Badge").isEmpty)
            #expect(try await realm.verify().isIntact)
        }
    }

    /// Everything that was not given got its default.
    @Test(
        "V9, M7: values without a key are of the object that has the default key",
        arguments: [UpdatePolicy.modified, .all])
    func defaultKeys(_ policy: UpdatePolicy) async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let values: [String: Any] = ["id": 0, "theme": "light", "size": 14]
                let stored = try tx.create(Keeper.self, value: values)
                let same = try tx.create(Keeper.self, value: ["theme": "dark"], update: policy)
                #expect(same.isSameObject(as: stored) && stored.theme == "dark")
                #expect(stored.size == 14)
                let nested: [String: Any] = ["id": 5, "friend": ["theme": "blue"]]
                let other = try tx.create(Keeper.self, value: nested, update: policy)
                #expect(other.friend?.isSameObject(as: stored) == true)
                #expect(stored.theme == "blue" && stored.size == 14)
                #expect(other.size == 10 && tx.objects(Keeper.self).count == 2)
            }
        }
    }

    @Test("M7: a key that is made is made once")
    func generatedKeys() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let first = try tx.create(Ticket.self, update: .modified)
                let second = try tx.create(Ticket.self, update: .modified)
                #expect(second.number == first.number + 1)
            }
        }
    }

    /// The list and the map were written again with each update.
    @Test("V11: a collection with what is not a number does not differ from itself")
    func collectionsWithNotANumber() async throws {
        let realm = try await holderRealm()
        var versions: [Realm.Version] = []
        for _ in 0..<2 {
            try await realm.write { tx in
                let values: [String: Any] = [
                    "key": 1, "doubles": [Double.nan, 1], "doubleSet": [Double.nan, 1],
                    "doubleMap": ["k": Double.nan],
                ]
                _ = try tx.create(Holder.self, value: values, update: .modified)
            }
            versions.append(realm.latestVersion)
        }
        #expect(versions[0] == versions[1])
        let holder = try #require(realm.object(Holder.self, forPrimaryKey: 1))
        #expect(holder.doubles.count == 2 && holder.doubleMap["k"]?.isNaN == true)
    }

    /// By value each collection was rewritten as a whole; from JSON only lists were.
    @Test("V11: of a collection only what differs is reported", arguments: [false, true])
    func differencesOfCollections(_ isJSON: Bool) async throws {
        let realm = try await holderRealm()
        let holder = try await realm.write { tx in
            let values: [String: Any] = [
                "key": 1, "ints": [1, 2, 3], "stringSet": ["a", "b", "c"],
                "intMap": ["x": 1, "y": 2],
            ]
            return try tx.create(Holder.self, value: values).freeze()
        }
        var lists = holder.ints.changes().makeAsyncIterator()
        var sets = holder.stringSet.changes().makeAsyncIterator()
        var maps = holder.intMap.changes().makeAsyncIterator()
        _ = try await lists.next()
        _ = try await sets.next()
        _ = try await maps.next()
        try await realm.write { tx in
            let values: [String: Any] = [
                "key": 1, "ints": [1, 2, 4, 3], "stringSet": ["a", "c", "d"],
                "intMap": ["x": 1, "y": 3, "z": 4],
            ]
            if isJSON {
                let json = try JSONSerialization.data(withJSONObject: values)
                _ = try tx.create(Holder.self, json: json, update: .modified)
            } else {
                _ = try tx.create(Holder.self, value: values, update: .modified)
            }
        }
        guard
            case .update(let list, let deleted, let inserted, let modified)? =
                try await lists.next(),
            case .update(_, let lost, let won, _)? = try await sets.next(),
            case .update(_, let old, let new, let changed)? = try await maps.next()
        else {
            Issue.record("no change")
            return
        }
        #expect(Array(list) == [1, 2, 4, 3])
        #expect(deleted.isEmpty && inserted == [2] && modified.isEmpty)
        #expect(lost == [1] && won == [2])
        #expect(old.isEmpty && new == ["z"] && changed == ["y"])
        #expect(try await realm.verify().isIntact)
    }
}

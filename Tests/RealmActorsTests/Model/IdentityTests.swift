import Foundation
import RealmActors
import Testing

private final class Badge: Object, Identifiable {
    @Persisted var name: String
}

/// Which objects are the same, and what their values are.
@Suite struct IdentityTests {
    @Test("L1: realm is nil for an unmanaged object and after deletion")
    func realms() async throws {
        try await withFreshRealm([Dog.self, Person.self, Address.self]) { realm in
            try await realm.write { tx in
                let dog = Dog()
                #expect(dog.realm == nil)
                try tx.add(dog)
                #expect(dog.realm != nil)
                try tx.delete(dog)
                #expect(dog.realm == nil)
            }
        }
    }

    @Test("L2: invalidated after deletion and invalidate(), unmanaged never")
    @MainActor func invalidation() async throws {
        try await withFreshRealm([Dog.self, Person.self, Address.self]) { realm in
            #expect(!Dog().isInvalidated)
            let live = try await realm.live()
            let dog = try await live.write { try live.create(Dog.self, value: ["name": "Rex"]) }
            #expect(!dog.isInvalidated)
            live.invalidate()
            #expect(dog.isInvalidated && dog.name == "Rex")
            #expect(live.objects(Dog.self).isEmpty || live.objects(Dog.self).count == 1)
        }
    }

    @Test("L3: frozen values describe themselves as live ones do; cycles are cut")
    func descriptions() async throws {
        try await withFreshRealm([Dog.self, Person.self, Address.self, Everything.self]) { realm in
            let (frozen, text) = try await realm.write { tx in
                let value: [String: Any] = ["name": "Rex", "owner": ["name": "Ada"]]
                let dog = try tx.create(Dog.self, value: value)
                dog.owner?.dogs.append(dog)
                return (dog.freeze(), dog.description)
            }
            #expect(frozen.description == text && text.contains("name = Rex"))
            #expect(text.contains("owner = Person(id: ") && !text.contains("Ada"))
            let data = try await realm.write { tx in
                let bytes = Data(repeating: 1, count: 300)
                let value: [String: Any] = ["key": 1, "data": bytes, "any": ["a": [1]]]
                return try tx.create(Everything.self, value: value).freeze()
            }
            #expect(data.description.contains("data = 300 total bytes"))
        }
    }

    @Test("L4: unmanaged, live and frozen objects never equal each other; realms neither")
    @MainActor func equality() async throws {
        let types: [ObjectBase.Type] = [Everything.self, Address.self]
        try await withLiveRealms(types) { live, foreign in
            let object = try await live.write {
                try live.create(Everything.self, value: ["key": 1])
            }
            let twin = try await foreign.write {
                try foreign.create(Everything.self, value: ["key": 1])
            }
            let unmanaged = try Everything(value: ["key": 1])
            #expect(object != unmanaged && object != twin)
            #expect(!object.isSameObject(as: twin) && !object.isSameObject(as: unmanaged))
            let again = try #require(live.object(Everything.self, forPrimaryKey: 1))
            #expect(object == again && object.hashValue == again.hashValue)
            let frozen = object.freeze()
            #expect(frozen == again.freeze() && Set([frozen, again.freeze()]).count == 1)
            #expect(object.reference == frozen.reference)
            #expect(frozen.withObject { $0.isSameObject(as: nil) } == false)
            #expect(object.isSameObject(as: again))
            try await live.write { try live.create(Everything.self, value: ["key": 2]) }
            #expect(object.freeze() != frozen)
            #expect(object.freeze().reference == frozen.reference)
        }
    }

    @Test("M17: one id for a row, across versions, freezing and launches")
    func identifiers() async throws {
        try await withFreshRealm([Dog.self, Person.self, Address.self]) { realm in
            let dog = try await realm.write { tx in try tx.create(Dog.self).freeze() }
            try await realm.write { tx in tx.resolve(dog)?.name = "Max" }
            let later = try #require(realm.resolve(dog))
            #expect(later.name == "Max" && later.reference == dog.reference)
            let data = try JSONEncoder().encode(dog.reference)
            let reference = try JSONDecoder().decode(ObjectReference<Dog>.self, from: data)
            #expect(realm.resolve(reference)?.name == "Max")
        }
    }

    /// Asking for it ended the process.
    @Test("M17: an unmanaged object has an id of its own, until it is added")
    func identifiersOfUnmanagedObjects() async throws {
        try await withFreshRealm([Badge.self]) { realm in
            let id = try await realm.write { tx in
                let (badge, other) = (Badge(), Badge())
                let id = badge.id
                #expect(badge.id == id && other.id != id && tx.resolve(id) == nil)
                try tx.add(badge)
                #expect(badge.id == badge.reference && badge.id != id)
                return id
            }
            #expect(realm.resolve(id) == nil && realm.objects(Badge.self).first?.id != id)
        }
    }

    /// Accessors of a row that was gone were the same, and one of a row that came to nothing was
    /// the same as one of the row that has its key now, and equal to it.
    @Test("L4, D1: an object whose row was deleted is the same as no other")
    @MainActor func rowsThatAreGone() async throws {
        try await withFreshRealm([Everything.self, Address.self]) { realm in
            let live = try await realm.live()
            let object = try await live.write {
                try live.create(Everything.self, value: ["key": 1])
            }
            let again = try #require(live.object(Everything.self, forPrimaryKey: 1))
            #expect(object.isSameObject(as: again) && object == again)
            try await live.write { try live.delete(object) }
            #expect(!again.isSameObject(as: object) && again != object)
            #expect(again.isSameObject(as: again) && again.isInvalidated)
            try await live.beginWrite()
            let undone = [2, 3].map { _ in Everything() }
            for (key, object) in zip([2, 3], undone) {
                object.key = key
                try live.add(object)
            }
            live.cancelWrite()
            let later = try await live.write {
                try [2, 3].map { try live.create(Everything.self, value: ["key": $0]) }
            }
            #expect(undone[0] != later[0] && !later[1].isSameObject(as: undone[1]))
            #expect(later[0].isSameObject(as: live.object(Everything.self, forPrimaryKey: 2)))
        }
    }

    /// A set or a dictionary did not have it any more.
    @Test("L4: an object keeps its hash when its row is deleted")
    @MainActor func hashesOfRowsThatAreGone() async throws {
        try await withFreshRealm([Everything.self, Address.self]) { realm in
            let live = try await realm.live()
            let object = try await live.write {
                try live.create(Everything.self, value: ["key": 1])
            }
            let hash = object.hashValue
            let known = [object: "known"]
            try await live.write { try live.delete(object) }
            #expect(object.isInvalidated && object.hashValue == hash)
            #expect(known[object] == "known")
            let other = try await live.write {
                try live.create(Everything.self, value: ["key": 2])
            }
            live.invalidate()
            #expect(other.isInvalidated && Set([object, other]).count == 2)
        }
    }

    @Test("P3: nil is not zero, and types are kept apart")
    func optionalNumbers() throws {
        #expect(try Everything(value: ["optionalInt": 0]).optionalInt == 0)
        #expect(try Everything(value: [String: Any]()).optionalInt == nil)
        #expect(throws: RealmError.self) { try Everything(value: ["optionalBool": 5]) }
        #expect(throws: RealmError.self) { try Everything(value: ["optionalInt": true]) }
        #expect(throws: RealmError.self) { try Everything(value: ["optionalString": 5]) }
    }

    @Test("P4: an enum is stored as its raw value")
    func enums() async throws {
        try await withFreshRealm([Everything.self, Address.self]) { realm in
            let value: [String: any Sendable] = ["key": 1, "mood": "playful", "rank": 7]
            try await realm.write { tx in _ = try tx.create(Everything.self, value: value) }
            let object = try #require(realm.object(Everything.self, forPrimaryKey: 1))
            #expect(object.mood == .playful && object.rank == .high)
            let raw = try #require(try realm.dynamicObjects("Everything").first)
            #expect(try raw["mood"] == "playful" && raw["rank"] == 7)
        }
        #expect(throws: RealmError.self) { try Everything(value: ["mood": "angry"]) }
    }

    @Test("P7: LinkingObjects is read-only, and empty while unmanaged")
    func inverseLinks() async throws {
        try await withFreshRealm([Dog.self, Person.self, Address.self]) { realm in
            try await realm.write { tx in
                let dog = Dog()
                let person = Person()
                person.dogs.append(dog)
                person.dogs.append(dog)
                #expect(dog.people.isEmpty)
                try tx.add(person)
                // Once for every link.
                #expect(dog.people.count == 2 && dog.people[1].isSameObject(as: person))
                #expect(throws: RealmError.self) { try dog.setValue([person], forName: "people") }
            }
        }
    }

    /// The process ended where the condition was put into words.
    @Test("P14, Q22: dates that no calendar reaches are found and named")
    func infiniteDates() async throws {
        try await withFreshRealm([Everything.self, Address.self]) { realm in
            let dates = [-Double.infinity, .infinity, 1e300].map {
                Date(timeIntervalSinceReferenceDate: $0)
            }
            try await realm.write { tx in
                for (key, date) in dates.enumerated() {
                    try tx.create(Everything.self, value: ["key": key, "date": date])
                }
            }
            for (key, date) in dates.enumerated() {
                let found = realm.objects(Everything.self).where { $0.date == date }
                #expect(found.map(\.key) == [key] && found.explain().contains("date =="))
            }
        }
    }

    @Test("P14: NaN is the epoch, and dates round-trip exactly")
    func dates() async throws {
        try await withFreshRealm([Everything.self, Address.self]) { realm in
            let now = Date()
            let dates = [
                Date(timeIntervalSince1970: 0), now, .distantPast, .distantFuture,
                now.addingTimeInterval(1e-6), Date(timeIntervalSince1970: -0.1),
            ]
            try await realm.write { tx in
                for (key, date) in dates.enumerated() {
                    try tx.create(Everything.self, value: ["key": key, "date": date])
                }
                let odd = try tx.create(Everything.self, value: ["key": 99])
                odd.date = Date(timeIntervalSinceReferenceDate: .nan)
            }
            for (key, date) in dates.enumerated() {
                #expect(realm.object(Everything.self, forPrimaryKey: key)?.date == date)
            }
            let odd = realm.object(Everything.self, forPrimaryKey: 99)
            #expect(odd?.date == Date(timeIntervalSince1970: 0))
        }
    }
}

import Foundation
import RealmActors
import Storage
import Synchronization
import Testing

private class Vehicle: Object {
    @Persisted var wheels: Int = 4
    @Persisted var label: String = "vehicle"
}

private final class Truck: Vehicle {
    @Persisted var load: Double = 1.5
}

private final class Garage: Object {
    @Persisted var best: Vehicle?
    @Persisted var all: List<Vehicle>
    @Persisted var named: Map<String, Vehicle?>
    @Persisted var some: MutableSet<Vehicle>
}

private final class LazyStamp: Object {
    @Persisted(primaryKey: true) var id: String?
    @Persisted var stamp: Int = LazyStamp.next()
    @Persisted var note: String = "default"
    var cache: [String: Int] = [:]
    lazy var size = 3
    var doubled: Int { stamp * 2 }
    var changes: [String] = []
    @Persisted var watched: Int = 0 {
        willSet { changes.append("will \(newValue)") }
        didSet { changes.append("did \(oldValue)") }
    }
    private static let count = Counter()
    static func next() -> Int { count.next() }
}

private final class Stamp: Object {
    @Persisted(primaryKey: true) var id: String?
    @Persisted var stamp: Int = Counter.shared.next()
    @Persisted var note: String = "default"
    var cache: [String: Int] = [:]
    var doubled: Int { stamp * 2 }
    var changes: [String] = []
    @Persisted var watched: Int = 0 {
        willSet { changes.append("will \(newValue)") }
        didSet { changes.append("did \(oldValue)") }
    }
}

private final class Counter: Sendable {
    static let shared = Counter()
    private let value = Mutex(0)
    func next() -> Int {
        value.withLock { count in
            count += 1
            return count
        }
    }
}

private let vehicles: [ObjectBase.Type] = [Vehicle.self, Truck.self, Garage.self]

/// What a model declares.
@Suite struct ModelClassTests {
    @Test("M1: one stored type per subclass; instances are unmanaged until added")
    func subclasses() async throws {
        try await withFreshRealm(vehicles) { realm in
            try await realm.write { tx in
                let truck = Truck()
                #expect(truck.realm == nil && !truck.isInvalidated)
                try tx.add(truck)
                #expect(truck.realm != nil)
            }
            #expect(realm.schema.objectSchema.count == 3)
        }
    }

    @Test("M2: a subclass has its superclass's properties first, and is no element of it")
    func inheritance() async throws {
        #expect(Truck.sharedSchema().properties.map(\.name) == ["wheels", "label", "load"])
        try await withFreshRealm(vehicles) { realm in
            try await realm.write { tx in
                try tx.create(Truck.self, value: [6, "big", 12.5])
                try tx.create(Vehicle.self)
            }
            #expect(realm.objects(Truck.self).map(\.wheels) == [6])
            #expect(realm.objects(Vehicle.self).count == 1)
            try await refuses(realm) { garage in garage.best = Truck() }
            try await refuses(realm) { garage in garage.all.append(Truck()) }
            try await refuses(realm) { garage in garage.some.insert(Truck()) }
            try await refuses(realm) { garage in garage.named["t"] = Truck() }
            // Nor one that has a row already, nor in an object that is added.
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    let truck = try #require(tx.objects(Truck.self).first)
                    let garage = Garage()
                    garage.best = truck
                    try tx.add(garage)
                }
            }
            // As a value it is read by the names of its properties (D26).
            let garage = try Garage(value: ["best": Truck(value: [3, "copied", 1.5])])
            #expect(garage.best.map { "\(type(of: $0))" } == "Vehicle")
            #expect(garage.best?.wheels == 3)
            #expect(realm.objects(Garage.self).isEmpty)
            #expect(try await realm.verify().isIntact)
        }
    }

    private func refuses(_ realm: Realm, _ body: @Sendable (Garage) -> Void) async throws {
        do {
            try await realm.write { tx in body(try tx.create(Garage.self)) }
            Issue.record("a Truck was taken for a Vehicle")
        } catch RealmError.invalidObject(let text) {
            #expect(text.contains("Truck") && text.contains("Vehicle"), "\(text)")
        }
    }

    @Test("M3: className is the name of the class, without its module")
    func classNames() {
        #expect(Truck.className() == "Truck" && Truck().objectSchema.className == "Truck")
    }

    @Test("M4: a primary key changes freely while unmanaged and never after")
    func primaryKeys() async throws {
        try await withFreshRealm([Stamp.self]) { realm in
            try await realm.write { tx in
                let object = Stamp()
                object.id = "a"
                object.id = "b"
                try tx.add(object)
            }
            #expect(realm.object(Stamp.self, forPrimaryKey: "b") != nil)
            do {
                try await realm.write { tx in
                    tx.object(Stamp.self, forPrimaryKey: "b")?.id = "c"
                }
                Issue.record("the key changed")
            } catch RealmError.invalidValue(let text) {
                #expect(text.contains("cannot change once the object is added"))
            }
            #expect(realm.object(Stamp.self, forPrimaryKey: "b") != nil)
        }
    }

    @Test("M5: indexed properties are found by their indexes, which verify checks")
    func indexes() async throws {
        let schema = Everything.sharedSchema()
        #expect(schema["bool"]?.isIndexed == true && schema["rank"]?.isIndexed == true)
        #expect(schema["int8"]?.isIndexed == false && schema["key"]?.isIndexed == true)
    }

    @Test("M6: ignored properties live in the instance alone")
    func ignoredProperties() async throws {
        try await withFreshRealm([Stamp.self]) { realm in
            try await realm.write { tx in
                let object = Stamp()
                object.cache["a"] = 1
                try tx.add(object)
                #expect(object.cache == ["a": 1])
                let again = try #require(tx.objects(Stamp.self).first)
                #expect(again.cache.isEmpty && again.doubled == object.stamp * 2)
                #expect(throws: RealmError.self) { try object.value(forName: "cache") }
            }
            #expect(realm.schema["Stamp"]?["cache"] == nil)
        }
    }

    @Test("M7: defaults are evaluated per creation, for absent keys, and never on update")
    func defaults() async throws {
        try await withFreshRealm([Stamp.self]) { realm in
            try await realm.write { tx in
                let first = try tx.create(Stamp.self, value: ["id": "1"])
                let second = try tx.create(Stamp.self, value: ["id": "2", "note": "given"])
                #expect(first.stamp != second.stamp)
                #expect(first.note == "default" && second.note == "given")
                let stamp = second.stamp
                let same = try tx.create(Stamp.self, value: ["id": "2"], update: .all)
                #expect(same.stamp == stamp && same.note == "given")
            }
        }
    }

    @Test("M8: nil is refused where a property is required")
    func requiredProperties() async throws {
        #expect(throws: RealmError.self) { try Vehicle(value: ["label": NSNull()]) }
        #expect(throws: RealmError.self) { try Everything(value: ["integers": [1, NSNull()]]) }
        #expect(try Everything(value: ["optionals": ["x", NSNull()]]).optionals.count == 2)
        try await withFreshRealm(vehicles) { realm in
            try await realm.write { tx in
                let vehicle = try tx.create(Vehicle.self)
                #expect(throws: RealmError.self) { try vehicle.setValue(nil, forName: "label") }
                #expect(vehicle.label == "vehicle")
            }
        }
    }

    @Test("M11: a list takes objects of its class only")
    func listsAreTyped() {
        #expect(throws: RealmError.self) { try Garage(value: ["all": [OtherThing()]]) }
        #expect(throws: RealmError.self) { try Garage(value: ["all": [3]]) }
        #expect(throws: RealmError.self) { try Garage(value: ["all": "text"]) }
    }

    @Test("M12: a lazy property is a schema error; computed ones are not stored")
    func lazyProperties() async throws {
        let problems = try await schemaProblems(of: [LazyStamp.self])
        #expect(problems.count == 1 && problems[0].contains("'LazyStamp.size' is lazy"))
        #expect(Stamp.sharedSchema()["doubled"] == nil)
    }

    @Test("M13: willSet and didSet run, unmanaged and managed")
    func observersOfProperties() async throws {
        try await withFreshRealm([Stamp.self]) { realm in
            try await realm.write { tx in
                let object = Stamp()
                object.watched = 1
                try tx.add(object)
                object.watched = 2
                #expect(object.changes == ["will 1", "did 0", "will 2", "did 1"])
            }
        }
    }
}

private final class OtherThing: Object {
    @Persisted var id: Int
}

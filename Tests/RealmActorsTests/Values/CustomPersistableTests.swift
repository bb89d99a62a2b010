import Foundation
import RealmActors
import Testing

private struct Coordinate: CustomPersistable {
    var latitude: Double
    var longitude: Double
    init(_ latitude: Double, _ longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
    init(persistedValue: Location) {
        self.init(persistedValue.latitude, persistedValue.longitude)
    }
    var persistableValue: Location {
        let location = Location()
        location.latitude = latitude
        location.longitude = longitude
        return location
    }
}

private final class Location: EmbeddedObject {
    @Persisted var latitude: Double
    @Persisted var longitude: Double
    convenience init(latitude: Double) {
        self.init()
        self.latitude = latitude
    }
}

/// Of the defaults of its embedded object it makes no value.
private struct Harbour: FailableCustomPersistable {
    var latitude: Double
    init?(persistedValue: Location) {
        guard persistedValue.latitude > 0 else { return nil }
        latitude = persistedValue.latitude
    }
    var persistableValue: Location {
        let location = Location()
        location.latitude = latitude
        return location
    }
}

private final class Boat: Object {
    @Persisted var harbour: Harbour = Harbour(persistedValue: Location(latitude: 54))!
}

private final class Station: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var outside: Celsius = Celsius(degrees: 15)
    @Persisted var inside: Celsius?
    @Persisted var place: Coordinate
    @Persisted var former: Coordinate?
    @Persisted var track: List<Coordinate>
    @Persisted var byName: Map<String, Coordinate>
    @Persisted var page: URL = URL(fileURLWithPath: "/start")
    @Persisted var source: URL?
    @Persisted var links: List<URL?>
}

private final class NoDefault: Object {
    @Persisted var even: Even
}

private struct Even: FailableCustomPersistable {
    var half: Int
    init?(persistedValue: Int) {
        guard persistedValue != 0, persistedValue % 2 == 0 else { return nil }
        half = persistedValue / 2
    }
    var persistableValue: Int { half * 2 }
}

private final class Pair: Object {
    @Persisted var even: Even = Even(persistedValue: 4)!
    @Persisted var optional: Even?
}

private final class NoZeros: Object {
    @Persisted var list: List<Even> = []
    @Persisted var set: MutableSet<Even> = []
    @Persisted var byName: Map<String, Even> = [:]
    @Persisted var optionals: List<Even?> = []
}

private struct Code: CustomPersistable {
    var text: String
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

private final class Parcel: Object {
    @Persisted(primaryKey: true) var code: Code?
    @Persisted(indexed: true) var former: Code?
    @Persisted(indexed: true) var next: Code? = Code(persistedValue: "n")
}

/// `CustomPersistable` and `FailableCustomPersistable`.
@Suite struct CustomPersistableTests {
    /// No list had any of them, nor were two lists of them ever equal.
    @Test("P16, Q17: lists find values that are stored as embedded objects")
    func listsFindValuesThatAreStoredAsEmbeddedObjects() async throws {
        try await withFreshRealm([Station.self, Location.self]) { realm in
            let (a, b, other) = (Coordinate(1, 2), Coordinate(3, 4), Coordinate(5, 6))
            let station = try await realm.write { tx in
                let station = Station()
                station.track.append(contentsOf: [a, b, a])
                for isAdded in [false, true] {
                    if isAdded { try tx.add(station) }
                    let track = station.track
                    #expect(track.index(of: b) == 1 && track.lastIndex(of: a) == 2)
                    #expect(track.contains(a) && !track.contains(other))
                    #expect(track == [a, b, a] && track != [a, b, other])
                }
                return station.freeze()
            }
            let track = station.track
            #expect(track.index(of: b) == 1 && track.lastIndex(of: a) == 2)
            #expect(track.contains(a) && !track.contains(other))
        }
    }

    @Test("P16: a type of one's own is stored as a scalar")
    func aTypeIsStoredAsAScalar() async throws {
        try await withFreshRealm([Station.self, Location.self]) { realm in
            let station = try await realm.write { tx in
                let station = try tx.create(Station.self, value: ["inside": 21.5])
                #expect(station.outside.degrees == 15)
                station.outside = Celsius(degrees: -2)
                station.source = URL(string: "https://example.org/a")
                station.links.append(contentsOf: [URL(string: "https://a.org"), nil])
                return station.freeze()
            }
            #expect(station.outside.degrees == -2 && station.inside?.degrees == 21.5)
            #expect(station.page.path == "/start" && station.source?.host == "example.org")
            #expect(station.links[0]?.host == "a.org" && station.links[1] == nil)
            let all = realm.objects(Station.self)
            #expect(all.where { $0.outside == Celsius(degrees: -2) }.count == 1)
            #expect(all.where { $0.outside.persistableValue < 0 }.count == 1)
            #expect(all.sorted(by: \.outside).count == 1)
        }
    }

    @Test("P16: a type of one's own is stored as an embedded object")
    func aTypeIsStoredAsAnEmbeddedObject() async throws {
        try await withFreshRealm([Station.self, Location.self]) { realm in
            let station = try await realm.write { tx in
                let station = Station()
                station.place = Coordinate(47, 8)
                station.track.append(contentsOf: [Coordinate(1, 2), Coordinate(3, 4)])
                try tx.add(station)
                #expect(station.place == Coordinate(47, 8) && station.former == nil)
                station.former = station.place
                station.place = Coordinate(46, 7)
                station.track[0] = Coordinate(5, 6)
                return station.freeze()
            }
            #expect(station.place == Coordinate(46, 7) && station.former == Coordinate(47, 8))
            #expect(Array(station.track) == [Coordinate(5, 6), Coordinate(3, 4)])
            // Every replaced embedded object was deleted.
            #expect(try realm.dynamicObjects("Location").count == 4)
            try await realm.write { tx in try tx.deleteAll(Station.self) }
            #expect(try realm.dynamicObjects("Location").count == 0)
            #expect(try await realm.verify().problems.isEmpty)
        }
    }

    /// Each update rewrote the list.
    @Test("P16, V11: a list of values that are embedded objects does not differ from itself")
    func listsThatDoNotDiffer() async throws {
        try await withFreshRealm([Station.self, Location.self]) { realm in
            var versions: [Realm.Version] = []
            for _ in 0..<2 {
                try await realm.write { tx in
                    let values: [String: Any] = ["id": 1, "track": [Coordinate(1, 2)]]
                    _ = try tx.create(Station.self, value: values, update: .modified)
                }
                versions.append(realm.latestVersion)
            }
            #expect(versions[0] == versions[1])
        }
    }

    /// They got the defaults of the class, also from JSON.
    @Test("P16: an update keeps what is not given of a value that is an embedded object")
    func partsOfValues() async throws {
        try await withFreshRealm([Station.self, Location.self]) { realm in
            try await realm.write { tx in
                let values: [String: Any] = [
                    "id": 1, "place": Coordinate(47, 8), "former": Coordinate(1, 2),
                ]
                try tx.create(Station.self, value: values)
                let change: [String: Any] = [
                    "id": 1, "place": ["latitude": 46], "former": ["longitude": 3.5],
                ]
                let station = try tx.create(Station.self, value: change, update: .modified)
                #expect(station.place == Coordinate(46, 8))
                #expect(station.former == Coordinate(1, 3.5))
                let json = #"{"id": 1, "place": {"longitude": 9}, "former": {"latitude": 4}}"#
                _ = try tx.create(Station.self, json: Data(json.utf8), update: .modified)
                #expect(station.place == Coordinate(46, 9))
                #expect(station.former == Coordinate(4, 3.5))
                // Everything is replaced, and a value that is given is one.
                let all: [String: Any] = ["id": 1, "place": ["latitude": 5], "former": NSNull()]
                try tx.create(Station.self, value: all, update: .all)
                #expect(station.place == Coordinate(5, 0) && station.former == nil)
                let value: [String: Any] = ["id": 1, "place": Coordinate(6, 7)]
                try tx.create(Station.self, value: value, update: .modified)
                #expect(station.place == Coordinate(6, 7))
                #expect(try tx.dynamicObjects("Location").count == 1)
            }
            #expect(try await realm.verify().problems.isEmpty)
        }
    }

    /// JSON took it for a property, and values by name did not.
    @Test("P16: nil is a value with the defaults of its embedded object, and no element")
    func nilForAValue() async throws {
        #expect(try Station(value: ["place": NSNull()]).place == Coordinate(0, 0))
        #expect(throws: RealmError.self) { try Station(value: ["track": [NSNull()]]) }
        #expect(throws: RealmError.self) { try Station(value: ["outside": NSNull()]) }
        try await withFreshRealm([Station.self, Location.self]) { realm in
            try await realm.write { tx in
                let none: [String: Any] = ["id": 1, "place": NSNull()]
                let station = try tx.create(Station.self, value: none)
                #expect(station.place == Coordinate(0, 0))
                for policy in [UpdatePolicy.modified, .all] {
                    station.place = Coordinate(47, 8)
                    try tx.create(Station.self, value: none, update: policy)
                    #expect(station.place == Coordinate(0, 0))
                }
                station.place = Coordinate(47, 8)
                try station.setValue(nil, forName: "place")
                #expect(station.place == Coordinate(0, 0))
                station.place = Coordinate(47, 8)
                let json = Data(#"{"id": 1, "place": null}"#.utf8)
                _ = try tx.create(Station.self, json: json, update: .modified)
                #expect(station.place == Coordinate(0, 0))
            }
            #expect(try await realm.verify().problems.isEmpty)
        }
    }

    /// It was refused.
    @Test("P16: nil in a map is a value with the defaults of its embedded object")
    func nilForAValueOfAMap() async throws {
        func values() -> [String: Any] {
            ["id": 1, "byName": ["a": NSNull(), "b": Coordinate(1, 2)] as [String: Any]]
        }
        #expect(try Station(value: values()).byName["a"] == Coordinate(0, 0))
        try await withFreshRealm([Station.self, Location.self]) { realm in
            try await realm.write { tx in
                let station = try tx.create(Station.self, value: values())
                #expect(station.byName["a"] == Coordinate(0, 0))
                #expect(station.byName["b"] == Coordinate(1, 2))
                try tx.delete(try tx.dynamicObjects("Location"))
                #expect(station.byName.keys == ["a", "b"])
                #expect(station.byName["b"] == Coordinate(0, 0))
                for policy in [UpdatePolicy.modified, .all] {
                    station.byName["a"] = Coordinate(47, 8)
                    let json = Data(#"{"id": 1, "byName": {"a": null}}"#.utf8)
                    _ = try tx.create(Station.self, json: json, update: policy)
                    #expect(station.byName.keys == ["a"])
                    #expect(station.byName["a"] == Coordinate(0, 0))
                }
            }
            #expect(try await realm.verify().problems.isEmpty)
        }
    }

    /// The error said that a dictionary was given.
    @Test func nilForAValueThatIsNoneOfTheDefaults() throws {
        #expect(try Boat(value: ["harbour": ["latitude": 53.5]]).harbour.latitude == 53.5)
        let error = #expect(throws: RealmError.self) { try Boat(value: ["harbour": NSNull()]) }
        guard case .invalidValue(let text)? = error else {
            Issue.record("expected an invalid value, not \(String(describing: error))")
            return
        }
        #expect(text.contains("'Boat.harbour'") && text.contains("was given nil"), "\(text)")
    }

    /// Only those that may not be missing compiled.
    @Test("P16, D12: a type of one's own that may be missing is a key, and has an index")
    func optionalKeysAndIndexes() async throws {
        try await withFreshRealm([Parcel.self]) { realm in
            let code = Code(persistedValue: "c")
            try await realm.write { tx in
                let values: [String: Any] = ["code": code, "former": "f"]
                try tx.create(Parcel.self, value: values)
                try tx.create(Parcel.self)
                #expect(throws: RealmError.self) { try tx.create(Parcel.self) }
            }
            let parcel = try #require(realm.object(Parcel.self, forPrimaryKey: Optional(code)))
            #expect(parcel.former?.text == "f" && parcel.next?.text == "n")
            let nameless = try #require(realm.object(Parcel.self, forPrimaryKey: Code?.none))
            #expect(nameless.code == nil && nameless.former == nil)
            let all = realm.objects(Parcel.self)
            #expect(all.where { $0.former == Code(persistedValue: "f") }.map(\.code) == [code])
            #expect(all.where { $0.next == Code(persistedValue: "n") }.count == 2)
            #expect(realm.schema["Parcel"]?["former"]?.isIndexed == true)
        }
    }

    @Test func aRowWithoutAnEmbeddedObjectReadsAsItsDefaults() async throws {
        try await withFreshRealm([Station.self, Location.self]) { realm in
            try await realm.write { tx in
                let station = try tx.dynamicCreate("Station", value: ["id": 1])
                #expect((station["place"] as? DynamicObject)?["latitude"] as? Double == 0)
                station["place"] = nil
                #expect(try tx.dynamicObjects("Location").isEmpty)
            }
            #expect(realm.object(Station.self, forPrimaryKey: 1)?.place == Coordinate(0, 0))
        }
    }

    @Test("P16, D18: a failed mapping reads as nil or the default, and is reported")
    func aFailedMappingReadsAsNilOrTheDefaultAndIsReported() async throws {
        try await withFreshRealm([Pair.self]) { realm in
            try await realm.write { tx in
                try tx.dynamicCreate("Pair", value: ["even": 3, "optional": 5])
            }
            let pair = try #require(realm.objects(Pair.self).first)
            #expect(pair.even.half == 2 && pair.optional == nil)
            let report = try await realm.verify()
            #expect(report.problems.count == 2, "\(report.problems)")
        }
    }

    @Test func aPropertyNeedsAValueToStartWith() async throws {
        let problems = try await schemaProblems(of: [NoDefault.self])
        #expect(problems.count == 1 && problems[0].contains("'NoDefault.even'"))
    }

    /// Collections with a default were taken, and reading an element that makes no value trapped.
    @Test("D18: elements of a type without a zero have to be optional")
    func elementsNeedAZero() async throws {
        let problems = try await schemaProblems(of: [NoZeros.self])
        #expect(problems.count == 3, "\(problems)")
        for (problem, name) in zip(problems, ["list", "set", "byName"]) {
            #expect(problem.contains("'NoZeros.\(name)'") && problem.contains("optional"))
        }
    }
}

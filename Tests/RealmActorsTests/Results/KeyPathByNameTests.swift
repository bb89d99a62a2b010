import RealmActors
import Testing

private final class Buoy: Object {
    @Persisted var depth: Double
    @Persisted var next: Buoy?
    @Persisted var marks: List<Int>
}

/// Key paths by name, across links and collections, of objects and of collections.
@Suite struct KeyPathByNameTests {
    /// Realm's `value(forKeyPath:)` was not there.
    @Test("L5, Q23: key paths by name go across links, and have operators of collections")
    func keyPathsByName() async throws {
        try await withNamedBoats { realm in
            try await realm.write { tx in
                let boats = tx.objects(NamedBoat.self)
                let oslo = try #require(tx.object(NamedHarbour.self, forPrimaryKey: "Oslo"))
                for (path, number) in ["@count": 4, "@min.masts": 1, "@max.id": 3, "@sum.id": 6] {
                    #expect(try boats.value(forKeyPath: path) as? Int == number, "\(path)")
                }
                #expect(try boats.value(forKeyPath: "@avg.masts") as? Double == 1.5)
                func names(_ path: String) throws -> [String?] {
                    let values = try boats.value(forKeyPath: path) as? [Any?]
                    return try #require(values).map { $0 as? String }
                }
                #expect(try names("name") == ["Argo", "Brig", "Argo", "Cutter"])
                #expect(try names("@unionOfObjects.name") == ["Argo", "Brig", "Argo", "Cutter"])
                #expect(try names("@distinctUnionOfObjects.name") == ["Argo", "Brig", "Cutter"])
                #expect(try names("harbour.name") == ["Oslo", nil, nil, "Oslo"])
                #expect(try names("@distinctUnionOfObjects.harbour.name") == ["Oslo", nil])
                #expect(try oslo.boats.value(forKeyPath: "@sum.id") as? Int == 3)
                #expect(try oslo.guests.value(forKeyPath: "@min.id") as? Int == 1)
                #expect(try oslo.home.value(forKeyPath: "@count") as? Int == 2)
                #expect(try oslo.value(forKeyPath: "boats.@max.id") as? Int == 2)
                #expect(try oslo.value(forKeyPath: "best") is NamedBoat)
                #expect(try boats[0].value(forKeyPath: "harbour.boats.@count") as? Int == 3)
                #expect(try boats[1].value(forKeyPath: "harbour.boats.@count") == nil)
                #expect(try oslo.berths.value(forKeyPath: "one.name") as? String == "Brig")
                #expect(try oslo.value(forKeyPath: "berths.one.id") as? Int == 1)
                #expect(try oslo.berths.value(forKeyPath: "one") is NamedBoat)
                #expect(try oslo.berths.value(forKeyPath: "two.name") == nil)
                for path in ["one.", "one.nothing", "one.name.x"] {
                    #expect(throws: RealmError.self, "\(path)") {
                        try oslo.berths.value(forKeyPath: path)
                    }
                }
                let none = boats.where { $0.id > 9 }
                #expect(try none.value(forKeyPath: "@sum.id") as? Int == 0)
                for path in ["@min.id", "@max.id", "@avg.id"] {
                    #expect(try none.value(forKeyPath: path) == nil, "\(path)")
                }
                for path in ["", "nothing", "@sum", "@sum.", "@sum.name", "@median.id", "name.x"] {
                    #expect(throws: RealmError.self, "\(path)") {
                        try boats.value(forKeyPath: path)
                    }
                }
                let unmanaged = try NamedBoat(value: ["name": "Dory", "masts": 1])
                #expect(try List([unmanaged]).value(forKeyPath: "@count") as? Int == 1)
                #expect(try List([unmanaged]).value(forKeyPath: "@sum.masts") as? Int == 1)
                #expect(throws: RealmError.self) {
                    try List([unmanaged]).value(forKeyPath: "@sum.name")
                }
            }
        }
    }

    /// A set had a value as often as its objects do.
    @Test("L5: by name, a set of objects gives each value once")
    func valuesOfSets() async throws {
        try await withNamedBoats { realm in
            try await realm.write { tx in
                let oslo = try #require(tx.object(NamedHarbour.self, forPrimaryKey: "Oslo"))
                oslo.guests.insert(objectsIn: tx.objects(NamedBoat.self))
                for path in ["name", "@distinctUnionOfObjects.name"] {
                    let names = try oslo.guests.value(forKeyPath: path) as? [Any?]
                    #expect(names?.map { $0 as? String } == ["Argo", "Brig", "Cutter"])
                }
                let names = try oslo.guests.value(forKey: "name")
                #expect(names.map { $0 as? String } == ["Argo", "Brig", "Cutter"])
                #expect(try oslo.guests.value(forKey: "self").count == 4)
                #expect(try oslo.guests.value(forKey: "harbour").count == 2)
                #expect(try oslo.boats.value(forKey: "name").count == 3)
            }
        }
    }

    /// Each name was a call within a call, so that a long path exhausted the stack. A dictionary
    /// within a value was followed from an object only.
    @Test("L5: key paths by name are long, and go through dictionaries within values")
    func longKeyPathsByName() async throws {
        try await withNamedBoats { realm in
            try await realm.write { tx in
                let boats = tx.objects(NamedBoat.self)
                let long = String(repeating: "self.", count: 20_000) + "name"
                #expect(try boats[0].value(forKeyPath: long) as? String == "Argo")
                let homes = String(repeating: "harbour.home.", count: 10_000) + "name"
                #expect(throws: RealmError.self) { try boats[0].value(forKeyPath: homes) }
                #expect(throws: RealmError.self) { try boats.value(forKeyPath: long) }
                let oslo = try #require(boats[0].harbour)
                let inner = Map<String, AnyRealmValue>(["b": .object(boats[3])])
                oslo.best = .dictionary(Map(["a": .dictionary(inner)]))
                #expect(try oslo.value(forKeyPath: "best.a.b.name") as? String == "Cutter")
                #expect(try oslo.value(forKeyPath: "best.a.c.name") == nil)
                #expect(throws: RealmError.self) { try oslo.value(forKeyPath: "best.a.b.name.x") }
            }
        }
    }

    /// Not-a-number, and an object without a primary key, came once for each of the objects, and
    /// equal lists once for all: to find out took quadratic time.
    @Test("L5: by name, distinct values are compared as in managed sets")
    func distinctValuesByName() async throws {
        try await withFreshRealm([Buoy.self]) { realm in
            try await realm.write { tx in
                let last = try tx.create(Buoy.self)
                for depth in [Double.nan, 1, .nan, 1] {
                    let buoy = try tx.create(Buoy.self, value: ["depth": depth])
                    buoy.next = last
                }
                let buoys = tx.objects(Buoy.self)
                for (path, count) in ["depth": 3, "next": 2, "self": 5, "marks": 5] {
                    let values = try buoys.value(forKeyPath: "@distinctUnionOfObjects.\(path)")
                    #expect((values as? [Any?])?.count == count, "\(path)")
                }
            }
        }
    }

    /// Realm's `setValue(_:forKeyPath:)` was not there.
    @Test("L5: a key path by name sets across links and collections")
    func settingKeyPathsByName() async throws {
        try await withNamedBoats { realm in
            try await realm.write { tx in
                let boats = tx.objects(NamedBoat.self)
                try boats[0].setValue("Dory", forKeyPath: "name")
                #expect(boats[0].name == "Dory")
                let oslo = try #require(boats[0].harbour)
                try oslo.setValue("Elsa", forKeyPath: "best.name")
                try boats[0].setValue(7, forKeyPath: "harbour.boats.masts")
                // It is the best one there, too.
                #expect(oslo.boats.allSatisfy { $0.masts == 7 } && boats[0].name == "Elsa")
                // There is nobody to set it of.
                try boats[1].setValue(1, forKeyPath: "harbour.boats.masts")
                for path in ["", "nothing", "name.x", "harbour.nothing", "harbour.words.x"] {
                    #expect(throws: RealmError.self, "\(path)") {
                        try boats[0].setValue("x", forKeyPath: path)
                    }
                }
                #expect(throws: RealmError.self) {
                    try boats[0].setValue("x", forKeyPath: "harbour.boats.masts")
                }
                let unmanaged = NamedBoat()
                unmanaged.harbour = NamedHarbour()
                try unmanaged.setValue("Bergen", forKeyPath: "harbour.name")
                #expect(unmanaged.harbour?.name == "Bergen")
            }
        }
    }
}

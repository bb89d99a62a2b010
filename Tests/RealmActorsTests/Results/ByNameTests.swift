import Foundation
import RealmActors
import Testing

private final class Boat: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var masts: Int
    @Persisted var harbour: NamedHarbour?
}

private final class NamedHarbour: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var boats: List<Boat>
    @Persisted var guests: MutableSet<Boat>
    @Persisted var berths: Map<String, Boat?>
    @Persisted var best: AnyRealmValue
    @Persisted var words: List<String>
    @Persisted(originProperty: "harbour") var home: LinkingObjects<Boat>
}

private final class Buoy: Object {
    @Persisted var depth: Double
    @Persisted var next: Buoy?
    @Persisted var marks: List<Int>
}

private let models: [ObjectBase.Type] = [Boat.self, NamedHarbour.self]

/// What Realm's results and objects do by text, and with frozen objects.
@Suite struct ByNameTests {
    private func withBoats(_ body: (Realm) async throws -> Void) async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let names = ["Argo", "Brig", "Argo", "Cutter"]
                let boats = try names.enumerated().map { id, name in
                    try tx.create(Boat.self, value: ["id": id, "name": name, "masts": id % 2 + 1])
                }
                let oslo = try tx.create(NamedHarbour.self, value: ["name": "Oslo"])
                oslo.boats.append(objectsIn: [boats[2], boats[1], boats[0]])
                oslo.guests.insert(boats[3])
                oslo.guests.insert(boats[1])
                oslo.berths["one"] = boats[1]
                oslo.best = .object(boats[0])
                boats[0].harbour = oslo
                boats[3].harbour = oslo
            }
            try await body(realm)
        }
    }

    private static func check(_ boats: some QueryableResults<Boat>) throws {
        #expect(try boats.index(matching: "name == 'Argo' AND id > %@", 0) == 2)
        #expect(try boats.index(matching: "masts > 2") == nil)
        #expect(throws: RealmError.self) { try boats.index(matching: "nothing == 1") }
        #expect(try boats.distinct(by: ["name"]).values(of: \.id) == [0, 1, 3])
        #expect(try boats.distinct(by: ["name", "masts"]).values(of: \.id) == [0, 1, 3])
        #expect(try boats.distinct(by: ["masts"]).values(of: \.id) == [0, 1])
        #expect(try boats.distinct(by: ["harbour.name"]).values(of: \.id) == [0, 1])
        #expect(boats.distinct(by: [\.name]).values(of: \.id) == [0, 1, 3])
        #expect(try boats.sorted(byKeyPath: "name").values(of: \.id) == [0, 2, 1, 3])
        let last = try boats.sorted(byKeyPath: "harbour.name").sorted(
            byKeyPath: "id", ascending: false)
        #expect(last.values(of: \.id) == [3, 2, 1, 0])
        for name in ["nothing", "harbour", "harbour.boats"] {
            #expect(throws: RealmError.self) { try boats.sorted(byKeyPath: name) }
        }
        // One was left, as if all were alike.
        #expect(try boats.distinct(by: [String]()).values(of: \.id) == [0, 1, 2, 3])
        #expect(boats.distinct(by: [PartialKeyPath<Boat>]()).values(of: \.id) == [0, 1, 2, 3])
        for names in [["nothing"], ["harbour.boats"], [""], ["name", "harbour.nothing"]] {
            #expect(throws: RealmError.self) { try boats.distinct(by: names) }
        }
    }

    private static func check(_ oslo: NamedHarbour) throws {
        #expect(try oslo.boats.index(matching: "name == 'Argo'") == 0)
        #expect(try oslo.boats.index(matching: "id == %@", 0) == 2)
        #expect(oslo.boats.index(matching: { $0.id == 3 }) == nil)
        let position = try oslo.guests.index(matching: "id == 3")
        #expect(
            position.map { oslo.guests[$0].id } == 3
                && oslo.guests.index(matching: { $0.id == 0 }) == nil)
        #expect(
            try oslo.home.index(matching: "id == 3") == oslo.home.index(matching: { $0.id == 3 }))
        #expect(oslo.home.index(matching: { $0.id == 1 }) == nil)
        #expect(try oslo.boats.distinct(by: ["name"]).values(of: \.id) == [2, 1])
        #expect(try oslo.boats.sorted(byKeyPath: "name").values(of: \.id) == [2, 0, 1])
        #expect(try oslo.guests.sorted(byKeyPath: "id", ascending: false).first?.id == 3)
        #expect(throws: RealmError.self) { try oslo.boats.sorted(byKeyPath: "nothing") }
        #expect(try oslo.boats.min(ofProperty: "masts") == 1)
        #expect(try oslo.boats.max(ofProperty: "masts") == 2)
        #expect(try oslo.guests.sum(ofProperty: "masts") == 4)
        #expect(try oslo.home.average(ofProperty: "masts") == 1.5)
        #expect(try oslo.berths.max(ofProperty: "id") == 1)
        for name in ["nothing", "name"] {
            #expect(throws: RealmError.self) { try oslo.boats.sum(ofProperty: name) }
        }
        let dynamic = try oslo.dynamicList("boats")
        #expect(dynamic.map { $0["id"] as? Int } == [2, 1, 0])
        #expect(try oslo.dynamicMutableSet("guests").count == 2)
        #expect(try oslo.dynamicMap("berths")["one"]??["name"] as? String == "Brig")
        for name in ["nothing", "words", "guests", "name"] {
            #expect(throws: RealmError.self) { try oslo.dynamicList(name) }
        }
        let best = try #require(oslo.best.dynamicObject)
        #expect(best["name"] as? String == "Argo" && best.className == "Boat")
        #expect(best.isSameObject(as: oslo.boats[2]))
        #expect(AnyRealmValue.int(1).dynamicObject == nil)
        #expect(AnyRealmValue.object(Boat()).dynamicObject == nil)
        #expect(throws: RealmError.self) { try NamedHarbour().dynamicList("boats") }
    }

    @Test func resultsAndListsAreAskedByText() async throws {
        try await withBoats { realm throws in
            try Self.check(realm.objects(Boat.self))
            try await realm.write { tx in
                try Self.check(tx.objects(Boat.self))
                try Self.check(#require(tx.object(NamedHarbour.self, forPrimaryKey: "Oslo")))
            }
            let oslo = try #require(realm.object(NamedHarbour.self, forPrimaryKey: "Oslo"))
            #expect(try oslo.boats.index(matching: "id == %@", 0) == 2)
            #expect(oslo.boats.index(matching: { $0.id == 1 }) == 1)
            #expect(try oslo.boats.distinct(by: ["name"]).values(of: \.id) == [2, 1])
            #expect(try oslo.boats.sorted(byKeyPath: "id").values(of: \.id) == [0, 1, 2])
            #expect(throws: RealmError.self) { try oslo.home.sorted(byKeyPath: "nothing") }
            #expect(try oslo.boats.min(ofProperty: "id") == 0)
            #expect(try oslo.boats.max(ofProperty: "id") == 2)
            #expect(try oslo.guests.average(ofProperty: "masts") == 2)
            #expect(try oslo.berths.sum(ofProperty: "masts") == 2)
            #expect(throws: RealmError.self) { try oslo.guests.min(ofProperty: "nothing") }
            // Which changes them.
            try await Self.checkLive(realm)
        }
    }

    @Test("L5, Q12: a property of all results is read and set by its name")
    func propertiesOfResults() async throws {
        try await withBoats { realm in
            try await realm.write { tx in
                let singles = tx.objects(Boat.self).where { $0.masts == 1 }
                let names = try singles.value(forKey: "name").map { $0 as? String }
                #expect(names == ["Argo", "Argo"])
                #expect(try singles.value(forKey: "harbour").map { $0 == nil } == [false, true])
                try singles.setValue("Dory", forKey: "name")
                // None of them answers the query afterwards.
                try singles.setValue(3, forKey: "masts")
                #expect(singles.isEmpty)
                let boats = tx.objects(Boat.self)
                try boats.setValue(nil, forKey: "harbour")
                #expect(boats.map(\.name) == ["Dory", "Brig", "Dory", "Cutter"])
                #expect(boats.map(\.masts) == [3, 2, 3, 2])
                #expect(boats.allSatisfy { $0.harbour == nil })
                #expect(throws: RealmError.self) { try boats.value(forKey: "nothing") }
                #expect(throws: RealmError.self) { try boats.setValue("two", forKey: "masts") }
                #expect(throws: RealmError.self) { try boats.setValue(nil, forKey: "name") }
            }
        }
    }

    /// Code that was written for Realm asks collections for their objects so.
    @Test("L5: by Realm's name for it, self is the object")
    func selfIsTheObject() async throws {
        try await withBoats { realm in
            try await realm.write { tx in
                let boats = try tx.objects(Boat.self).value(forKey: "self")
                #expect(boats.map { ($0 as? Boat)?.id } == [0, 1, 2, 3])
                let oslo = try #require(tx.object(NamedHarbour.self, forPrimaryKey: "Oslo"))
                let listed = try oslo.boats.value(forKey: "self")
                #expect(listed.map { ($0 as? Boat)?.id } == [2, 1, 0])
                let same = try oslo.value(forKey: "self") as? NamedHarbour
                #expect(same === oslo)
                #expect(throws: RealmError.self) { try oslo.value(forName: "self") }
            }
        }
    }

    /// Realm's `value(forKeyPath:)` was not there.
    @Test("L5, Q23: key paths by name go across links, and have operators of collections")
    func keyPathsByName() async throws {
        try await withBoats { realm in
            try await realm.write { tx in
                let boats = tx.objects(Boat.self)
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
                #expect(try oslo.value(forKeyPath: "best") is Boat)
                #expect(try boats[0].value(forKeyPath: "harbour.boats.@count") as? Int == 3)
                #expect(try boats[1].value(forKeyPath: "harbour.boats.@count") == nil)
                #expect(try oslo.berths.value(forKeyPath: "one.name") as? String == "Brig")
                #expect(try oslo.value(forKeyPath: "berths.one.id") as? Int == 1)
                #expect(try oslo.berths.value(forKeyPath: "one") is Boat)
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
                let unmanaged = try Boat(value: ["name": "Dory", "masts": 1])
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
        try await withBoats { realm in
            try await realm.write { tx in
                let oslo = try #require(tx.object(NamedHarbour.self, forPrimaryKey: "Oslo"))
                oslo.guests.insert(objectsIn: tx.objects(Boat.self))
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
        try await withBoats { realm in
            try await realm.write { tx in
                let boats = tx.objects(Boat.self)
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
        try await withBoats { realm in
            try await realm.write { tx in
                let boats = tx.objects(Boat.self)
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
                let unmanaged = Boat()
                unmanaged.harbour = NamedHarbour()
                try unmanaged.setValue("Bergen", forKeyPath: "harbour.name")
                #expect(unmanaged.harbour?.name == "Bergen")
            }
        }
    }

    @MainActor private static func checkLive(_ realm: Realm) async throws {
        let live = try await realm.live()
        let boats = live.objects(Boat.self)
        try check(boats)
        let oslo = try #require(live.object(NamedHarbour.self, forPrimaryKey: "Oslo"))
        try check(oslo)
        #expect(boats.realm == realm && boats.where { $0.id == 0 }.realm == realm)
        // What is reached by name changes what is reached by type.
        try await live.write {
            try oslo.dynamicList("boats").remove(at: 0)
            try #require(oslo.best.dynamicObject)["name"] = "Dory"
        }
        #expect(oslo.boats.map(\.name) == ["Brig", "Dory"])
        live.invalidate()
        #expect(boats.realm == nil)
    }

    @Test func whatIsFrozenIsDeletedAsItIsByNow() async throws {
        try await withBoats { realm throws in
            let old = realm.objects(Boat.self).where { $0.name == "Argo" }
            let brig = try #require(realm.object(Boat.self, forPrimaryKey: 1))
            let boats = try #require(realm.object(NamedHarbour.self, forPrimaryKey: "Oslo")).boats
            try await realm.write { tx in
                // One was removed, one renamed, and one is new.
                try tx.delete(#require(tx.resolve(old[0])))
                try #require(tx.resolve(old[1])).name = "Zora"
                try tx.create(Boat.self, value: ["id": 9, "name": "Argo"])
                try tx.delete(old)
                #expect(tx.objects(Boat.self).values(of: \.id) == [1, 3, 9])
            }
            #expect(realm.objects(Boat.self).values(of: \.id) == [1, 3, 9])
            try await realm.write { tx in
                try tx.delete(brig)
                try tx.delete(brig)
            }
            #expect(realm.objects(Boat.self).values(of: \.id) == [3, 9])
            // A frozen list, of which nothing is left, and an array with the same object twice.
            let last = try #require(realm.object(Boat.self, forPrimaryKey: 9))
            try await realm.write { tx in
                try tx.delete(boats)
                let twice = [last, last]
                try tx.delete(twice)
            }
            #expect(realm.objects(Boat.self).values(of: \.id) == [3])
            #expect(try await realm.verify().isIntact)
            try await withBoats { other in
                let foreign = other.objects(Boat.self)
                await #expect(throws: RealmError.self) {
                    try await realm.write { tx in try tx.delete(foreign) }
                }
                #expect(realm.objects(Boat.self).count == 1 && foreign.count == 4)
            }
        }
    }
}

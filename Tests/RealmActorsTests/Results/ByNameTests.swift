import Foundation
import RealmActors
import Testing

/// What Realm's results and objects do by text, and with frozen objects.
@Suite struct ByNameTests {
    private static func check(_ boats: some QueryableResults<NamedBoat>) throws {
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
        #expect(boats.distinct(by: [PartialKeyPath<NamedBoat>]()).values(of: \.id) == [0, 1, 2, 3])
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
        #expect(best["name"] as? String == "Argo" && best.className == "NamedBoat")
        #expect(best.isSameObject(as: oslo.boats[2]))
        #expect(AnyRealmValue.int(1).dynamicObject == nil)
        #expect(AnyRealmValue.object(NamedBoat()).dynamicObject == nil)
        #expect(throws: RealmError.self) { try NamedHarbour().dynamicList("boats") }
    }

    @Test func resultsAndListsAreAskedByText() async throws {
        try await withNamedBoats { realm throws in
            try Self.check(realm.objects(NamedBoat.self))
            try await realm.write { tx in
                try Self.check(tx.objects(NamedBoat.self))
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
        try await withNamedBoats { realm in
            try await realm.write { tx in
                let singles = tx.objects(NamedBoat.self).where { $0.masts == 1 }
                let names = try singles.value(forKey: "name").map { $0 as? String }
                #expect(names == ["Argo", "Argo"])
                #expect(try singles.value(forKey: "harbour").map { $0 == nil } == [false, true])
                try singles.setValue("Dory", forKey: "name")
                // None of them answers the query afterwards.
                try singles.setValue(3, forKey: "masts")
                #expect(singles.isEmpty)
                let boats = tx.objects(NamedBoat.self)
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
        try await withNamedBoats { realm in
            try await realm.write { tx in
                let boats = try tx.objects(NamedBoat.self).value(forKey: "self")
                #expect(boats.map { ($0 as? NamedBoat)?.id } == [0, 1, 2, 3])
                let oslo = try #require(tx.object(NamedHarbour.self, forPrimaryKey: "Oslo"))
                let listed = try oslo.boats.value(forKey: "self")
                #expect(listed.map { ($0 as? NamedBoat)?.id } == [2, 1, 0])
                let same = try oslo.value(forKey: "self") as? NamedHarbour
                #expect(same === oslo)
                #expect(throws: RealmError.self) { try oslo.value(forName: "self") }
            }
        }
    }

    @MainActor private static func checkLive(_ realm: Realm) async throws {
        let live = try await realm.live()
        let boats = live.objects(NamedBoat.self)
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
        try await withNamedBoats { realm throws in
            let old = realm.objects(NamedBoat.self).where { $0.name == "Argo" }
            let brig = try #require(realm.object(NamedBoat.self, forPrimaryKey: 1))
            let boats = try #require(realm.object(NamedHarbour.self, forPrimaryKey: "Oslo")).boats
            try await realm.write { tx in
                // One was removed, one renamed, and one is new.
                try tx.delete(#require(tx.resolve(old[0])))
                try #require(tx.resolve(old[1])).name = "Zora"
                try tx.create(NamedBoat.self, value: ["id": 9, "name": "Argo"])
                try tx.delete(old)
                #expect(tx.objects(NamedBoat.self).values(of: \.id) == [1, 3, 9])
            }
            #expect(realm.objects(NamedBoat.self).values(of: \.id) == [1, 3, 9])
            try await realm.write { tx in
                try tx.delete(brig)
                try tx.delete(brig)
            }
            #expect(realm.objects(NamedBoat.self).values(of: \.id) == [3, 9])
            // A frozen list, of which nothing is left, and an array with the same object twice.
            let last = try #require(realm.object(NamedBoat.self, forPrimaryKey: 9))
            try await realm.write { tx in
                try tx.delete(boats)
                let twice = [last, last]
                try tx.delete(twice)
            }
            #expect(realm.objects(NamedBoat.self).values(of: \.id) == [3])
            #expect(try await realm.verify().isIntact)
            try await withNamedBoats { other in
                let foreign = other.objects(NamedBoat.self)
                await #expect(throws: RealmError.self) {
                    try await realm.write { tx in try tx.delete(foreign) }
                }
                #expect(realm.objects(NamedBoat.self).count == 1 && foreign.count == 4)
            }
        }
    }
}

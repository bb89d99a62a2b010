import Foundation
import RealmActors
import Testing

private final class Hub: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "link") var byLink: LinkingObjects<Spoke>
    @Persisted(originProperty: "list") var byList: LinkingObjects<Spoke>
    @Persisted(originProperty: "set") var bySet: LinkingObjects<Spoke>
    @Persisted(originProperty: "map") var byMap: LinkingObjects<Spoke>

    var counts: [Int] { [byLink.count, byList.count, bySet.count, byMap.count] }
}

private final class Spoke: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var link: Hub?
    @Persisted var list: List<Hub>
    @Persisted var set: MutableSet<Hub>
    @Persisted var map: Map<String, Hub?>
}

private final class Cog: EmbeddedObject {
    @Persisted var teeth: Int
    @Persisted(originProperty: "main") var byLink: LinkingObjects<Machine>
    @Persisted(originProperty: "cogs") var byList: LinkingObjects<Machine>
    @Persisted(originProperty: "named") var byMap: LinkingObjects<Machine>

    var counts: [Int] { [byLink.count, byList.count, byMap.count] }
}

private final class Machine: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var main: Cog?
    @Persisted var cogs: List<Cog>
    @Persisted var named: Map<String, Cog?>
}

private final class Shrub: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var boughs: List<Bough>
}

private final class Bough: EmbeddedObject {
    @Persisted var number: Int
    @Persisted var main: Twig?
    @Persisted var twigs: List<Twig>
}

private final class Twig: EmbeddedObject {
    @Persisted var leaves: Int
    @Persisted(originProperty: "main") var byLink: LinkingObjects<Bough>
    @Persisted(originProperty: "twigs") var byList: LinkingObjects<Bough>
}

/// Inverses of every kind of property that links.
@Suite struct InverseLinkTests {
    @Test("P7: inverses follow links, lists, sets and maps, changed in every way")
    func everyKindOfLink() async throws {
        try await withFreshRealm([Hub.self, Spoke.self]) { realm in
            let frozen = try await realm.write { tx in
                let hub = try tx.create(Hub.self, value: ["name": "a"])
                let other = try tx.create(Hub.self, value: ["name": "b"])
                let spoke = try tx.create(Spoke.self, value: ["id": 1])
                #expect(hub.counts == [0, 0, 0, 0])
                spoke.link = hub
                spoke.list.append(objectsIn: [hub, other, hub])
                spoke.set.insert(objectsIn: [hub, hub, other])
                spoke.map["x"] = hub
                spoke.map["y"] = hub
                spoke.map["z"] = .some(nil)
                #expect(hub.counts == [1, 2, 1, 2] && other.counts == [0, 1, 1, 0])
                #expect(hub.byMap.allSatisfy { $0.isSameObject(as: spoke) })
                // What stays as it is, stays linked.
                spoke.link = hub
                spoke.list[0] = hub
                spoke.list.swapAt(0, 2)
                spoke.set.insert(hub)
                spoke.map["x"] = hub
                #expect(hub.counts == [1, 2, 1, 2] && other.counts == [0, 1, 1, 0])
                return hub.freeze()
            }
            try await realm.write { tx in
                let hub = try #require(tx.object(Hub.self, forPrimaryKey: "a"))
                let other = try #require(tx.object(Hub.self, forPrimaryKey: "b"))
                let spoke = try #require(tx.object(Spoke.self, forPrimaryKey: 1))
                spoke.link = other
                spoke.list.remove(at: 0)
                spoke.list[1] = other
                spoke.set.remove(hub)
                spoke.map["x"] = other
                spoke.map["y"] = nil
                #expect(hub.counts == [0, 0, 0, 0] && other.counts == [1, 2, 1, 1])
                try tx.delete(other)
                #expect(spoke.link == nil && spoke.list.isEmpty && spoke.set.isEmpty)
                #expect(spoke.map.keys == ["x", "z"] && spoke.map["x"] == .some(nil))
                spoke.list.assign([hub, hub, hub])
                try tx.delete(spoke)
                #expect(hub.counts == [0, 0, 0, 0])
            }
            #expect(frozen.byLink.count == 1 && frozen.byList.count == 2)
            #expect(frozen.bySet.count == 1 && frozen.byMap.count == 2)
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test("P7, P15: an embedded object has its parent in an inverse")
    func embeddedObjects() async throws {
        try await withFreshRealm([Machine.self, Cog.self]) { realm in
            let frozen = try await realm.write { tx in
                let machine = try tx.create(Machine.self, value: ["id": 1])
                let cog = Cog()
                #expect(cog.counts == [0, 0, 0])
                machine.main = cog
                machine.cogs.append(objectsIn: [Cog(), Cog()])
                machine.named["a"] = Cog()
                #expect(cog.counts == [1, 0, 0] && machine.cogs[1].counts == [0, 1, 0])
                #expect(machine.cogs[0].byList.first?.isSameObject(as: machine) == true)
                #expect(machine.named["a"]??.counts == [0, 0, 1])
                return machine.freeze()
            }
            try await realm.write { tx in
                let machine = try #require(tx.resolve(frozen))
                let main = try #require(machine.main)
                let last = machine.cogs[1]
                machine.main = nil
                machine.cogs.removeLast()
                #expect(main.isInvalidated && main.byLink.isEmpty && last.byList.isEmpty)
                #expect(machine.cogs[0].counts == [0, 1, 0])
            }
            #expect(frozen.main?.byLink.map(\.id) == [1] && frozen.cogs[1].byList.count == 1)
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test("P7, P15, M9: the parent that an inverse has may be embedded itself")
    func embeddedParents() async throws {
        try await withFreshRealm([Shrub.self, Bough.self, Twig.self]) { realm in
            let frozen = try await realm.write { tx in
                let shrub = try tx.create(Shrub.self, value: ["id": 1])
                shrub.boughs.append(objectsIn: [Bough(), Bough()])
                let bough = shrub.boughs[1]
                bough.number = 7
                bough.main = Twig()
                bough.twigs.append(objectsIn: [Twig(), Twig()])
                let twig = bough.twigs[1]
                #expect(twig.byList.count == 1 && twig.byLink.isEmpty)
                #expect(twig.byList.first?.isSameObject(as: bough) == true)
                #expect(twig.byList.index(of: bough) == 0)
                #expect(twig.byList.where { $0.number == 7 }.count == 1)
                #expect(bough.main?.byLink.map(\.number) == [7])
                return shrub.freeze()
            }
            #expect(frozen.boughs[1].twigs[0].byList.first?.number == 7)
            let found = realm.objects(Shrub.self).where { $0.boughs.twigs.byList.number == 7 }
            #expect(found.map(\.id) == [1])
            try await realm.write { tx in
                let shrub = try #require(tx.resolve(frozen))
                let twig = shrub.boughs[1].twigs[0]
                shrub.boughs.removeLast()
                #expect(twig.isInvalidated && twig.byList.isEmpty && shrub.boughs.count == 1)
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test("P7, T5: inverses are restored when a write is rolled back")
    func writesGivenUp() async throws {
        struct Stop: Error {}
        try await withFreshRealm([Hub.self, Spoke.self]) { realm in
            try await realm.write { tx in
                let hub = try tx.create(Hub.self, value: ["name": "a"])
                try tx.create(Spoke.self, value: ["id": 1]).list.append(hub)
            }
            await #expect(throws: Stop.self) {
                try await realm.write { tx in
                    let hub = try #require(tx.object(Hub.self, forPrimaryKey: "a"))
                    let spoke = try #require(tx.object(Spoke.self, forPrimaryKey: 1))
                    spoke.list.append(hub)
                    spoke.map["x"] = hub
                    try tx.create(Spoke.self, value: ["id": 2]).link = hub
                    #expect(hub.counts == [1, 2, 0, 1])
                    throw Stop()
                }
            }
            let hub = try #require(realm.object(Hub.self, forPrimaryKey: "a"))
            #expect(hub.byList.map(\.id) == [1] && hub.byLink.isEmpty && hub.byMap.isEmpty)
            #expect(try await realm.verify().isIntact)
        }
    }
}

import RealmActors
import Testing

/// Its inverse property is the first of all properties, as `home` is of those with a column.
private final class Port: Object {
    @Persisted(originProperty: "port") var ships: LinkingObjects<Vessel>
    @Persisted var home: Harbor?
    @Persisted var name: String
}

private final class Vessel: Object {
    @Persisted var port: Port?
}

private final class Harbor: Object {
    @Persisted var name: String
}

/// Accessors knew an inverse property by its number among all properties, which could be that of
/// the column of another one.
@Suite struct InverseNumberTests {
    private static let types: [ObjectBase.Type] = [Port.self, Vessel.self, Harbor.self]

    @Test("K1: an inverse and a property of the same number are distinguished")
    @MainActor func observation() async throws {
        try await withFreshRealm(Self.types) { realm in
            let live = try await realm.live()
            let port = try await live.write { try live.create(Port.self) }
            let home = ReadObserver { _ = port.home }
            let ships = ReadObserver { _ = port.ships.count }
            try await live.write {
                let ship = try live.create(Vessel.self)
                ship.port = port
            }
            #expect(ships.count == 1 && home.count == 0)
            let again = ReadObserver { _ = port.ships.count }
            try await live.write { port.home = try live.create(Harbor.self) }
            #expect(home.count == 1 && again.count == 0)
            #expect(port.ships.count == 1 && port.ships.freeze().count == 1)
        }
    }

    /// The objects that link to an observed one were compared one by one with each commit.
    @Test @MainActor func manyInverseLinksAreComparedByWhatDiffers() async throws {
        try await withFreshRealm(Self.types) { realm in
            let live = try await realm.live()
            let ports = try await live.write {
                let ports = [try live.create(Port.self), try live.create(Port.self)]
                for number in 0..<5_000 {
                    let ship = try live.create(Vessel.self)
                    ship.port = ports[number % 5 == 0 ? 0 : 1]
                }
                return ports
            }
            #expect(ports[0].ships.count == 1_000 && ports[1].ships.count == 4_000)
            // Its links stand after those of the other port, in the same index.
            let same = ReadObserver { _ = ports[1].ships.count }
            try await live.write { ports[0].ships.first?.port = nil }
            try await live.write { ports[0].name = "Bergen" }
            #expect(same.count == 0)
            // As many as before, and one of them is another.
            try await live.write {
                let (left, come) = (ports[1].ships[2_000], ports[0].ships[500])
                left.port = nil
                come.port = ports[1]
            }
            #expect(same.count == 1)
            #expect(ports[0].ships.count == 998 && ports[1].ships.count == 4_000)
        }
    }

    @Test("Q19: links and inverses of one number lead to the objects of their own classes")
    func dynamicObjects() async throws {
        try await withFreshRealm(Self.types) { realm in
            try await realm.write { tx in
                let port = try tx.create(Port.self, value: ["home": ["name": "Bergen"]])
                let ship = try tx.create(Vessel.self)
                ship.port = port
                let found = try #require(try tx.dynamicObjects("Port").first)
                let home = try #require(found["home"] as? DynamicObject)
                #expect(home.className == "Harbor" && home["name"] as? String == "Bergen")
                let ships = try #require(found["ships"] as? LinkingObjects<DynamicObject>)
                #expect(ships.count == 1 && ships.first?.className == "Vessel")
            }
        }
    }
}

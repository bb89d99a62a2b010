import RealmActors

final class NamedBoat: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var masts: Int
    @Persisted var harbour: NamedHarbour?
}

final class NamedHarbour: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var boats: List<NamedBoat>
    @Persisted var guests: MutableSet<NamedBoat>
    @Persisted var berths: Map<String, NamedBoat?>
    @Persisted var best: AnyRealmValue
    @Persisted var words: List<String>
    @Persisted(originProperty: "harbour") var home: LinkingObjects<NamedBoat>
}

/// Lends a fresh realm with four boats, and a harbour that links to them.
func withNamedBoats(_ body: (Realm) async throws -> Void) async throws {
    try await withFreshRealm([NamedBoat.self, NamedHarbour.self]) { realm in
        try await realm.write { tx in
            let names = ["Argo", "Brig", "Argo", "Cutter"]
            let boats = try names.enumerated().map { id, name in
                try tx.create(NamedBoat.self, value: ["id": id, "name": name, "masts": id % 2 + 1])
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

import Foundation
import RealmActors

/// An object with a property of every kind that gives a handle.
final class Host: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var name: String
    @Persisted var note: AnyRealmValue
    @Persisted var notes: List<AnyRealmValue>
    @Persisted var noteMap: Map<String, AnyRealmValue>
    @Persisted var numbers: List<Int>
    @Persisted var guests: List<Guest>
    @Persisted var rooms: List<Room>
    @Persisted var tags: MutableSet<String>
    @Persisted var regulars: MutableSet<Guest>
    @Persisted var prices: Map<String, Int>
    @Persisted var seats: Map<String, Guest?>
    @Persisted var cellar: Room?
    @Persisted var cook: Guest?
    @Persisted(originProperty: "hosts") var owners: LinkingObjects<Guest>
}

final class Guest: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var name: String
    @Persisted var hosts: List<Host>
}

final class Room: EmbeddedObject {
    @Persisted var number: Int
}

final class HostProjection: Projection<Host> {
    @Projected(\Host.name) var title
    @Projected(\Host.guests.projectTo.name) var names: ProjectedCollection<String>
    @Projected(\Host.numbers) var numbers
    @Projected(\Host.note) var note
}

let hostTypes: [ObjectBase.Type] = [Host.self, Guest.self, Room.self]

extension ObjectWriting {
    /// A host with something in every property.
    @discardableResult
    func makeHost(_ key: Int) throws -> Host {
        let ann = try create(Guest.self, value: ["key": key * 10, "name": "Ann"])
        let bob = try create(Guest.self, value: ["key": key * 10 + 1, "name": "Bob"])
        let host = try create(
            Host.self,
            value: [
                "key": key, "name": "Inn", "numbers": [1, 2, 3], "tags": ["a", "b"],
                "prices": ["x": 1, "y": 2], "rooms": [["number": 1], ["number": 2]],
                "cellar": ["number": 0],
            ] as [String: Any])
        host.note = ["list": [1, ["deep"]], "map": ["k": 1]]
        host.notes.append(objectsIn: [.int(1), [1, 2], .object(ann)])
        host.noteMap["list"] = [3, 4]
        host.guests.append(objectsIn: [ann, bob])
        host.regulars.insert(ann)
        host.seats["1"] = .some(ann)
        host.seats["2"] = .some(bob)
        host.cook = bob
        ann.hosts.append(host)
        return host
    }
}

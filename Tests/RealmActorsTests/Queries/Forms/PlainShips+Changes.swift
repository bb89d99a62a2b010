import Foundation
import RealmActors
import StorageHarness

extension PlainShips {
    /// Changes ships and sailors at random, as objects as here: other values, links and elements,
    /// new ships, and deletions at both ends of links.
    mutating func change(
        in tx: WriteTransaction, _ random: inout SeededGenerator
    ) throws {
        let people = Array(tx.objects(Sailor.self))
        // The objects that are left, by the places of all that ever were.
        var places: [Int: Sailor] = [:]
        let here = sailors.indices.filter { !sailors[$0].isDeleted }
        for (place, sailor) in zip(here, people) { places[place] = sailor }
        for _ in 0..<20 {
            let number = Int.random(in: 0..<ships.count, using: &random)
            let left = sailors.indices.filter { !sailors[$0].isDeleted }
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                guard left.count > 3, let deleted = left.randomElement(using: &random),
                    let object = places[deleted]
                else { break }
                try tx.delete(object)
                removeSailor(deleted)
            case 1:
                guard let object = tx.object(Ship.self, forPrimaryKey: number) else { break }
                try tx.delete(object)
                ships[number].isDeleted = true
            case 2:
                let row = random.plainShip(ships.count, sailors: left)
                try row.create(in: tx, placed(places))
                ships.append(row)
            case 3:
                guard let place = left.randomElement(using: &random), let object = places[place]
                else { break }
                let (name, age) = (random.text(), random.small())
                sailors[place].values["name"] = .text(name)
                sailors[place].values["age"] = .int(age)
                (object.name, object.age) = (name, age)
            default:
                guard let object = tx.object(Ship.self, forPrimaryKey: number) else { break }
                let row = random.plainShip(number, sailors: left)
                try tx.create(
                    Ship.self, value: row.values.mapValues(\.any) as [String: Any], update: .all)
                try row.fill(object, placed(places))
                ships[number] = row
            }
        }
    }

    /// The objects by their places; nobody links to those that are gone.
    private func placed(_ places: [Int: Sailor]) -> [Sailor] {
        let any = places.values.first ?? Sailor()
        return sailors.indices.map { places[$0] ?? any }
    }

    private mutating func removeSailor(_ deleted: Int) {
        sailors[deleted].isDeleted = true
        for place in sailors.indices where sailors[place].link["friend"] == deleted {
            sailors[place].link["friend"] = nil
        }
        for place in ships.indices {
            if ships[place].link["captain"] == deleted { ships[place].link["captain"] = nil }
            ships[place].links["crew"]?.removeAll { $0 == deleted }
        }
    }
}

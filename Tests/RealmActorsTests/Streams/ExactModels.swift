import Foundation
import RealmActors
import StorageHarness

final class ExactDog: Object, IndexedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var age: Int = 0
    @Persisted var name: String = ""
    @Persisted var weight: Double?
    @Persisted var mixed: AnyRealmValue
    @Persisted var owner: ExactOwner?
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<ExactOwner>
    @Persisted(originProperty: "pack") var packs: LinkingObjects<ExactOwner>
    @Persisted(originProperty: "named") var namers: LinkingObjects<ExactOwner>

    static var indexes: [Index<ExactDog>] {
        [Index(.ascending(\.name), .descending(\.weight)), Index(\.weight, \.age)]
    }
}

final class ExactOwner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String = ""
    @Persisted var dogs: List<ExactDog>
    @Persisted var pack: MutableSet<ExactDog>
    @Persisted var named: Map<String, ExactDog?>
    @Persisted var scores: List<Int>
    @Persisted var marks: MutableSet<Int>
    @Persisted var notes: Map<String, Int>
    @Persisted(originProperty: "owner") var owned: LinkingObjects<ExactDog>
}

/// Random transactions over dogs and owners.
struct ExactEdits {
    static let owners = 3
    private static let keys = ["a", "b", "c", "d"]

    /// A few edits; what one does, the next may undo.
    static func edit(_ tx: WriteTransaction, _ random: inout SeededGenerator) throws {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let dogs = tx.objects(ExactDog.self)
            let dog = dogs.isEmpty ? nil : dogs[Int.random(in: 0..<dogs.count, using: &random)]
            let isCrowded = dogs.count > 40
            switch Int.random(in: 0..<20, using: &random) {
            case 0...2 where !isCrowded: try create(tx, &random)
            case 0...2: if let dog { try tx.delete(dog) }
            case 3: if let dog { try tx.delete(dog) }
            case 4...8: if let dog { write(dog, tx, &random) }
            case 9 where Int.random(in: 0..<6, using: &random) == 0:
                for dog in dogs { dog.age += 1 }
            default:
                let number = Int.random(in: 0..<owners, using: &random)
                guard let owner = tx.object(ExactOwner.self, forPrimaryKey: number) else { return }
                edit(owner, dog, &random)
            }
        }
    }

    private static func create(_ tx: WriteTransaction, _ random: inout SeededGenerator) throws {
        let id = Int(truncatingIfNeeded: random.next() >> 2)
        let dog = try tx.create(ExactDog.self, value: ["id": id])
        for _ in 0..<3 { write(dog, tx, &random) }
    }

    private static func write(
        _ dog: ExactDog, _ tx: WriteTransaction, _ random: inout SeededGenerator
    ) {
        let number = Int.random(in: 0..<8, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: dog.age = number
        case 1: dog.name = "name of many letters \(number / 2)"
        case 2: dog.weight = number == 0 ? nil : Double(number) / 3
        case 3: dog.mixed = number == 0 ? .none : number % 2 == 0 ? .int(number) : .string("s")
        default: dog.owner = tx.object(ExactOwner.self, forPrimaryKey: number % (owners + 1))
        }
    }

    private static func edit(
        _ owner: ExactOwner, _ dog: ExactDog?, _ random: inout SeededGenerator
    ) {
        let number = Int.random(in: 0..<8, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: owner.name = "owner \(number)"
        case 1: if let dog { edit(owner.dogs, dog, &random) }
        case 2: edit(owner.scores, number, &random)
        case 3:
            if owner.marks.contains(number) {
                owner.marks.remove(number)
            } else {
                owner.marks.insert(number)
            }
        case 4:
            guard let dog else { return }
            if owner.pack.contains(dog) { owner.pack.remove(dog) } else { owner.pack.insert(dog) }
        default:
            let key = keys[number % keys.count]
            switch Int.random(in: 0..<4, using: &random) {
            case 0: owner.notes[key] = nil
            case 1: owner.named.removeObject(for: key)
            case 2: if let dog { owner.named[key] = .some(dog) }
            default: owner.notes[key] = number
            }
        }
    }

    private static func edit<Element>(
        _ list: List<Element>, _ element: Element, _ random: inout SeededGenerator
    ) {
        let count = list.count
        let (one, other) = (
            Int.random(in: 0..<max(1, count), using: &random),
            Int.random(in: 0..<max(1, count), using: &random)
        )
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where count > 0: list.remove(at: one)
        case 1 where count > 0: list.move(from: one, to: other)
        case 2 where count > 0: list.swapAt(one, other)
        case 3 where count > 0: list[one] = element
        case 4 where count > 12: list.removeAll()
        case 5: list.insert(element, at: one)
        default: list.append(element)
        }
    }
}

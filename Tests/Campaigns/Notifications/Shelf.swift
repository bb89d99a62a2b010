import RealmActors
import Storage
import StorageHarness

/// The element type of the watched queries and list.
final class Item: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var rank: Int
    @Persisted var name: String
    @Persisted var weight: Double?
    @Persisted var shelf: Shelf?
    /// Set in the last transaction, for every item.
    @Persisted var isLast: Bool
}

/// The owner of the list, and of numbers.
final class Shelf: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var items: List<Item>
    @Persisted var numbers: List<Int>
}

/// Random transactions on items and a shelf.
enum ShelfEdits {
    /// The number that the last transaction appends.
    static let lastNumber = -1

    /// Some random edits; the next ones may undo them.
    static func edit(_ tx: WriteTransaction, _ random: inout SeededGenerator) throws {
        guard let shelf = tx.object(Shelf.self, forPrimaryKey: 0) else { return }
        for _ in 0...random.next(below: 4) {
            let items = tx.objects(Item.self)
            let item = items.isEmpty ? nil : items[random.next(below: items.count)]
            switch random.next(below: 10) {
            case 0, 1:
                if items.count < 40 {
                    try create(tx, &random)
                } else if let item {
                    try tx.delete(item)
                }
            case 2: if let item { try tx.delete(item) }
            case 3 where random.oneIn(6): for item in items { item.rank += 1 }
            case 4, 5: if let item { edit(shelf.items, item, &random) }
            case 6: edit(shelf.numbers, random.next(below: 9), &random)
            case 7: shelf.name = "shelf \(random.next(below: 3))"
            default: if let item { write(item, shelf, &random) }
            }
        }
    }

    /// The last transaction, which changes every watchable.
    static func finish(_ tx: WriteTransaction, _ random: inout SeededGenerator) throws {
        guard let shelf = tx.object(Shelf.self, forPrimaryKey: 0) else { return }
        for _ in 0..<10 { shelf.items.append(try create(tx, &random)) }
        shelf.numbers.append(lastNumber)
        shelf.name = "the last shelf"
        for (place, item) in tx.objects(Item.self).enumerated() {
            item.rank = 5 + place
            item.shelf = shelf
            item.isLast = true
        }
    }

    @discardableResult
    private static func create(
        _ tx: WriteTransaction, _ random: inout SeededGenerator
    ) throws -> Item {
        let item = try tx.create(Item.self, value: ["id": Int(random.next() >> 2)])
        item.rank = random.next(below: 8)
        item.name = "item \(random.next(below: 5))"
        return item
    }

    private static func write(_ item: Item, _ shelf: Shelf, _ random: inout SeededGenerator) {
        switch random.next(below: 4) {
        case 0: item.rank = random.next(below: 8)
        case 1: item.name = "item \(random.next(below: 5))"
        case 2: item.weight = random.oneIn(3) ? nil : Double(random.next(below: 5))
        default: item.shelf = item.shelf == nil ? shelf : nil
        }
    }

    private static func edit<Element>(
        _ list: List<Element>, _ element: Element, _ random: inout SeededGenerator
    ) {
        let place = random.next(below: max(1, list.count))
        switch random.next(below: 6) {
        case 0 where !list.isEmpty: list.remove(at: place)
        case 1 where !list.isEmpty: list.move(from: place, to: random.next(below: list.count))
        case 2 where !list.isEmpty: list[place] = element
        case 3 where list.count > 20: list.removeAll()
        default: list.insert(element, at: place)
        }
    }
}

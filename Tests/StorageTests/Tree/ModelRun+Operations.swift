import Foundation
import StorageHarness
import Testing

@testable import Storage

/// The random changes, each applied to the tree and to the model.
extension ModelRun {
    mutating func operation(_ tree: WorkingTree) {
        let key = rows.keys.sorted().randomElement(using: &generator)
        guard let key, random(10) > 2 else { return insert(tree) }
        switch random(14) {
        case 0: random(4) == 0 ? thinOut(tree) : remove(tree, key)
        case 1:
            let value = text()
            tree.set(.string(value), S.item, key, ColumnID(S.title))
            rows[key]?.title = value
        case 2:
            let value = random(2) == 0 ? nil : text()
            tree.set(value.map { .string($0) } ?? .null, S.item, key, ColumnID(S.note))
            rows[key]?.note = value
        case 3:
            let value = random(2) == 0 ? nil : Double(random(1000))
            tree.set(value.map { .double($0) } ?? .null, S.item, key, ColumnID(S.score))
            rows[key]?.score = value
        case 4:
            tree.writer(S.item, key)?.setBool(S.isActive, true)
            rows[key]?.isActive = true
        case 5:
            let target = random(3) == 0 ? nil : rows.keys.sorted().randomElement(using: &generator)
            tree.writer(S.item, key)?.setLink(S.friend, target)
            rows[key]?.friend = target
        case 6, 7: editList(tree, key)
        case 8: editSet(tree, key)
        case 9: editMap(tree, key)
        case 10: setPart(tree, key)
        case 11:
            let uuid = UUID(
                uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, UInt8(random(4))))
            tree.writer(S.item, key)?.setUUID(S.uuid, uuid)
            rows[key]?.uuid = uuid
        case 12:
            let number =
                [Int64.min, .max, -1, 1 << 40].randomElement(using: &generator)! &+ nextNumber
            guard !rows.values.contains(where: { $0.number == number }) else { return }
            tree.set(.int(number), S.item, key, ColumnID(S.number))
            rows[key]?.number = number
        default: insert(tree)
        }
    }

    mutating func insert(_ tree: WorkingTree) {
        for _ in 0..<(random(50) == 0 ? 100 + random(300) : 1) {
            let key = tree.createRow(S.item)
            var row = ModelRow()
            nextNumber += 1
            row.number = nextNumber
            while rows.values.contains(where: { $0.number == row.number }) { row.number += 1 << 20 }
            row.title = text()
            let writer = tree.writer(S.item, key)
            writer?.setInt(S.number, row.number)
            writer?.setString(S.title, row.title)
            if random(2) == 0 {
                row.score = Double(random(100))
                writer?.setDouble(S.score, row.score!)
            }
            rows[key] = row
        }
    }

    mutating func remove(_ tree: WorkingTree, _ key: RowKey) {
        tree.delete(S.item, [key])
        rows[key] = nil
        for other in rows.keys {
            if rows[other]?.friend == key { rows[other]?.friend = nil }
            rows[other]?.children.removeAll { $0 == key }
        }
    }

    /// Deletes most of a run of rows, so that clusters become sparse, are merged, or are removed.
    mutating func thinOut(_ tree: WorkingTree) {
        let keys = rows.keys.sorted()
        let start = random(keys.count)
        let run = keys[start..<min(start + random(400), keys.count)]
        let share = 1 + random(6)
        let deleted = run.filter { _ in random(share + 1) > 0 }
        tree.delete(S.item, deleted.shuffled(using: &generator))
        let set = Set(deleted)
        for key in deleted { rows[key] = nil }
        for other in rows.keys {
            if let friend = rows[other]?.friend, set.contains(friend) { rows[other]?.friend = nil }
            rows[other]?.children.removeAll { set.contains($0) }
        }
    }

    mutating func editList(_ tree: WorkingTree, _ key: RowKey) {
        let count = rows[key]!.children.count
        let target = rows.keys.sorted().randomElement(using: &generator)!
        let column = ColumnID(S.children)
        switch random(count > 0 ? 7 : 2) {
        case 0:
            let many = random(4) == 0 && count < 400 ? 300 : 1
            tree.listAppend(
                contentsOf: Array(repeating: .link(target), count: many), S.item, key, column)
            rows[key]?.children += Array(repeating: target, count: many)
        case 1:
            let index = random(count + 1)
            tree.listInsert(.link(target), at: index, S.item, key, column)
            rows[key]?.children.insert(target, at: index)
        case 2:
            let index = random(count)
            tree.listRemove(at: index, S.item, key, column)
            rows[key]?.children.remove(at: index)
        case 3:
            let index = random(count)
            tree.listSet(.link(target), at: index, S.item, key, column)
            rows[key]?.children[index] = target
        case 4:
            let (from, to) = (random(count), random(count))
            tree.listMove(from: from, to: to, S.item, key, column)
            let moved = rows[key]!.children.remove(at: from)
            rows[key]?.children.insert(moved, at: to)
        case 5:
            let (a, b) = (random(count), random(count))
            tree.listSwap([(a, b)], S.item, key, column)
            rows[key]?.children.swapAt(a, b)
        default:
            if random(4) == 0 {
                tree.listRemoveAll(S.item, key, column)
                rows[key]?.children = []
            }
        }
    }

    mutating func editSet(_ tree: WorkingTree, _ key: RowKey) {
        let tag = text()
        if random(2) == 0 {
            let isNew = tree.setInsert(.string(tag), S.item, key, ColumnID(S.tags))
            #expect(rows[key]!.tags.insert(tag).inserted == isNew)
        } else {
            let isGone = tree.setRemove(.string(tag), S.item, key, ColumnID(S.tags))
            #expect((rows[key]!.tags.remove(tag) != nil) == isGone)
        }
    }

    mutating func editMap(_ tree: WorkingTree, _ key: RowKey) {
        let entry = "k\(random(6))"
        let values: [StoredValue] = [.int(Int64(random(9))), .string(text()), .null, .bool(true)]
        let value = values[random(4)]
        if random(3) > 0 {
            tree.mapSet(value, forKey: entry, S.item, key, ColumnID(S.extras))
            rows[key]?.extras[entry] = value
        } else {
            let isGone = tree.mapRemove(forKey: entry, S.item, key, ColumnID(S.extras))
            #expect((rows[key]!.extras.removeValue(forKey: entry) != nil) == isGone)
        }
    }

    mutating func setPart(_ tree: WorkingTree, _ key: RowKey) {
        guard rows[key]!.size == nil else { return }
        let size = Int64(random(100))
        let part = tree.createRow(S.part)
        tree.writer(S.part, part)?.setInt(0, size)
        tree.writer(S.item, key)?.setLink(S.owned, part)
        rows[key]?.size = size
    }
}

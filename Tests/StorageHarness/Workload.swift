package import Storage

/// Random edits, made to a tree and to its model alike. Everything follows from the seed.
package struct Workload: Sendable {
    package var random: SeededGenerator
    /// Rows beyond which more are deleted than made.
    private let rowLimit: Int
    /// Edits made.
    package private(set) var editCount = 0

    package init(seed: UInt64, rowLimit: Int = 40) {
        random = SeededGenerator(seed: seed)
        self.rowLimit = rowLimit
    }

    /// A few edits; sometimes one of many bytes, so that commits outgrow a frame and a segment.
    package mutating func edit(_ tree: WorkingTree, _ model: inout StoreModel) {
        let count = 1 + random.next(below: 5)
        for _ in 0..<count { editOnce(tree, &model) }
        if random.oneIn(24), let key = anyKey(model) {
            let text = String(repeating: "long ", count: 600 + random.next(below: 1_800))
            setText(text, key, tree)
            model.rows[key]?.text = text
        }
        editCount += count
    }

    private mutating func anyKey(_ model: StoreModel) -> RowKey? {
        let keys = model.rows.keys.sorted()
        return keys.isEmpty ? nil : keys[random.next(below: keys.count)]
    }

    private mutating func text() -> String {
        let lengths = [0, 3, 11, 12, 13, 40, 255, 256, 300]
        let length = lengths[random.next(below: lengths.count)]
        let letter = ["a", "b", "\u{e9}", "7"][random.next(below: 4)]
        return String(repeating: letter, count: length)
    }

    private mutating func editOnce(_ tree: WorkingTree, _ model: inout StoreModel) {
        guard let key = anyKey(model), random.next(below: 10) > 2 else {
            return insert(tree, &model)
        }
        let choice = random.next(below: model.rows.count > rowLimit ? 14 : 11)
        switch choice {
        case 0, 1: setNumbers(key, tree, &model)
        case 2:
            let value = random.oneIn(4) ? nil : text()
            setText(value, key, tree)
            model.rows[key]?.text = value
        case 3:
            let value = random.oneIn(3) ? nil : Double(random.next(below: 1_000)) / 8
            tree.set(
                value.map { .double($0) } ?? .null, HarnessSchema.item, key,
                ColumnID(HarnessSchema.Column.score))
            model.rows[key]?.score = value
        case 4, 5:
            let friend = random.oneIn(4) ? nil : anyKey(model)
            tree.set(
                friend.map { .link($0) } ?? .null, HarnessSchema.item, key,
                ColumnID(HarnessSchema.Column.friend))
            model.rows[key]?.friend = friend
        case 6, 7: editChildren(key, tree, &model)
        case 8: editTags(key, tree, &model)
        case 9: editExtras(key, tree, &model)
        default: delete(key, tree, &model)
        }
    }

    private mutating func insert(_ tree: WorkingTree, _ model: inout StoreModel) {
        let many = random.oneIn(40) ? 30 : 1
        for _ in 0..<many {
            let key = tree.createRow(HarnessSchema.item)
            // Unique, as long as no two rows are: their keys are never used again.
            var row = ModelRow(number: key.rawValue &* 3, width: model.width)
            row.twin = Int64(random.next(below: 7))
            row.text = text()
            let writer = tree.writer(HarnessSchema.item, key)
            writer?.setInt(HarnessSchema.Column.number, row.number)
            writer?.setInt(HarnessSchema.Column.twin, row.twin)
            writer?.setString(HarnessSchema.Column.text, row.text ?? "")
            writer?.setNull(HarnessSchema.Column.score)
            model.rows[key] = row
        }
    }

    private mutating func setNumbers(
        _ key: RowKey, _ tree: WorkingTree, _ model: inout StoreModel
    ) {
        let value = [Int64(random.next(below: 7)), 300, -70_000, .max][random.next(below: 4)]
        let added = model.width - 1
        if added > 0, random.oneIn(2) {
            let number = random.next(below: added)
            tree.set(
                .int(value), HarnessSchema.item, key,
                ColumnID(HarnessSchema.Column.added + number))
            model.rows[key]?.added[number] = value
        } else {
            tree.set(
                .int(value), HarnessSchema.item, key, ColumnID(HarnessSchema.Column.twin))
            model.rows[key]?.twin = value
        }
    }

    private func setText(_ value: String?, _ key: RowKey, _ tree: WorkingTree) {
        tree.set(
            value.map { .string($0) } ?? .null, HarnessSchema.item, key,
            ColumnID(HarnessSchema.Column.text))
    }

    private mutating func editChildren(
        _ key: RowKey, _ tree: WorkingTree, _ model: inout StoreModel
    ) {
        let column = ColumnID(HarnessSchema.Column.children)
        guard let target = anyKey(model), var list = model.rows[key]?.children else { return }
        // A list that cannot be read is empty; the comparison afterwards sees that.
        guard childCount(of: key, tree) == list.count else { return }
        switch random.next(below: list.isEmpty ? 2 : 5) {
        case 0:
            let count = random.oneIn(12) && list.count < 300 ? 270 : 1
            let links = Array(repeating: target, count: count)
            tree.listAppend(
                contentsOf: links.map { .link($0) }, HarnessSchema.item, key, column)
            list += links
        case 1:
            let index = random.next(below: list.count + 1)
            tree.listInsert(.link(target), at: index, HarnessSchema.item, key, column)
            list.insert(target, at: index)
        case 2:
            let index = random.next(below: list.count)
            tree.listRemove(at: index, HarnessSchema.item, key, column)
            list.remove(at: index)
        case 3:
            let (from, to) = (random.next(below: list.count), random.next(below: list.count))
            tree.listMove(from: from, to: to, HarnessSchema.item, key, column)
            list.insert(list.remove(at: from), at: to)
        default:
            tree.listRemoveAll(HarnessSchema.item, key, column)
            list = []
        }
        model.rows[key]?.children = list
    }

    private func childCount(of key: RowKey, _ tree: WorkingTree) -> Int? {
        let column = HarnessSchema.Column.children
        guard let row = tree.locate(HarnessSchema.item, key) else { return nil }
        let schema = tree.schema[HarnessSchema.item].columns[column]
        return row.cluster.sequence(column, row.slot, schema).count
    }

    private mutating func editTags(
        _ key: RowKey, _ tree: WorkingTree, _ model: inout StoreModel
    ) {
        let tag = text()
        let column = ColumnID(HarnessSchema.Column.tags)
        if random.oneIn(3) {
            _ = tree.setRemove(.string(tag), HarnessSchema.item, key, column)
            model.rows[key]?.tags.remove(tag)
        } else {
            _ = tree.setInsert(.string(tag), HarnessSchema.item, key, column)
            model.rows[key]?.tags.insert(tag)
        }
    }

    private mutating func editExtras(
        _ key: RowKey, _ tree: WorkingTree, _ model: inout StoreModel
    ) {
        let name = "key\(random.next(below: 5))"
        let column = ColumnID(HarnessSchema.Column.extras)
        if random.oneIn(3) {
            _ = tree.mapRemove(forKey: name, HarnessSchema.item, key, column)
            model.rows[key]?.extras[name] = nil
        } else {
            let values: [StoredValue] = [
                .int(Int64(random.next(below: 9))), .string(text()), .null,
                .objectID(ObjectIDBits(high: 1, low: UInt32(random.next(below: 9)))),
                .decimal(
                    DecimalBits(
                        isNegative: false, coefficient: UInt128(random.next(below: 9)),
                        exponent: -1)),
                .list(NestedID(1), [.string(text()), .dictionary(NestedID(2), [])]),
            ]
            let value = values[random.next(below: values.count)]
            tree.mapSet(value, forKey: name, HarnessSchema.item, key, column)
            model.rows[key]?.extras[name] = value
        }
    }

    private mutating func delete(
        _ key: RowKey, _ tree: WorkingTree, _ model: inout StoreModel
    ) {
        var deleted: Set<RowKey> = [key]
        if random.oneIn(6), let other = anyKey(model) { deleted.insert(other) }
        tree.delete(HarnessSchema.item, deleted.sorted())
        for key in deleted { model.rows[key] = nil }
        for key in model.rows.keys {
            if let friend = model.rows[key]?.friend, deleted.contains(friend) {
                model.rows[key]?.friend = nil
            }
            model.rows[key]?.children.removeAll { deleted.contains($0) }
        }
    }
}

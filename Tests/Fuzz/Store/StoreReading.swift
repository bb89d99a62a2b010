import Foundation

/// Reads all that is in a store in every way there is, and changes it.
enum StoreReading {
    static func read(_ view: TreeView) {
        for index in view.schema.classes.indices {
            let id = ClassID(index)
            let items = view.classView(id)
            var clusters = items.makeClusterIterator()
            var count = 0
            while let cluster = clusters.next() {
                for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                    precondition(items.position(of: cluster.key(slot)) == count)
                    precondition(items.key(at: count) == cluster.key(slot))
                    count += 1
                    read(items, cluster, slot)
                }
            }
            precondition(count == items.count)
            for link in view.schema.incoming(id) {
                for position in 0..<min(items.count, 16) {
                    view.backlinks(
                        to: items.key(at: position), origin: link.origin, column: link.column
                    ).forEach { _ in }
                }
            }
        }
    }

    private static func read(_ items: ClassView, _ cluster: Cluster, _ slot: Int) {
        for (column, schema) in items.classSchema.columns.enumerated() {
            switch schema.container {
            case .none:
                let value = cluster.value(column, slot, schema)
                if schema.isIndexed {
                    let rows = items.rows(ColumnID(column), equalTo: value)
                    precondition(
                        rows.contains(cluster.key(slot)), "\(schema.name): \(value) in \(rows)")
                }
            case .list, .set:
                let view = cluster.sequence(column, slot, schema)
                var count = 0
                view.forEach { _ in count += 1 }
                precondition(count == view.count)
                if count > 0 { _ = view.sortedIndex(of: view[count / 2]) }
            case .map:
                let map = cluster.map(column, slot, schema)
                for index in 0..<map.count { _ = map.value(forKey: map.keys.string(index)) }
            }
        }
    }

    /// Deletes every third row, writes to every other one, and adds one to each class.
    static func change(_ tree: WorkingTree) {
        for index in tree.schema.classes.indices {
            let id = ClassID(index)
            let items = tree.view.classView(id)
            let keys = (0..<min(items.count, 600)).map { items.key(at: $0) }
            tree.delete(id, keys.enumerated().filter { $0.offset % 3 == 0 }.map(\.element))
            for (position, key) in keys.enumerated().prefix(40) where position % 3 == 1 {
                change(tree, id, key)
            }
            if tree.nextKey(id) < Int64.max - 1 { change(tree, id, tree.createRow(id)) }
        }
    }

    private static func change(_ tree: WorkingTree, _ id: ClassID, _ key: RowKey) {
        for (index, schema) in tree.schema[id].columns.enumerated() {
            guard let value = value(schema) else { continue }
            let column = ColumnID(index)
            switch schema.container {
            case .none: tree.set(value, id, key, column)
            case .list:
                tree.listInsert(value, at: 0, id, key, column)
                tree.listSet(value, at: 0, id, key, column)
            case .set:
                _ = tree.setInsert(value, id, key, column)
                _ = tree.setRemove(value, id, key, column)
            case .map:
                tree.mapSet(value, forKey: "z", id, key, column)
                _ = tree.mapRemove(forKey: "a", id, key, column)
            }
        }
    }

    private static func value(_ schema: ColumnSchema) -> StoredValue? {
        switch schema.kind {
        case .bool: .bool(true)
        case .int: .int(-5)
        case .float: .float(1.5)
        case .double: .double(2.5)
        case .string: .string("changed to something longer")
        case .data: .data(Data([1, 2, 3]))
        case .date: .date(3)
        case .uuid: .uuid(UUID(uuid: (9, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6)))
        case .objectID: .objectID(ObjectIDBits(high: 1, low: 2))
        case .decimal: .decimal(DecimalBits(isNegative: true, coefficient: 125, exponent: -2))
        case .link: nil
        case .mixed: .string("mixed")
        }
    }
}

#if canImport(Storage)
    @testable import Storage
#endif

/// Reads and modifies a tree from a page file with arbitrary contents, in every possible way. The
/// results are ignored: the process must only survive.
///
/// The fuzzer of stores is built with this file, too; there everything is one module.
enum HostileReading {
    /// The maximum number of elements that are read of a list, index or class: a file may claim any
    /// number.
    private static let most = 300

    static func read(_ view: TreeView) {
        for index in view.schema.classes.indices {
            let id = ClassID(index)
            let items = view.classView(id)
            readByPosition(items)
            readByCluster(items)
            for column in items.classSchema.columns.indices { readIndex(items, column) }
            for link in view.schema.incoming(id) {
                for key in [RowKey(0), items.nextKey, RowKey(.max)] {
                    let range = view.backlinks(to: key, origin: link.origin, column: link.column)
                    read(range)
                }
            }
        }
    }

    private static func readByPosition(_ items: ClassView) {
        for position in stride(from: 0, to: min(items.count, most), by: 7) {
            let row = items.row(at: position)
            let key = row.key
            _ = items.position(of: key)
            guard let found = items.locate(key) else { continue }
            read(found.cluster, found.slot, items.classSchema)
            _ = items.location(from: RowKey(key.rawValue &+ 1))?.key
        }
        if items.count > 0 { _ = items.key(at: items.count - 1) }
        _ = items.locate(RowKey(.min))
        _ = items.locate(RowKey(.max))
    }

    private static func readByCluster(_ items: ClassView) {
        var clusters = items.makeClusterIterator()
        var rest = most
        while rest > 0, let cluster = clusters.next() {
            rest -= 1
            for slot in stride(from: 0, to: cluster.slotCount, by: 9) where cluster.isLive(slot) {
                read(cluster, slot, items.classSchema)
                _ = cluster.position(of: slot)
                _ = cluster.slot(of: cluster.key(slot))
                rest -= 1
            }
            readColumns(cluster, items.classSchema)
        }
        items.root.forEachRun(from: 0) { _ in
        } orCluster: { _ in
        }
    }

    /// Whole columns, as scans read them.
    private static func readColumns(_ cluster: Cluster, _ schema: ClassSchema) {
        let slots = 0..<cluster.slotCount
        for (column, schema) in schema.columns.enumerated() where schema.container == .none {
            switch schema.kind {
            case .double, .date:
                if let values = cluster.doubles(column) { _ = slots.map { values[$0] } }
            case .float:
                if let values = cluster.floats(column) { _ = slots.map { values[$0] } }
            case .string, .data, .mixed:
                guard let values = cluster.strings(column) else { continue }
                for slot in slots {
                    _ = values.prefix(slot)
                    _ = values.utf8(slot).reduce(0) { $0 &+ Int($1) }
                }
            case .int, .link:
                guard let values = cluster.integers(column) else { continue }
                // Unsafe: as many offsets as the cluster has slots, of so many bytes each.
                let bytes = UnsafeRawBufferPointer(
                    start: values.data, count: slots.count * values.width)
                _ = bytes.reduce(0) { $0 &+ Int($1) }
            case .bool, .uuid, .objectID, .decimal: continue
            }
        }
    }

    private static func read(_ cluster: Cluster, _ slot: Int, _ schema: ClassSchema) {
        for (column, schema) in schema.columns.enumerated() {
            switch schema.container {
            case .none: _ = cluster.value(column, slot, schema)
            case .list, .set: read(cluster.sequence(column, slot, schema))
            case .map:
                let map = cluster.map(column, slot, schema)
                read(map.keys)
                read(map.values)
                for index in 0..<min(map.count, 4) {
                    _ = map.value(forKey: map.keys.string(index))
                }
                _ = map.value(forKey: "no such key")
            }
            if schema.container != .none { _ = cluster.containerIdentity(column, slot) }
        }
    }

    private static func read(_ elements: SequenceView) {
        let count = elements.count
        for index in stride(from: 0, to: min(count, most), by: 37) { _ = elements[index] }
        guard count > 0, count <= 1 << 20 else { return }
        _ = elements.sortedIndex(of: elements[count - 1])
        elements.forEach { _ in }
    }

    private static func readIndex(_ items: ClassView, _ column: Int) {
        let schema = items.classSchema.columns[column]
        guard schema.isIndexed else { return }
        let id = ColumnID(column)
        for position in stride(from: 0, to: min(items.count, most), by: 17) {
            let row = items.row(at: position)
            let value = row.value(column, schema)
            _ = items.first(id, equalTo: value)
            read(items.range(id, equalTo: value))
        }
        read(items.range(id, from: .start, to: .end))
    }

    private static func read(_ range: IndexRange) {
        var rest = most
        range.forEachUntil { _ in
            rest -= 1
            return rest > 0
        }
        rest = most
        range.forEachDescending { _ in
            rest -= 1
            return rest > 0
        }
        if range.count > 0 {
            _ = range[0]
            _ = range[range.count - 1]
        }
    }

    /// The problems of the tree, as found by a verification.
    static func verify(_ snapshot: SnapshotRoot) -> [StoreProblem] {
        let verifier = StoreVerifier(snapshot, isShared: false)
        do {
            try verifier.verify()
        } catch {
            preconditionFailure("Nobody cancelled")
        }
        return verifier.problems
    }
}

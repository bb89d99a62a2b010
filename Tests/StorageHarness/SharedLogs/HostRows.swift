import Storage

/// The rows of a realm that hosts write, as plain values: what a version is compared by.
package struct HostRows: Hashable, Sendable {
    package struct Row: Hashable, Sendable {
        /// Which commit made it.
        package var number: Int64
        /// The hash of the rows that the body of that commit saw.
        package var seen: Int64
        package var score: Double?

        package init(number: Int64, seen: Int64, score: Double?) {
            (self.number, self.seen, self.score) = (number, seen, score)
        }
    }

    private(set) var rows: [RowKey: Row] = [:]

    package init() {}

    /// Rows that have the number of their commit as their key.
    package init(_ rows: some Sequence<Row>) {
        for row in rows { self.rows[RowKey(row.number)] = row }
    }

    init(_ view: TreeView) {
        guard !view.schema.classes.isEmpty else { return }
        var clusters = view.classView(HarnessSchema.item).makeClusterIterator()
        while let cluster = clusters.next() {
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                rows[cluster.key(slot)] = Row(cluster, slot)
            }
        }
    }

    /// Of keys and values, in the order of the keys.
    package var hash: Int64 {
        var hash: UInt64 = 0
        func add(_ word: UInt64) {
            hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
        }
        for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
            add(UInt64(bitPattern: key.rawValue))
            add(UInt64(bitPattern: row.number))
            add(UInt64(bitPattern: row.seen))
            add(row.score?.bitPattern ?? 1)
        }
        return Int64(bitPattern: hash)
    }

    /// Applies what a commit says that it did. Returns the rows that it made.
    ///
    /// - Throws: ``Violation`` when it reports rows that are not there, or were before.
    mutating func apply(_ changes: ClassChanges, of view: TreeView) throws -> [Row] {
        let items = view.classView(HarnessSchema.item)
        func present(_ key: RowKey) throws -> Row {
            guard let found = items.locate(key) else {
                throw Violation("row \(key) was reported, and is not there")
            }
            return Row(found.location.cluster, found.location.slot)
        }
        var created: [Row] = []
        for key in changes.deleted where rows.removeValue(forKey: key) == nil {
            throw Violation("row \(key) was reported as deleted, and was not there")
        }
        for key in changes.created.joined().map({ RowKey($0) }) {
            let row = try present(key)
            guard rows.updateValue(row, forKey: key) == nil else {
                throw Violation("row \(key) was reported as created, and was there")
            }
            created.append(row)
        }
        for key in changes.touched.keys {
            guard rows.updateValue(try present(key), forKey: key) != nil else {
                throw Violation("row \(key) was reported as changed, and was not there")
            }
        }
        return created
    }
}

extension HostRows.Row {
    fileprivate init(_ cluster: Cluster, _ slot: Int) {
        typealias C = HarnessSchema.Column
        number = cluster.int(C.number, slot)
        seen = cluster.int(C.twin, slot)
        score = cluster.isNull(C.score, slot) ? nil : cluster.double(C.score, slot)
    }
}

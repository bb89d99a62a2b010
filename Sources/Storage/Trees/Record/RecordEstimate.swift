/// An estimate of the size of a transaction's record, counted only up to a limit.
struct RecordEstimate {
    private struct Exceeded: Error {}

    private let limit: Int
    private var bytes = 0

    /// Whether the record of `delta` would be larger than `limit`. O(limit).
    static func exceeds(_ limit: Int, _ delta: Delta, of tree: WorkingTree) -> Bool {
        var estimate = RecordEstimate(limit: limit)
        let view = tree.flushedView
        do throws(Exceeded) {
            for (id, marks) in delta.changed {
                try estimate.addCreated(marks, view.classView(id))
                for column in 0..<marks.columns {
                    try estimate.addTouched(marks, column, view.classView(id))
                }
                try estimate.add(marks.deleted.count * 2)
            }
            return false
        } catch {
            return true
        }
    }

    private init(limit: Int) { self.limit = limit }

    private mutating func add(_ count: Int) throws(Exceeded) {
        bytes += count
        if bytes > limit { throw Exceeded() }
    }

    /// The share of created rows in their chunks is about the size of their values in a record.
    private mutating func addCreated(
        _ marks: ClassDelta, _ view: ClassView
    ) throws(Exceeded) {
        guard marks.hasCreated else { return }
        var sizes = 0
        let (bytes, limit) = (bytes, limit)
        do {
            try view.root.forEachCluster(from: marks.createdFrom) { cluster in
                let created = cluster.slotCount - cluster.firstSlot(from: RowKey(marks.createdFrom))
                var size = 0
                for column in 0..<cluster.columnCount {
                    size += Self.size(below: cluster.cell(column))
                }
                sizes += created == cluster.slotCount ? size : size / cluster.slotCount * created
                if bytes + sizes > limit { throw Exceeded() }
            }
        } catch {
            throw Exceeded()
        }
        try add(sizes)
    }

    private static func size(below slot: Slot) -> Int {
        guard let node = slot.resident else { return Int(slot.storedPlace?.length ?? 0) }
        var size = node.size
        node.forEachSlot { size += Self.size(below: $0) }
        return size
    }

    private mutating func addTouched(
        _ marks: ClassDelta, _ column: Int, _ view: ClassView
    ) throws(Exceeded) {
        let schema = view.classSchema.columns[column]
        var cursor = RowCursor(view)
        for key in marks.touchedRows(column) {
            if schema.container != .none {
                let id = SequenceID(key: key, column: ColumnID(column))
                let edit = marks.edits[id]
                try add(1 + 8 * ((edit?.insertions.count ?? 0) + (edit?.modifications.count ?? 0)))
                continue
            }
            switch schema.kind.layout {
            case .bit: try add(2)
            case .bytes:
                guard let row = cursor.locate(key) else { continue }
                try add(2 + row.cluster.bytes(column, row.slot).count)
            case .integer: try add(5)
            case .fixed(let width): try add(width + 1)
            }
        }
    }
}

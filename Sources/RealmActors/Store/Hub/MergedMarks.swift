import Storage

/// The union of what several commits touched.
struct MergedMarks: Sendable {
    /// What was touched in one class.
    struct ClassMarks: Sendable {
        /// Rows that were written, with the columns.
        var touched: [RowKey: ColumnSet] = [:]
        /// Rows that were inserted, as ascending ranges of keys.
        var created: [Range<Int64>] = []
        /// Rows that were deleted, including those inserted meanwhile.
        var deleted: [RowKey] = []
        /// Deleted rows whose keys have been given to other objects since, as a store with relaxed
        /// durability does after it has lost commits.
        private(set) var renewed: Set<RowKey> = []
        /// The greatest key of deleted rows.
        private var lastDeleted = Int64.min
        /// The edits of lists, in the order of commits.
        var sequenceEdits: [SequenceID: [SequenceEdit]] = [:]
        var editCount = 0
        /// Whether the edits of some commit are not known.
        var lacksEdits = false

        /// How many rows are kept.
        var weight: Int { created.reduce(touched.count + deleted.count) { $0 + $1.count } }

        mutating func add(_ changes: ClassChanges) {
            addTouched(changes)
            noteRenewed(changes.created)
            for range in changes.created {
                if let last = created.last, last.upperBound == range.lowerBound {
                    created[created.count - 1] = last.lowerBound..<range.upperBound
                } else {
                    created.append(range)
                }
            }
            if deleted.isEmpty {
                deleted = changes.deleted
            } else {
                deleted.append(contentsOf: changes.deleted)
            }
            lastDeleted = max(lastDeleted, changes.deleted.last?.rawValue ?? .min)
            if changes.lacksEdits { lacksEdits = true }
            for (sequence, edit) in changes.sequenceEdits {
                sequenceEdits[sequence, default: []].append(edit)
                editCount += edit.count
            }
        }

        private mutating func addTouched(_ changes: ClassChanges) {
            if changes.touched.count < touched.count {
                changes.forEachTouched { key, columns in
                    touched[key, default: ColumnSet()].formUnion(columns)
                }
                return
            }
            // All streams that note the commit share its marks: they are copied only for a row or a
            // column that they lack.
            var merged = changes.touched
            for (key, columns) in touched {
                let known = merged[key]
                let union = known?.union(columns) ?? columns
                if union != known { merged[key] = union }
            }
            touched = merged
        }

        /// Joins the edits of a list into one. Applying an edit takes time that grows with the
        /// length of the list; joining two does not.
        fileprivate mutating func joinEdits() {
            for (sequence, edits) in sequenceEdits where edits.count > MergedMarks.editsMax {
                var joined = SequenceEdit()
                for edit in edits { joined.join(edit) }
                editCount += joined.count - edits.reduce(0) { $0 + $1.count }
                sequenceEdits[sequence] = [joined]
            }
        }

        /// The present positions of the inserted and changed elements of a list, set or map; nil
        /// when its edits are not known.
        func writtenPositions(of sequence: SequenceID) -> [Int]? {
            guard !lacksEdits, let edits = sequenceEdits[sequence], var all = edits.first else {
                return nil
            }
            for edit in edits.dropFirst() { all.join(edit) }
            return all.insertions + all.modifications
        }

        private mutating func noteRenewed(_ created: [Range<Int64>]) {
            // Keys ascend otherwise, so that none can be renewed.
            for range in created where range.lowerBound <= lastDeleted {
                renewed.formUnion(deleted.filter { range.contains($0.rawValue) })
            }
        }
    }

    /// Up to this many edits of one list are left for its reader to apply one after another.
    private static let editsMax = 64

    /// Set when there were too many marks to keep: anything may have changed.
    private(set) var isEverything = false
    private(set) var classes: [ClassID: ClassMarks] = [:]

    static var everything: MergedMarks {
        var marks = MergedMarks()
        marks.isEverything = true
        return marks
    }

    /// A measure of the memory that the marks take.
    var weight: Int {
        classes.values.reduce(0) {
            $0 + $1.touched.count + $1.created.count + $1.deleted.count + $1.editCount
        }
    }

    mutating func add(_ changes: [ClassID: ClassChanges]) {
        for (id, changes) in changes { classes[id, default: ClassMarks()].add(changes) }
    }

    /// Joins the edits of lists that have many, before the marks are read.
    mutating func joinEdits() {
        for id in Array(classes.keys) { classes[id]?.joinEdits() }
    }

    /// The columns of a row that were written.
    func columns(of key: RowKey, in id: ClassID) -> ColumnSet {
        classes[id]?.touched[key] ?? ColumnSet()
    }

    /// Whether anything of a class was touched.
    func touches(_ id: ClassID) -> Bool { isEverything || classes[id] != nil }
}

extension SequenceEdit {
    /// Appends the edit of the next commit to this one.
    ///
    /// Position by position: a bulk join would take time that grows with the edits joined before.
    fileprivate mutating func join(_ edit: SequenceEdit) {
        for index in edit.deletions.reversed() { remove(at: index) }
        for index in edit.insertions { insert(at: index) }
        for index in edit.modifications { set(at: index) }
    }
}

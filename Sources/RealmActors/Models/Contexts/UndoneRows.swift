import Storage

/// The rows that writes of a live context had created or deleted which were given up.
///
/// What stood for such a row before is invalidated for good: although a deleted one is there again,
/// and although another process may give the key of a created one to a row of its own.
final class UndoneRows {
    private struct Rows {
        /// For rows that are there again, the generation of the context since when.
        var deleted: [RowKey: UInt64] = [:]
        /// Keys from which on there was no row at a generation. Both ascend.
        var created: [(first: RowKey, generation: UInt64)] = []
    }

    private var classes: [ClassID: Rows] = [:]

    /// Notes that rows are there again since `generation`.
    func noteDeleted(_ id: ClassID, _ keys: [RowKey], at generation: UInt64) {
        for key in keys { classes[id, default: Rows()].deleted[key] = generation }
    }

    /// Notes that at `generation` the rows from `first` on are gone.
    func noteCreated(_ id: ClassID, from first: RowKey, at generation: UInt64) {
        var created = classes[id]?.created ?? []
        // A later note that covers the rows of an earlier one replaces it.
        while let last = created.last, first <= last.first { created.removeLast() }
        created.append((first, generation))
        classes[id, default: Rows()].created = created
    }

    /// Whether what stood for a row at `generation` is invalidated.
    func contains(_ id: ClassID, _ key: RowKey, since generation: UInt64) -> Bool {
        guard let rows = classes[id] else { return false }
        if let undone = rows.deleted[key], undone > generation { return true }
        for note in rows.created.reversed() {
            if note.generation <= generation { return false }
            if note.first <= key { return true }
        }
        return false
    }
}

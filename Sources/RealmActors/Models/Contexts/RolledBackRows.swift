import Storage

/// The rows that writes of a live context had created or deleted before they were rolled back, and
/// those that a committed write has both created and deleted.
///
/// Accessors of such a row are invalidated permanently, although a deleted row exists again, and
/// another process may give the key of a created one to another row.
///
/// Its size is bounded by the number of rows, not by the number of writes.
final class RolledBackRows {
    private struct Rows {
        /// For deleted rows that exist again, the generation of the context since when.
        var deleted: [RowKey: UInt64] = [:]
        /// The lower bounds of keys without rows, with the generation. Both ascend.
        var created: [(first: RowKey, generation: UInt64)] = []

        var count: Int { deleted.count + created.count }

        /// Removes notes that match no row of `rows`, and so no row of a later version: no row is
        /// created below the next key.
        mutating func removeObsolete(_ rows: ClassView) {
            let next = rows.nextKey
            deleted = deleted.filter { note in
                if note.key >= next { return true }
                return rows.locate(note.key) != nil
            }
            var kept: [(first: RowKey, generation: UInt64)] = []
            for (index, note) in created.enumerated() {
                let isLast = index + 1 == created.count
                // Rows after the next note's first key are that note's as well.
                let end = isLast ? next : created[index + 1].first
                let found = rows.location(from: note.first)?.key
                if isLast || end > next || found.map({ $0 < end }) ?? false { kept.append(note) }
            }
            created = kept
        }
    }

    private static let sweepSizeMin = 1024

    private var classes: [ClassID: Rows] = [:]
    /// The number of notes beyond which obsolete ones are searched for and removed.
    private var sweepSize = sweepSizeMin

    /// How many notes are kept.
    var count: Int { classes.values.reduce(0) { $0 + $1.count } }

    /// Notes that deleted rows exist again since `generation`.
    func noteDeleted(_ id: ClassID, _ keys: [RowKey], at generation: UInt64) {
        for key in keys { classes[id, default: Rows()].deleted[key] = generation }
    }

    /// Notes that the rows from `first` on do not exist at `generation`.
    func noteCreated(_ id: ClassID, from first: RowKey, at generation: UInt64) {
        var created = classes[id]?.created ?? []
        // A later note that covers the rows of an earlier one replaces it.
        while let last = created.last, first <= last.first { created.removeLast() }
        created.append((first, generation))
        classes[id, default: Rows()].created = created
    }

    /// Removes obsolete notes, if there are many notes. `rows` returns the present rows of a class.
    func sweep(_ rows: (ClassID) -> ClassView) {
        guard count > sweepSize else { return }
        for id in Array(classes.keys) { classes[id]?.removeObsolete(rows(id)) }
        sweepSize = max(Self.sweepSizeMin, count * 2)
    }

    /// Whether an accessor made for a row at `generation` is invalidated.
    func contains(_ id: ClassID, _ key: RowKey, since generation: UInt64) -> Bool {
        if let restored = classes[id]?.deleted[key], restored > generation { return true }
        return containsCreated(id, key, since: generation)
    }

    /// Whether an accessor made for a row at `generation` is of a row that a write had created, and
    /// that does not exist outside of it.
    func containsCreated(_ id: ClassID, _ key: RowKey, since generation: UInt64) -> Bool {
        guard let rows = classes[id] else { return false }
        for note in rows.created.reversed() {
            if note.generation <= generation { return false }
            if note.first <= key { return true }
        }
        return false
    }
}

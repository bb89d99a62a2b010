import Storage

/// The rows that writes of a live context had created or deleted before they were rolled back.
///
/// Accessors of such a row are invalidated permanently: although a deleted one is there again, and
/// although another process may give the key of a created one to a row of its own.
///
/// What it keeps is bounded by the rows that there are, not by the writes that were rolled back.
final class RolledBackRows {
    private struct Rows {
        /// For rows that are there again, the generation of the context since when.
        var deleted: [RowKey: UInt64] = [:]
        /// Keys from which on there was no row at a generation. Both ascend.
        var created: [(first: RowKey, generation: UInt64)] = []

        var count: Int { deleted.count + created.count }

        /// Removes notes that concern no row of `rows`, and so none of a later version: no row is
        /// created below the next key.
        mutating func forgetGone(_ rows: ClassView) {
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
    /// With more notes than this, those of rows that are gone are searched for and removed.
    private var sweepSize = sweepSizeMin

    /// How many notes are kept.
    var count: Int { classes.values.reduce(0) { $0 + $1.count } }

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

    /// Removes the notes of rows that are permanently gone, where there are many notes. `rows`
    /// gives the rows that a class has now.
    func sweep(_ rows: (ClassID) -> ClassView) {
        guard count > sweepSize else { return }
        for id in Array(classes.keys) { classes[id]?.forgetGone(rows(id)) }
        sweepSize = max(Self.sweepSizeMin, count * 2)
    }

    /// Whether an accessor made for a row at `generation` is invalidated.
    func contains(_ id: ClassID, _ key: RowKey, since generation: UInt64) -> Bool {
        guard let rows = classes[id] else { return false }
        if let restored = rows.deleted[key], restored > generation { return true }
        for note in rows.created.reversed() {
            if note.generation <= generation { return false }
            if note.first <= key { return true }
        }
        return false
    }
}

import Synchronization

/// The keys that transactions of this process have given to rows before they were rolled back, and
/// that other processes may have given to rows of theirs since.
///
/// This process does not use the key of a row again that was rolled back: it may be known outside
/// of the transaction. A process that continues the log does not know that the key was used. The
/// same holds for a row that its own transaction has deleted.
///
/// Its size is bounded by the number of rows, not by the number of transactions.
package final class ReusedKeys: Sendable {
    /// The keys from `first` on may belong to other rows than before `capture`.
    private struct Note {
        let first: Int64
        let capture: UInt64
    }

    private struct Notes {
        /// Keys and captures ascend.
        var all: [Note] = []
        /// The number of notes from which on obsolete ones are searched for and removed.
        var sweepSize = sweepSizeMin
    }

    private static let sweepSizeMin = 1024

    private let classes = Mutex(SortedTable<ClassID, Notes>())
    private let hasNotes = Atomic<Bool>(false)

    init() {}

    /// Whether no key was reused.
    package var isEmpty: Bool { !hasNotes.load(ordering: .acquiring) }

    /// Notes that the keys from `first` on may belong to other rows than before `capture`.
    ///
    /// `hasRows` returns whether there is, or may yet be, a row with one of the keys.
    func note(
        _ id: ClassID, from first: Int64, at capture: UInt64, hasRows: (Range<Int64>) -> Bool
    ) {
        classes.withLock { classes in
            var notes = classes[id] ?? Notes()
            // The keys of an earlier note that begins here or later are those of the new one.
            while let last = notes.all.last, first <= last.first { notes.all.removeLast() }
            if notes.all.count >= notes.sweepSize {
                let ends = notes.all.dropFirst().map(\.first) + [first]
                notes.all = zip(notes.all, ends).filter { hasRows($0.first..<$1) }.map(\.0)
                notes.sweepSize = max(Self.sweepSizeMin, 2 * notes.all.count)
            }
            notes.all.append(Note(first: first, capture: capture))
            classes[id] = notes
        }
        hasNotes.store(true, ordering: .releasing)
    }

    /// Whether a key may have belonged to different rows at two captures. O(log n).
    package func contains(
        _ id: ClassID, _ key: RowKey, between capture: UInt64, and other: UInt64
    ) -> Bool {
        let (from, to) = (min(capture, other), max(capture, other))
        return classes.withLock { classes in
            guard let notes = classes[id]?.all else { return false }
            // The later ones begin with higher keys.
            let index = notes.indices.partitioningIndex { notes[$0].capture > from }
            guard index < notes.count else { return false }
            return notes[index].capture <= to && notes[index].first <= key.rawValue
        }
    }
}

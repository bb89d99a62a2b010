/// Page segments that were unlinked, or that another process may unlink, and are open for the
/// versions that may still read them.
///
/// Only a snapshot that was captured after the segment was written, and before it was retired, can
/// refer to a node in it. A holder of an earlier snapshot retains none of the segments that were
/// written since.
struct RetiredSegments {
    private struct Entry {
        let index: PageIndex
        /// The captures that may refer to it.
        let captures: Range<UInt64>
    }

    private var entries: [Entry] = []
    /// The capture from which on a segment was written, if that is known.
    private var made = SortedTable<PageIndex, UInt64>()
    /// The number of holds of a segment, independent of snapshots.
    private var holds = SortedTable<PageIndex, Int>()

    /// Records that `index` is written from `capture` on.
    mutating func noteMade(_ index: PageIndex, at capture: UInt64) {
        if made[index] == nil { made[index] = capture }
    }

    /// The captures that may refer to `index`, of those before `end`.
    func captures(of index: PageIndex, before end: UInt64) -> Range<UInt64> {
        if let known = entries.first(where: { $0.index == index }) { return known.captures }
        return min(made[index] ?? 0, end)..<end
    }

    /// Records that snapshots captured from `capture` on have no node in `index`.
    mutating func add(_ index: PageIndex, before capture: UInt64) {
        if entries.contains(where: { $0.index == index }) { return }
        entries.append(Entry(index: index, captures: captures(of: index, before: capture)))
    }

    /// Removes the segments that neither a snapshot nor another reader needs.
    mutating func takeClosable(_ account: NodeAccount) -> [PageIndex] {
        let closable = entries.filter { entry in
            !isHeld(entry.index) && !account.holdsCapture(in: entry.captures)
        }.map(\.index)
        if closable.isEmpty { return [] }
        entries.removeAll { closable.contains($0.index) }
        for index in closable { made[index] = nil }
        return closable
    }

    /// Removes segments whose numbers may be reused.
    mutating func forget(_ indexes: [PageIndex]) {
        entries.removeAll { indexes.contains($0.index) }
        for index in indexes { made[index] = nil }
    }

    var indexes: [PageIndex] { entries.map(\.index) }

    // MARK: Holds

    /// Records that a hold needs segments, see ``PageHold``.
    mutating func hold(_ indexes: [PageIndex]) {
        for index in indexes { holds[index, default: 0] += 1 }
    }

    mutating func release(_ indexes: [PageIndex]) {
        for index in indexes {
            let count = holds[index, default: 0]
            holds[index] = count > 1 ? count - 1 : nil
        }
    }

    /// Whether something other than a version needs a segment.
    func isHeld(_ index: PageIndex) -> Bool { holds[index] != nil }
}

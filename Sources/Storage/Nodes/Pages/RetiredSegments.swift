/// Page segments that were unlinked, or that another process may unlink, and are open for the
/// versions that may still read them.
///
/// Only a version that was captured after the segment was made, and before it was given up, can
/// lead to a node in it. A holder of a version from before, however long, keeps none of the
/// segments that were written since.
struct RetiredSegments {
    private struct Entry {
        let index: PageIndex
        /// The captures that may lead there.
        let captures: Range<UInt64>
    }

    private var entries: [Entry] = []
    /// From which capture on a segment was written, where that is known.
    private var made = SortedTable<PageIndex, UInt64>()
    /// How many need a segment, whatever versions there are.
    private var holds = SortedTable<PageIndex, Int>()

    /// Takes note that `index` is written from `capture` on.
    mutating func noteMade(_ index: PageIndex, at capture: UInt64) {
        if made[index] == nil { made[index] = capture }
    }

    /// The captures that may lead to `index`, which those from `end` on do not.
    func captures(of index: PageIndex, before end: UInt64) -> Range<UInt64> {
        if let known = entries.first(where: { $0.index == index }) { return known.captures }
        return min(made[index] ?? 0, end)..<end
    }

    /// Takes note that versions captured from `capture` on have no node in `index`.
    mutating func add(_ index: PageIndex, before capture: UInt64) {
        if entries.contains(where: { $0.index == index }) { return }
        entries.append(Entry(index: index, captures: captures(of: index, before: capture)))
    }

    /// Takes out those that neither a held version nor another reader needs.
    mutating func takeClosable(_ account: NodeAccount) -> [PageIndex] {
        let closable = entries.filter { entry in
            !isHeld(entry.index) && !account.holdsCapture(in: entry.captures)
        }.map(\.index)
        if closable.isEmpty { return [] }
        entries.removeAll { closable.contains($0.index) }
        for index in closable { made[index] = nil }
        return closable
    }

    /// Forgets segments whose numbers may be given again.
    mutating func forget(_ indexes: [PageIndex]) {
        entries.removeAll { indexes.contains($0.index) }
        for index in indexes { made[index] = nil }
    }

    var indexes: [PageIndex] { entries.map(\.index) }

    // MARK: Holds

    /// Takes note that a hold needs segments, see ``PageHold``.
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

/// Compares two states of an ordered collection by the identities of their elements.
enum PositionDiff {
    /// The change from `old` to `new`.
    ///
    /// An identity may occur several times; its n-th occurrences correspond. An element that moved
    /// relative to the others is deleted and inserted; the number of moves is minimal. A survivor
    /// for which `isModified` is true is a modification.
    ///
    /// When an element passes another, either may be the one that moved: it is one of those that
    /// `written` returns, if possible. `written` is called only when the order has changed.
    ///
    /// - Complexity: O(n) when nothing moved, else O(n log n).
    static func between<Identity: Hashable>(
        _ old: [Identity], _ new: [Identity], isModified: (Identity) -> Bool,
        written: () -> Set<Identity> = { [] }
    ) -> PositionChange {
        let limit = min(old.count, new.count)
        var prefix = 0
        while prefix < limit, old[prefix] == new[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < limit - prefix,
            old[old.count - 1 - suffix] == new[new.count - 1 - suffix]
        {
            suffix += 1
        }
        var change = PositionChange()
        for position in 0..<prefix where isModified(old[position]) {
            change.modifications.append(position)
        }
        compareMiddle(
            old, prefix..<(old.count - suffix), new, prefix..<(new.count - suffix),
            isModified, written, into: &change)
        for position in (old.count - suffix)..<old.count where isModified(old[position]) {
            change.modifications.append(position)
        }
        return change
    }

    private static func compareMiddle<Identity: Hashable>(
        _ old: [Identity], _ oldRange: Range<Int>, _ new: [Identity], _ newRange: Range<Int>,
        _ isModified: (Identity) -> Bool, _ written: () -> Set<Identity>,
        into change: inout PositionChange
    ) {
        if oldRange.isEmpty || newRange.isEmpty {
            change.deletions.append(contentsOf: oldRange)
            change.insertions.append(contentsOf: newRange)
            return
        }
        var occurrences = Occurrences(old, in: oldRange)
        // The old and new positions of the survivors, in the order of the new state.
        var from: [Int] = []
        var to: [Int] = []
        for position in newRange {
            guard let source = occurrences.takeFirst(new[position]) else {
                change.insertions.append(position)
                continue
            }
            from.append(source)
            to.append(position)
        }
        var stayed = [Bool](repeating: false, count: oldRange.count)
        let members = IncreasingSubsequence.members(of: from, in: oldRange) {
            let written = written()
            return written.isEmpty ? [] : Set(from.filter { written.contains(old[$0]) })
        }
        var moved: [Int] = []
        for index in from.indices {
            if members?[index] ?? true {
                stayed[from[index] - oldRange.lowerBound] = true
            } else {
                moved.append(to[index])
            }
        }
        if !moved.isEmpty {
            change.insertions.append(contentsOf: moved)
            change.insertions.sort()
        }
        for position in oldRange {
            if !stayed[position - oldRange.lowerBound] {
                change.deletions.append(position)
            } else if isModified(old[position]) {
                change.modifications.append(position)
            }
        }
    }
}

/// The positions of each identity in the old state: in most collections there is one.
private struct Occurrences<Identity: Hashable> {
    private var first: [Identity: Int]
    private var further: [Identity: [Int]] = [:]

    init(_ elements: [Identity], in range: Range<Int>) {
        first = Dictionary(minimumCapacity: range.count)
        // Backwards, so that the next position is removed at the end of its list.
        for position in range.reversed() {
            if let later = first.updateValue(position, forKey: elements[position]) {
                further[elements[position], default: []].append(later)
            }
        }
    }

    /// The first position of `identity` that was not taken yet.
    mutating func takeFirst(_ identity: Identity) -> Int? {
        guard let position = first.removeValue(forKey: identity) else { return nil }
        if !further.isEmpty, let next = further[identity]?.popLast() { first[identity] = next }
        return position
    }
}

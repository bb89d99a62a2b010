/// How the elements of one list, set or map changed over a transaction.
///
/// Deletions index the elements before, insertions and modifications those after. All ascend;
/// insertions and modifications have no index in common. Applied in the order deletions,
/// insertions, modifications, the edit turns the old elements into the new ones.
package struct SequenceEdit: Sendable, Hashable {
    private var deleted = PositionRuns()
    private var inserted = PositionRuns()
    private var modified = PositionRuns()

    package init() {}

    package init(deletions: [Int], insertions: [Int], modifications: [Int]) {
        deleted = PositionRuns(deletions)
        inserted = PositionRuns(insertions)
        modified = PositionRuns(modifications)
    }

    // Each makes its array: O(count).
    package var deletions: [Int] { deleted.positions }
    package var insertions: [Int] { inserted.positions }
    package var modifications: [Int] { modified.positions }

    /// How many positions it has.
    package var count: Int { deleted.count + inserted.count + modified.count }

    package var isEmpty: Bool { deleted.isEmpty && inserted.isEmpty && modified.isEmpty }

    /// Where the elements that were modified stood before, ascending.
    var modificationsBefore: [Int] {
        let (insertions, deletions) = (self.insertions, self.deletions)
        var (inserted, deleted) = (0, 0)
        return modifications.map { index in
            while inserted < insertions.count, insertions[inserted] < index { inserted += 1 }
            let kept = index - inserted
            while deleted < deletions.count, deletions[deleted] <= kept + deleted { deleted += 1 }
            return kept + deleted
        }
    }

    /// The edit that takes this one back.
    var inverse: SequenceEdit {
        SequenceEdit(
            deletions: insertions, insertions: deletions, modifications: modificationsBefore)
    }

    package mutating func insert(at index: Int) {
        inserted.insert(index)
        modified.openGap(at: index)
    }

    package mutating func set(at index: Int) {
        if !inserted.contains(index) { modified.add(index) }
    }

    /// The elements at positions that ascend, which may repeat, were set. One by one, many of them
    /// would take quadratic time.
    package mutating func set(at positions: [Int]) {
        if positions.count <= SequenceEdit.singlyMax {
            for position in positions { set(at: position) }
            return
        }
        let fresh = positions.filter { !inserted.contains($0) }
        var all: [Int] = []
        for position in (modifications + fresh).sorted() where position != all.last {
            all.append(position)
        }
        modified = PositionRuns(all)
    }

    package mutating func remove(at index: Int) {
        if !inserted.contains(index) {
            let kept = index - inserted.count(below: index)
            deleted.add(deleted.position(ofAbsent: kept))
        }
        inserted.closeGap(at: index)
        modified.closeGap(at: index)
    }

    /// Up to this many elements that go at once go one by one.
    private static let singlyMax = 16

    /// The elements at positions that ascend are gone. One by one, many of a long list would take a
    /// time that grows with the square of their number.
    package mutating func remove(at positions: [Int]) {
        if positions.count <= SequenceEdit.singlyMax {
            for position in positions.reversed() { remove(at: position) }
            return
        }
        let (insertions, deletions) = (self.insertions, self.deletions)
        var (inserted, deleted) = (0, 0)
        var gone: [Int] = []
        for position in positions {
            while inserted < insertions.count, insertions[inserted] < position { inserted += 1 }
            if inserted < insertions.count, insertions[inserted] == position { continue }
            let kept = position - inserted
            while deleted < deletions.count, deletions[deleted] - deleted <= kept { deleted += 1 }
            gone.append(kept + deleted)
        }
        self.deleted = PositionRuns((deletions + gone).sorted())
        self.inserted = PositionRuns(SequenceEdit.without(positions, insertions))
        modified = PositionRuns(SequenceEdit.without(positions, modifications))
    }

    /// Where others stand once the elements at `positions` are gone.
    private static func without(_ positions: [Int], _ others: [Int]) -> [Int] {
        var rest: [Int] = []
        rest.reserveCapacity(others.count)
        var gone = 0
        for other in others {
            while gone < positions.count, positions[gone] < other { gone += 1 }
            if gone < positions.count, positions[gone] == other { continue }
            rest.append(other - gone)
        }
        return rest
    }

    /// Another edit has come behind this one.
    mutating func append(_ edit: SequenceEdit) {
        remove(at: edit.deletions)
        for index in edit.insertions { insert(at: index) }
        for index in edit.modifications { set(at: index) }
    }

    /// All of the `count` elements that are there now are gone.
    package mutating func removeAll(count: Int) {
        // Fewer than came only when some could not be read.
        let oldCount = max(count - inserted.count + deleted.count, 0)
        self = SequenceEdit()
        deleted = PositionRuns(0..<oldCount)
    }
}

/// The list, set or map of one row.
package struct SequenceID: Sendable, Hashable {
    package let key: RowKey
    package let column: ColumnID

    package init(key: RowKey, column: ColumnID) {
        self.key = key
        self.column = column
    }
}

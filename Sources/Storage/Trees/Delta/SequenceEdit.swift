/// The changes of the elements of one list, set or map by a transaction.
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

    // Each creates its array: O(count).
    package var deletions: [Int] { deleted.positions }
    package var insertions: [Int] { inserted.positions }
    package var modifications: [Int] { modified.positions }

    /// The number of positions.
    package var count: Int { deleted.count + inserted.count + modified.count }

    package var isEmpty: Bool { deleted.isEmpty && inserted.isEmpty && modified.isEmpty }

    /// The former positions of modified elements, ascending.
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

    /// The edit that undoes this one.
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

    /// Marks elements at ascending positions, which may repeat, as set. One by one, many of them
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

    /// Up to this many elements are removed one by one.
    private static let singlyMax = 16

    /// Marks elements at ascending positions as removed. One by one, many elements of a long list
    /// would take quadratic time.
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

    /// The positions of `others` after the elements at `positions` were removed.
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

    /// Appends a later edit.
    mutating func append(_ edit: SequenceEdit) {
        remove(at: edit.deletions)
        for index in edit.insertions { insert(at: index) }
        for index in edit.modifications { set(at: index) }
    }

    /// Marks all of the `count` current elements as removed.
    package mutating func removeAll(count: Int) {
        // The number can be less than that of insertions only if some elements could not be read.
        let oldCount = max(count - inserted.count + deleted.count, 0)
        self = SequenceEdit()
        deleted = PositionRuns(0..<oldCount)
    }
}

/// Identifies a list, set or map of one row.
package struct SequenceID: Sendable, Hashable {
    package let key: RowKey
    package let column: ColumnID

    package init(key: RowKey, column: ColumnID) {
        self.key = key
        self.column = column
    }
}

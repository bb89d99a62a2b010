/// How the elements of one list, set or map changed over a transaction.
///
/// Deletions index the elements before, insertions and modifications those after. All ascend;
/// insertions and modifications have no index in common. Applied in the order deletions,
/// insertions, modifications, the edit turns the old elements into the new ones.
package struct SequenceEdit: Sendable, Hashable {
    package private(set) var deletions: [Int] = []
    package private(set) var insertions: [Int] = []
    package private(set) var modifications: [Int] = []

    package init() {}

    package init(deletions: [Int], insertions: [Int], modifications: [Int]) {
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
    }

    /// How many positions it has.
    package var count: Int { deletions.count + insertions.count + modifications.count }

    package var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty
    }

    /// Where the elements that were modified stood before, ascending.
    var modificationsBefore: [Int] {
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

    /// The old index of the element that stands at `index` and was there before.
    private func oldIndex(_ index: Int) -> Int {
        let kept = index - SequenceEdit.lowerBound(insertions, index)
        // How many elements stayed before each deletion ascends as well.
        var low = 0
        var high = deletions.count
        while low < high {
            let middle = (low + high) / 2
            if deletions[middle] - middle <= kept { low = middle + 1 } else { high = middle }
        }
        return kept + low
    }

    package mutating func insert(at index: Int) {
        if insertions.last.map({ $0 < index }) ?? true,
            modifications.last.map({ $0 < index }) ?? true
        {
            insertions.append(index)
            return
        }
        let place = SequenceEdit.lowerBound(insertions, index)
        for later in place..<insertions.count { insertions[later] += 1 }
        insertions.insert(index, at: place)
        for later in SequenceEdit.lowerBound(modifications, index)..<modifications.count {
            modifications[later] += 1
        }
    }

    package mutating func set(at index: Int) {
        let inserted = SequenceEdit.lowerBound(insertions, index)
        if inserted < insertions.count, insertions[inserted] == index { return }
        let place = SequenceEdit.lowerBound(modifications, index)
        if place < modifications.count, modifications[place] == index { return }
        modifications.insert(index, at: place)
    }

    package mutating func remove(at index: Int) {
        let place = SequenceEdit.lowerBound(insertions, index)
        if place < insertions.count, insertions[place] == index {
            insertions.remove(at: place)
        } else {
            let old = oldIndex(index)
            deletions.insert(old, at: SequenceEdit.lowerBound(deletions, old))
        }
        for later in place..<insertions.count { insertions[later] -= 1 }
        let modified = SequenceEdit.lowerBound(modifications, index)
        if modified < modifications.count, modifications[modified] == index {
            modifications.remove(at: modified)
        }
        for later in modified..<modifications.count { modifications[later] -= 1 }
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
        var (inserted, deleted) = (0, 0)
        var gone: [Int] = []
        for position in positions {
            while inserted < insertions.count, insertions[inserted] < position { inserted += 1 }
            if inserted < insertions.count, insertions[inserted] == position { continue }
            let kept = position - inserted
            while deleted < deletions.count, deletions[deleted] - deleted <= kept { deleted += 1 }
            gone.append(kept + deleted)
        }
        deletions = (deletions + gone).sorted()
        insertions = SequenceEdit.without(positions, insertions)
        modifications = SequenceEdit.without(positions, modifications)
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
        let oldCount = max(count - insertions.count + deletions.count, 0)
        deletions = Array(0..<oldCount)
        insertions = []
        modifications = []
    }

    private static func lowerBound(_ values: [Int], _ value: Int) -> Int {
        var low = 0
        var high = values.count
        while low < high {
            let middle = (low + high) / 2
            if values[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
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

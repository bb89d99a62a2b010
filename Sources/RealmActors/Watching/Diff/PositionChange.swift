/// The difference between two states of an ordered collection, by positions: indices, or the keys
/// of a map.
///
/// Deletions and modifications index the old state, insertions the new one; each is ascending, and
/// no position is both deleted and modified. Removing the deletions from the old state and
/// inserting the new elements at the insertions gives exactly the new state.
struct PositionChanges<Position: Sendable & Equatable>: Sendable, Equatable {
    var deletions: [Position] = []
    var insertions: [Position] = []
    var modifications: [Position] = []

    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}

/// The difference between two states of a collection by indices.
typealias PositionChange = PositionChanges<Int>

extension PositionChange {
    /// The modifications as positions of the new state.
    var newModifications: [Int] {
        Self.newPositions(of: modifications, deletions: deletions, insertions: insertions)
    }

    /// The same change with replacements as modifications: between two elements that stayed, or at
    /// an end, the n-th deletion and the n-th insertion become one modification.
    func replacing() -> PositionChange {
        var change = PositionChange(modifications: modifications)
        var (deleted, inserted) = (0, 0)
        while deleted < deletions.count, inserted < insertions.count {
            // How many elements that stayed precede each.
            let before = deletions[deleted] - deleted
            let after = insertions[inserted] - inserted
            if before == after { change.modifications.append(deletions[deleted]) }
            if before < after { change.deletions.append(deletions[deleted]) }
            if before > after { change.insertions.append(insertions[inserted]) }
            if before <= after { deleted += 1 }
            if before >= after { inserted += 1 }
        }
        change.deletions += deletions[deleted...]
        change.insertions += insertions[inserted...]
        change.modifications.sort()
        return change
    }

    /// The positions in the new state of the elements at `survivors` in the old one.
    ///
    /// Survivors keep their order: the n-th one has the n-th position that is not an insertion.
    /// Linear in the three arrays, independent of the size of the collection.
    static func newPositions(
        of survivors: [Int], deletions: [Int], insertions: [Int]
    ) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(survivors.count)
        var deleted = 0
        var inserted = 0
        for position in survivors {
            while deleted < deletions.count, deletions[deleted] < position { deleted += 1 }
            let rank = position - deleted
            while inserted < insertions.count, insertions[inserted] <= rank + inserted {
                inserted += 1
            }
            result.append(rank + inserted)
        }
        return result
    }
}

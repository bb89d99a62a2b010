import StorageHarness
import Testing

@testable import RealmActors

/// What a consumer of a change does: removes the deletions, then inserts from the new state.
func replay<Element>(_ change: PositionChange, on old: [Element], from new: [Element]) -> [Element]
{
    var result = old
    for position in change.deletions.reversed() { result.remove(at: position) }
    for position in change.insertions { result.insert(new[position], at: position) }
    return result
}

/// The rules every change keeps, whatever made it.
func checkRules(_ change: PositionChange, oldCount: Int, newCount: Int) -> Bool {
    func ascends(_ values: [Int], below limit: Int) -> Bool {
        zip(values, values.dropFirst()).allSatisfy { $0 < $1 }
            && values.allSatisfy { (0..<limit).contains($0) }
    }
    return ascends(change.deletions, below: oldCount)
        && ascends(change.insertions, below: newCount)
        && ascends(change.modifications, below: oldCount)
        && Set(change.deletions).isDisjoint(with: change.modifications)
        && ascends(change.newModifications, below: newCount)
        && Set(change.insertions).isDisjoint(with: change.newModifications)
}

@Suite struct PositionDiffTests {
    @Test func equalStatesHaveNoChange() {
        #expect(PositionDiff.between([1, 2, 3], [1, 2, 3]) { _ in false }.isEmpty)
    }

    @Test("N9, D7: deletions and modifications index the old collection, insertions the new")
    func deletionsAndModificationsIndexTheOldInsertionsTheNew() {
        let change = PositionDiff.between([4, 5, 6, 9], [4, 40, 6, 9]) { $0 == 9 }
        #expect(change == PositionChange(deletions: [1], insertions: [1], modifications: [3]))
        #expect(change.newModifications == [3])
    }

    @Test func aMovedElementIsDeletedAndInserted() {
        let change = PositionDiff.between([1, 2, 3, 4, 5], [2, 3, 4, 1, 5]) { $0 == 1 || $0 == 3 }
        #expect(change == PositionChange(deletions: [0], insertions: [3], modifications: [2]))
        #expect(change.newModifications == [1])
    }

    @Test func repeatedElementsCorrespondByOccurrence() {
        let change = PositionDiff.between([7, 7, 8], [7, 8, 7, 7]) { _ in false }
        #expect(replay(change, on: [7, 7, 8], from: [7, 8, 7, 7]) == [7, 8, 7, 7])
        #expect(change.deletions.count + 1 == change.insertions.count)
    }

    @Test func aChangeOfTheFirstElementsReplays() {
        var random = SeededGenerator()
        for _ in 0..<2_000 {
            let old = (0..<Int.random(in: 0..<9, using: &random)).shuffled(using: &random)
            let new = (0..<Int.random(in: 0..<12, using: &random)).shuffled(using: &random)
            let whole = PositionDiff.between(old, new) { _ in false }
            for limit in 0..<10 {
                let (first, last) = (Array(old.prefix(limit)), Array(new.prefix(limit)))
                let change = whole.prefix(limit, before: old.count, after: new.count)
                #expect(replay(change, on: first, from: last) == last, "SEED=\(random.seed)")
                #expect(checkRules(change, oldCount: first.count, newCount: last.count))
            }
        }
    }

    @Test func everyPairOfSmallStatesReplays() {
        // All sequences over three identities up to length four, against each other.
        var states: [[Int]] = [[]]
        var longest: [[Int]] = [[]]
        for _ in 0..<4 {
            longest = longest.flatMap { state in (0..<3).map { state + [$0] } }
            states += longest
        }
        for old in states {
            for new in states {
                for mask in 0..<8 {
                    let change = PositionDiff.between(old, new) { mask >> $0 & 1 == 1 }
                    let isRight =
                        replay(change, on: old, from: new) == new
                        && checkRules(change, oldCount: old.count, newCount: new.count)
                        && zip(change.modifications, change.newModifications)
                            .allSatisfy { old[$0] == new[$1] && mask >> old[$0] & 1 == 1 }
                    if !isRight {
                        Issue.record("\(old) -> \(new), modified \(mask): \(change)")
                        return
                    }
                }
            }
        }
    }

    @Test func randomStepsReplay() {
        var random = SeededGenerator()
        var old: [Int] = []
        var next = 0
        for step in 0..<20_000 {
            var new = old
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1:
                    new.insert(next, at: Int.random(in: 0...new.count, using: &random))
                    next += 1
                case 2 where !new.isEmpty:
                    new.remove(at: Int.random(in: 0..<new.count, using: &random))
                case 3 where !new.isEmpty:
                    let moved = new.remove(at: Int.random(in: 0..<new.count, using: &random))
                    new.insert(moved, at: Int.random(in: 0...new.count, using: &random))
                default:
                    if new.count > 40 { new.removeSubrange(5..<30) }
                }
            }
            let modified = Set(old.shuffled(using: &random).prefix(3))
            let change = PositionDiff.between(old, new, isModified: modified.contains)
            // Every modified survivor is reported, as a modification or as moved.
            let reported = Set(change.modifications.map { old[$0] })
                .union(change.insertions.map { new[$0] })
            let isRight =
                replay(change, on: old, from: new) == new
                && checkRules(change, oldCount: old.count, newCount: new.count)
                && zip(change.modifications, change.newModifications)
                    .allSatisfy { old[$0] == new[$1] && modified.contains(old[$0]) }
                && modified.intersection(new).isSubset(of: reported)
            if !isRight {
                Issue.record("SEED=\(random.seed) step \(step): \(old) -> \(new): \(change)")
                return
            }
            old = new
        }
    }

    @Test func ofTwoElementsThatChangePlacesTheWrittenOneMoves() {
        func change(written: Int) -> PositionChange {
            PositionDiff.between(
                [0, 1, 2], [0, 2, 1], isModified: { _ in false }, written: { [written] })
        }
        #expect(change(written: 1) == PositionChange(deletions: [1], insertions: [2]))
        #expect(change(written: 2) == PositionChange(deletions: [2], insertions: [1]))
    }

    @Test func ofTheFewestElementsThatMayMoveAsManyAsPossibleAreWritten() {
        var random = SeededGenerator()
        for _ in 0..<300 {
            let new = Array(0..<8).shuffled(using: &random)
            let written = Set((0..<8).filter { _ in Bool.random(using: &random) })
            let change = PositionDiff.between(
                Array(0..<8), new, isModified: { _ in false }, written: { written })
            #expect(replay(change, on: Array(0..<8), from: new) == new, "SEED=\(random.seed)")
            // The longest increasing subsequences by trying all subsets: how many stay, and how
            // many of these are not written.
            let best = (0..<256).map { mask -> [Int] in
                let kept = new.indices.filter { mask >> $0 & 1 == 1 }.map { new[$0] }
                if kept != kept.sorted() { return [0, 0] }
                return [kept.count, kept.count { !written.contains($0) }]
            }.max { $0.lexicographicallyPrecedes($1) }
            let stayed = Set(0..<8).subtracting(change.deletions)
            #expect(
                [stayed.count, stayed.subtracting(written).count] == best,
                "SEED=\(random.seed): \(new)")
        }
    }

    @Test func theFewestElementsMove() {
        var random = SeededGenerator()
        for _ in 0..<200 {
            let new = Array(0..<8).shuffled(using: &random)
            let change = PositionDiff.between(Array(0..<8), new) { _ in false }
            // The longest increasing subsequence by trying all subsets.
            let longest = (0..<256).map { mask -> Int in
                let kept = new.indices.filter { mask >> $0 & 1 == 1 }.map { new[$0] }
                return kept == kept.sorted() ? kept.count : 0
            }.max()
            #expect(8 - change.deletions.count == longest, "SEED=\(random.seed): \(new)")
        }
    }
}

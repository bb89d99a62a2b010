import Storage
import StorageHarness
import Testing

@testable import RealmActors

@Suite struct SequenceScriptTests {
    private func apply(
        _ edit: SequenceEdit, _ script: inout SequenceScript, expecting success: Bool
    ) {
        let applied = script.apply(edit)
        #expect(applied == success)
    }

    @Test("D15: swapping is two modifications, moving a deletion and an insertion")
    func swappingIsTwoModificationsAndMovingADeletionAndAnInsertion() {
        var script = SequenceScript(count: 4)
        apply(
            SequenceEdit(deletions: [], insertions: [], modifications: [0, 2]), &script,
            expecting: true)
        apply(
            SequenceEdit(deletions: [1], insertions: [3], modifications: []), &script,
            expecting: true)
        let change = script.change()
        #expect(
            change == PositionChange(deletions: [1], insertions: [3], modifications: [0, 2]))
        #expect(change.newModifications == [0, 1])
    }

    @Test func whatComesAndGoesLeavesNoTrace() {
        var script = SequenceScript(count: 2)
        apply(
            SequenceEdit(deletions: [], insertions: [1], modifications: []), &script,
            expecting: true)
        apply(
            SequenceEdit(deletions: [1], insertions: [], modifications: []), &script,
            expecting: true)
        #expect(script.change().isEmpty)
    }

    @Test func anEditOfAnotherStateIsRefused() {
        var script = SequenceScript(count: 2)
        apply(
            SequenceEdit(deletions: [5], insertions: [], modifications: []), &script,
            expecting: false)
        apply(
            SequenceEdit(deletions: [], insertions: [9], modifications: []), &script,
            expecting: false)
        apply(
            SequenceEdit(deletions: [], insertions: [], modifications: [2]), &script,
            expecting: false)
        #expect(script.change().isEmpty)
    }

    @Test func randomEditsOfSeveralCommitsFoldIntoOneChange() {
        var random = SeededGenerator()
        var next = 100
        for round in 0..<3_000 {
            let old = Array(0..<Int.random(in: 0...6, using: &random))
            var new = old
            var script = SequenceScript(count: old.count)
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                var edit = SequenceEdit()
                let before = new
                for _ in 0..<Int.random(in: 0...4, using: &random) {
                    let position = Int.random(in: 0...new.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0:
                        new.insert(next, at: position)
                        edit.insert(at: position)
                    case 1 where position < new.count:
                        new.remove(at: position)
                        edit.remove(at: position)
                    case 2 where position < new.count:
                        new[position] = next
                        edit.set(at: position)
                    default: continue
                    }
                    next += 1
                }
                if !script.apply(edit) {
                    Issue.record("SEED=\(random.seed) round \(round): \(before) refuses \(edit)")
                    return
                }
            }
            let change = script.change()
            var replayed = replay(change, on: old, from: new)
            for position in change.newModifications { replayed[position] = new[position] }
            if replayed != new || !checkRules(change, oldCount: old.count, newCount: new.count) {
                Issue.record("SEED=\(random.seed) round \(round): \(old) -> \(new): \(change)")
                return
            }
        }
    }

    /// Applying an edit takes time that grows with the length of the list: after tens of thousands
    /// of commits, a stream of a long list iterated over all elements for each of them.
    @Test func theEditsOfManyCommitsAreJoinedForTheirReader() throws {
        let item = ClassID(0)
        let list = SequenceID(key: RowKey(0), column: ColumnID(0))
        var random = SeededGenerator()
        for round in 0..<20 {
            var count = 40
            var singly = SequenceScript(count: count)
            var pending = PendingMarks()
            for version in 1...300 as ClosedRange<UInt64> {
                var edit = SequenceEdit()
                // Now and then most elements go at once.
                let isLarge = random.oneIn(50)
                for _ in 0..<(isLarge ? count : 4) {
                    let place = random.next(below: count + 1)
                    switch isLarge ? 1 : random.next(below: 3) {
                    case 1 where place < count:
                        edit.remove(at: place)
                        count -= 1
                    case 2 where place < count: edit.set(at: place)
                    default:
                        edit.insert(at: place)
                        count += 1
                    }
                }
                apply(edit, &singly, expecting: true)
                let changes = ClassChanges(
                    created: [], deleted: [], touched: [list.key: ColumnSet([list.column])],
                    sequenceEdits: [list: edit])
                _ = pending.note(
                    ChangeSet(version: Version(version), author: nil, classes: [item: changes]),
                    watched: [item])
            }
            let merged = pending.merged()
            let edits = try #require(merged.classes[item]?.sequenceEdits[list])
            #expect(edits.count == 1)
            var joined = SequenceScript(count: 40)
            for edit in edits { apply(edit, &joined, expecting: true) }
            let (expected, change) = (singly.change(), joined.change())
            #expect(change == expected, "SEED=\(random.seed) round \(round)")
            #expect(joined.count == count, "SEED=\(random.seed) round \(round)")
        }
    }
}

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
}

import Storage
import Testing

@testable import RealmActors

/// What a change stream keeps for its consumer.
@Suite struct ChangeStreamBufferTests {
    private let dogs = ClassID(0)

    private func commit(_ number: UInt64, row: Int64) -> ChangeSet {
        let changes = ClassChanges(created: [], deleted: [RowKey(row)], touched: [:])
        return ChangeSet(version: Version(number), author: nil, classes: [dogs: changes])
    }

    @Test func aConsumerThatEndsAfterItWasWokenGetsNothing() {
        var buffer = ChangeStreamBuffer<Int, Int>(.latest, watched: [dogs])
        _ = buffer.machine.next(0)
        guard case .wake(0) = buffer.note(commit(1, row: 1)) else {
            Issue.record("The consumer was not woken.")
            return
        }
        _ = buffer.machine.finish()
        _ = buffer.abandon()
        _ = buffer.note(commit(2, row: 2))
        // The second commit alone would not lead from what the consumer has to what there is.
        guard case .nothing = buffer.take() else {
            Issue.record("The consumer got a part.")
            return
        }
    }

    /// A commit that is being published reaches who has just left: its version was kept for as long
    /// as the iterator.
    @Test func aConsumerThatHasLeftKeepsNoVersion() {
        var buffer = ChangeStreamBuffer<Int, Int>(.latest, watched: [dogs])
        _ = buffer.machine.finish()
        _ = buffer.abandon()
        _ = buffer.silence(commit(1, row: 1), before: 1, after: 2)
        let kept = buffer.abandon()
        #expect(kept.isEmpty)
    }

    /// The commits that were noted before were delivered as if they alone had led to the newest
    /// version of a reopened store.
    @Test func aConsumerThatWasWokenGetsNothingOfAReopenedStore() {
        var buffer = ChangeStreamBuffer<Int, Int>(.latest, watched: [dogs])
        _ = buffer.machine.next(0)
        _ = buffer.note(commit(1, row: 1))
        _ = buffer.machine.ended(nil)
        guard case .nothing = buffer.take(isOpen: true) else {
            Issue.record("The consumer got a part.")
            return
        }
        // Everything from before the closing is delivered.
        guard case .marks = buffer.take(isOpen: false) else {
            Issue.record("The consumer did not get the commit.")
            return
        }
    }

    /// The moments of the next step: of what is reported, and of what is silenced.
    private func step(_ buffer: inout ChangeStreamBuffer<Int, Int>) -> [Int?] {
        guard case .proceed(.due) = buffer.machine.next(0), case .step(let step) = buffer.take()
        else {
            return []
        }
        return [step.reported?.moment, step.silenced?.moment]
    }

    @Test func theFirstChangeIsDeliveredWithoutASilencedCommit() {
        var buffer = ChangeStreamBuffer<Int, Int>(.latest, watched: [dogs])
        _ = buffer.begin(at: 1, with: .change)
        _ = buffer.silence(commit(2, row: 1), before: 1, after: 2)
        let steps = [step(&buffer), step(&buffer)]
        #expect(steps == [[1, 2], []])
    }

    /// Commits may come between the moment that a subscription begins at and its beginning there:
    /// those in front of a silenced one were forgotten.
    @Test(arguments: [ChangeBuffering.latest, .everyVersion(bufferLimit: 9)])
    func commitsBeforeTheBeginningAreDeliveredAfterIt(buffering: ChangeBuffering) {
        var buffer = ChangeStreamBuffer<Int, Int>(buffering, watched: [dogs])
        _ = buffer.note(commit(2, row: 1))
        _ = buffer.silence(commit(3, row: 2), before: 2, after: 3)
        _ = buffer.begin(at: 1, with: .change)
        let steps = [step(&buffer), step(&buffer), step(&buffer)]
        #expect(steps == [[1, nil], [2, 3], []])
    }

    /// A monitor was notified that two elements were due of a stream that merges them.
    @Test func whatComesBeforeTheBeginningIsDueTogetherWithIt() {
        var buffer = ChangeStreamBuffer<Int, Int>(.latest, watched: [dogs])
        _ = buffer.note(commit(2, row: 1))
        _ = buffer.begin(at: 1, with: .state)
        let due = buffer.backlog.due
        #expect(due == 1)
    }

    @Test func aStateToBeginWithHasWhatComesBeforeIt() {
        var buffer = ChangeStreamBuffer<Int, Int>(.latest, watched: [dogs])
        _ = buffer.silence(commit(2, row: 1), before: 1, after: 2)
        _ = buffer.begin(at: 1, with: .state)
        _ = buffer.silence(commit(3, row: 2), before: 2, after: 3)
        guard case .proceed(.due) = buffer.machine.next(0), case .marks = buffer.take() else {
            Issue.record("The consumer did not receive the state.")
            return
        }
        let rest = step(&buffer)
        #expect(rest == [])
    }
}

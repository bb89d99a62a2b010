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

    @Test func aConsumerThatLeavesAfterItWasWokenIsToldNothing() {
        var buffer = ChangeStreamBuffer<Int, Int>(.latest, watched: [dogs])
        _ = buffer.machine.next(0)
        guard case .wake(0) = buffer.note(commit(1, row: 1)) else {
            Issue.record("The consumer was not woken.")
            return
        }
        _ = buffer.machine.finish()
        _ = buffer.giveUp()
        _ = buffer.note(commit(2, row: 2))
        // The second commit alone would not lead from what the consumer has to what there is.
        guard case .nothing = buffer.take() else {
            Issue.record("The consumer was told of a part.")
            return
        }
    }
}

import Storage
import Synchronization
import Testing

@testable import RealmActors

@Suite struct TurnQueueTests {
    /// Takes the turn in a task of its own, notes it, and passes it on.
    private static func follower(
        _ number: Int, of turns: TurnQueue, _ order: Log, timeout: Duration? = nil
    ) async -> Task<Void, any Error> {
        let waiting = turns.waiterCount
        let task = Task {
            try await turns.take("follower \(number)", timeout: timeout)
            order.add(number)
            turns.release()
        }
        while turns.waiterCount == waiting { await Task.yield() }
        return task
    }

    /// Numbers in the order in which they were added.
    private final class Log: Sendable {
        private let numbers = Mutex<[Int]>([])
        var all: [Int] { numbers.withLock { $0 } }
        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    @Test func leaversDisturbNobody() async throws {
        let turns = TurnQueue()
        let order = Log()
        #expect(turns.tryTake("first"))
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<200 {
            tasks.append(await Self.follower(number, of: turns, order, timeout: .seconds(600)))
        }
        let leavers = (0..<200).filter { $0 % 3 != 0 }
        for number in leavers { tasks[number].cancel() }
        for number in leavers {
            await #expect(throws: CancellationError.self) { try await tasks[number].value }
        }
        #expect(turns.waiterCount == 67)
        #expect(turns.release())
        for number in 0..<200 where number % 3 == 0 { try await tasks[number].value }
        #expect(order.all == Array(stride(from: 0, to: 200, by: 3)))
        #expect(turns.waiterCount == 0 && turns.tryTake("last"))
        #expect(!turns.release())
    }

    @Test func oneTimerEndsEveryWaitInItsTime() async throws {
        let turns = TurnQueue()
        let order = Log()
        #expect(turns.tryTake("a slow one"))
        let patient = await Self.follower(0, of: turns, order)
        let hasty = Task { try await turns.take("late", timeout: .milliseconds(20)) }
        let hastier = Task { try await turns.take("late", timeout: .milliseconds(1)) }
        for task in [hasty, hastier] {
            await #expect(throws: RealmError.writerBusy(holder: "a slow one")) {
                try await task.value
            }
        }
        let late = await Self.follower(3, of: turns, order, timeout: .seconds(600))
        #expect(turns.release())
        try await patient.value
        try await late.value
        #expect(order.all == [0, 3])
    }
}

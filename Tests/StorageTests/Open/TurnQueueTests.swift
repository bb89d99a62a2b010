import Synchronization
import Testing

@testable import Storage

@Suite struct TurnQueueTests {
    /// Takes the turn in a task of its own, records it, and releases the turn.
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

    @Test func cancelledTasksDoNotAffectOthers() async throws {
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
            await #expect { try await task.value } throws: { error in
                isBusy(error, "a slow one, for ")
            }
        }
        let late = await Self.follower(3, of: turns, order, timeout: .seconds(600))
        #expect(turns.release())
        try await patient.value
        try await late.value
        #expect(order.all == [0, 3])
    }

    /// While a holder kept its turn, every expired wait left its place in the list, and later ones
    /// had to skip all of them.
    @Test func expiredWaitsLeaveNoPlaces() async {
        let turns = TurnQueue()
        #expect(turns.tryTake("a slow one"))
        for _ in 0..<200 {
            await #expect {
                try await turns.take("late", timeout: .zero)
            } throws: { error in
                isBusy(error, "a slow one, for ")
            }
        }
        #expect(turns.waiterCount == 0)
        #expect(turns.placeCount <= 33)
        #expect(!turns.release())
    }

    /// This was read from the beginning of the holder's description.
    @Test(arguments: [false, true])
    func theErrorSaysWhetherTheHolderFollowsOtherHosts(isFollowing: Bool) async {
        let turns = TurnQueue()
        #expect(turns.tryTake("another host", isFollowing: isFollowing))
        await #expect {
            try await turns.take("late", timeout: .zero)
        } throws: { error in
            guard case .turnTaken(_, let found)? = error as? StorageError else { return false }
            return found == isFollowing
        }
    }

    private final class Request: Sendable {
        @TaskLocal static var current: Request?
    }

    /// The task that ends expired waits retained the task-local values of the first waiter, for as
    /// long as that could have waited.
    @Test func theTimerRetainsNoTaskLocalValues() async throws {
        let turns = TurnQueue()
        #expect(turns.tryTake("first"))
        weak var kept: Request?
        do {
            let request = Request()
            kept = request
            try await Request.$current.withValue(request) {
                let waiting = Task { try await turns.take("second", timeout: .seconds(3_600)) }
                // The waiter spins before it suspends, and the timer is started.
                while !turns.hasTimer { await Task.yield() }
                turns.release()
                try await waiting.value
            }
        }
        // The task is released shortly after its end. The limit only ends a failing test.
        let limit = ContinuousClock.now + .seconds(1_200)
        while kept != nil, ContinuousClock.now < limit {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(kept == nil)
        #expect(!turns.release())
    }

    /// The spinning task is first in the queue, whether it arrives while it spins or later, and can
    /// be cancelled like any other.
    @Test func theSpinningTaskGoesFirst() async throws {
        for rounds in 0..<50 {
            let turns = TurnQueue()
            let order = Log()
            #expect(turns.tryTake("first"))
            let lookout = await Self.follower(0, of: turns, order, timeout: .seconds(600))
            let second = await Self.follower(1, of: turns, order)
            let third = await Self.follower(2, of: turns, order)
            #expect(!turns.tryTake("a hasty one"))
            if rounds.isMultiple(of: 2) {
                #expect(turns.release())
                try await lookout.value
            } else {
                lookout.cancel()
                await #expect(throws: CancellationError.self) { try await lookout.value }
                #expect(turns.release())
            }
            try await second.value
            try await third.value
            #expect(order.all == (rounds.isMultiple(of: 2) ? [0, 1, 2] : [1, 2]))
            #expect(turns.waiterCount == 0)
        }
    }

    /// A task that was resumed to spin, while the previous one holds the turn for long, suspends
    /// again in its place, and can be cancelled there.
    @Test(arguments: [false, true]) func spinningInVainKeepsThePlace(
        isCancelled: Bool
    ) async throws {
        let turns = TurnQueue()
        let order = Log()
        #expect(turns.tryTake("first"))
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let slow = Task {
            try await turns.take("a slow one", timeout: nil)
            order.add(0)
            for await _ in gate {}
            turns.release()
        }
        while turns.waiterCount == 0 { await Task.yield() }
        let second = await Self.follower(1, of: turns, order, timeout: .seconds(600))
        let third = await Self.follower(2, of: turns, order)
        #expect(turns.release())
        while order.all.isEmpty { await Task.yield() }
        // Longer than the maximum spinning time.
        try await Task.sleep(for: .milliseconds(20))
        let last = await Self.follower(3, of: turns, order)
        #expect(turns.waiterCount == 3)
        if isCancelled {
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
        }
        opening.finish()
        if !isCancelled { try await second.value }
        try await slow.value
        try await third.value
        try await last.value
        #expect(order.all == (isCancelled ? [0, 2, 3] : [0, 1, 2, 3]))
        #expect(turns.waiterCount == 0 && turns.tryTake("nobody waits"))
    }

    /// Records of the tasks that have the turn.
    private final class Room: Sendable {
        let inside = Atomic<Int>(0)
        let overlaps = Atomic<Int>(0)
        let visits = Atomic<Int>(0)

        func visit() {
            if inside.add(1, ordering: .relaxed).oldValue > 0 {
                overlaps.add(1, ordering: .relaxed)
            }
            inside.subtract(1, ordering: .relaxed)
            visits.add(1, ordering: .relaxed)
        }
    }

    /// Tasks on several threads, some of which are cancelled.
    @Test func oneAtATime() async throws {
        let turns = TurnQueue()
        let room = Room()
        await withTaskGroup { group in
            for number in 0..<16 {
                group.addTask {
                    for round in 0..<500 {
                        let task = Task {
                            try await turns.take("\(number)", timeout: nil)
                            room.visit()
                            turns.release()
                        }
                        if round % 7 == number % 7 { task.cancel() }
                        _ = await task.result
                    }
                }
            }
        }
        #expect(room.overlaps.load(ordering: .relaxed) == 0)
        #expect(room.visits.load(ordering: .relaxed) >= 16 * (500 - 72))
        #expect(turns.tryTake("last") && !turns.release())
    }

    @Test func theErrorNamesTheCurrentHolder() async throws {
        let turns = TurnQueue()
        #expect(turns.tryTake("a write", author: "first"))
        let second = Task { try await turns.take("a write", author: "second", timeout: nil) }
        while turns.waiterCount < 1 { await Task.yield() }
        let third = Task { try await turns.take("a write", timeout: nil) }
        while turns.waiterCount < 2 { await Task.yield() }
        #expect(turns.release())
        try await second.value
        await #expect {
            try await turns.take("a write", timeout: .milliseconds(20))
        } throws: { error in
            isBusy(error, "a write by 'second', for ")
        }
        #expect(turns.release())
        try await third.value
        #expect(!turns.release())
    }
}

/// Whether the error says that a write waited for a holder with this description.
private func isBusy(_ error: any Error, _ holder: String) -> Bool {
    guard case .turnTaken(let busy, _)? = error as? StorageError else { return false }
    return busy.hasPrefix(holder) && busy.hasSuffix(" s")
}

import Foundation
import Storage
import Synchronization
import Testing

@testable import RealmActors

/// What a store does by itself, beside those who use it.
@Suite struct UpkeepTests {
    final class Crumb: Object {
        @Persisted var number: Int
    }

    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    /// Upkeep of low priority got the turn to write and no thread to go on, because tasks of higher
    /// priority filled the pool: every writer waited for those.
    @Test func upkeepThatHasTheTurnNeedsNoThreadOfThePool() async throws {
        try await withFreshRealm([Crumb.self]) { realm in
            try await realm.write { tx in try tx.create(Crumb.self, value: ["number": 1]) }
            let turns = realm.store.writer.turns
            try await turns.take("the test", timeout: nil)
            let upkeep = Task(priority: .utility) { try await realm.compact() }
            while !turns.isAwaited { await Task.yield() }
            let (isOver, isIdle) = (Flag(), Flag())
            // They keep every thread of the pool, for as long as the turn is not passed on.
            let busy = (0..<ProcessInfo.processInfo.activeProcessorCount * 2).map { _ in
                Task.detached(priority: .high) {
                    let deadline = ContinuousClock.now + .seconds(10)
                    while !isOver.isSet, ContinuousClock.now < deadline { sched_yield() }
                }
            }
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    // For the tasks to begin.
                    Thread.sleep(forTimeInterval: 0.05)
                    turns.release()
                    let deadline = ContinuousClock.now + .seconds(8)
                    while ContinuousClock.now < deadline {
                        if turns.tryTake("the test") {
                            isIdle.set()
                            turns.release()
                            break
                        }
                        Thread.sleep(forTimeInterval: 0.001)
                    }
                    isOver.set()
                    continuation.resume()
                }
            }
            #expect(isIdle.isSet, "the turn was not passed on while the pool was busy")
            for task in busy { await task.value }
            try await upkeep.value
        }
    }
}

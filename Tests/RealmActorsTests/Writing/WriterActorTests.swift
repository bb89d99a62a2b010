import Foundation
import Storage
import Synchronization
import Testing

@testable import RealmActors

private enum Request {
    @TaskLocal static var name = "none"
}

private final class Order: Sendable {
    let numbers = Mutex<[Int]>([])
}

/// Where the body of a write runs, and what of its caller it has.
@Suite struct WriterActorTests {
    @Test func theBodyIsIsolatedToTheWriterAndToThePinner() async throws {
        try await withFreshRealm([Mark.self]) {
            $0.maximumNumberOfActiveVersions = 10
        } _: { realm in
            let store = realm.store
            let count = try await realm.write { tx in
                store.writer.preconditionIsolated()
                store.pinner.preconditionIsolated()
                _ = try tx.create(Mark.self)
                return tx.objects(Mark.self).count
            }
            #expect(count == 1)
        }
    }

    @Test func theBodyHasTheTaskLocalValuesAndThePriorityOfItsCaller() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            for number in 0..<20 {
                let priority: TaskPriority = number % 2 == 0 ? .high : .utility
                let task = Task(priority: priority) {
                    try await Request.$name.withValue("request \(number)") {
                        try await realm.write { tx in
                            _ = try tx.create(Mark.self, value: ["number": number])
                            return (Request.name, Task.currentPriority)
                        }
                    }
                }
                let (request, found) = try await task.value
                #expect(request == "request \(number)")
                // The task that waits for it may have raised it.
                #expect(found >= priority)
            }
            #expect(realm.objects(Mark.self).count == 20)
        }
    }

    private actor Service {
        private nonisolated let executor = ThreadExecutor()
        private(set) var written = 0
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }

        func write(_ number: Int, to realm: Realm) async throws {
            let count = try await realm.write { tx in
                _ = try tx.create(Mark.self, value: ["number": number])
                return tx.objects(Mark.self).count
            }
            preconditionIsolated()
            #expect(executor.isCurrent)
            #expect(count > 0)
            written += 1
        }
    }

    @Test func aCallerWithAnExecutorOfItsOwnGoesOnThere() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let services = (0..<4).map { _ in Service() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    let service = services[number % 4]
                    group.addTask { try await service.write(number, to: realm) }
                }
                try await group.waitForAll()
            }
            for service in services { #expect(await service.written == 50) }
            #expect(Set(realm.objects(Mark.self).values(of: \.number)) == Set(0..<200))
        }
    }

    /// Those who leave disturb nobody: the rest commit in the order in which they came.
    @Test func tenThousandWritersOfWhichManyAreCancelledCommitInOrder() async throws {
        try await withFreshRealm([Mark.self]) {
            $0.writeTimeout = nil
        } _: { realm in
            let turns = realm.store.writer.turns
            try await turns.take("a test", timeout: nil)
            let order = Order()
            var writers: [Task<Void, any Error>] = []
            for number in 0..<10_000 {
                writers.append(
                    Task {
                        try await realm.write { tx in
                            order.numbers.withLock { $0.append(number) }
                            if number % 100 == 1 {
                                _ = try tx.create(Mark.self, value: ["number": number])
                            }
                        }
                    })
                while turns.waiterCount <= number { await Task.yield() }
            }
            for number in stride(from: 0, to: 10_000, by: 10) {
                for cancelled in [0, 3, 7] { writers[number + cancelled].cancel() }
            }
            while turns.waiterCount > 7_000 { await Task.yield() }
            realm.store.releaseTurn()
            var cancelled: [Int] = []
            for (number, writer) in writers.enumerated() {
                do {
                    try await writer.value
                } catch is CancellationError {
                    cancelled.append(number)
                }
            }
            let leavers: Set = [0, 3, 7]
            #expect(cancelled == (0..<10_000).filter { leavers.contains($0 % 10) })
            #expect(
                order.numbers.withLock { $0 } == (0..<10_000).filter { !leavers.contains($0 % 10) })
            #expect(
                realm.objects(Mark.self).values(of: \.number)
                    == (0..<10_000).filter { $0 % 100 == 1 })
        }
    }

    /// A transaction that was kept beyond its body asked the engine for a version, which ended the
    /// process, or disturbed the body of another task.
    @Test func aTransactionHasNoVersionAfterItsBody() async throws {
        // Safe: one task uses it after the other.
        struct Kept: Error, @unchecked Sendable {
            let transaction: WriteTransaction
        }
        try await withFreshRealm([Mark.self]) { realm in
            do {
                try await realm.write { tx in throw Kept(transaction: tx) }
            } catch let kept as Kept {
                #expect(kept.transaction.version == Realm.Version(rawValue: 0))
            }
        }
    }
}

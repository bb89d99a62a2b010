import Storage
import Synchronization
import Testing

/// A wait that can be cancelled stays on the actor of its caller.
@Suite struct CancellationHandlerTests {
    private actor Service {
        private nonisolated let executor = ThreadExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }

        /// Whether the code ran on the thread of this actor: before and after a suspension of the
        /// operation, and after the call.
        func places() async -> [Bool] {
            var places: [Bool] = []
            await withCancellationHandler {
                places.append(executor.isCurrent)
                await Task.yield()
                places.append(executor.isCurrent)
            } onCancel: {
            }
            return places + [executor.isCurrent]
        }
    }

    @Test func theOperationRunsOnTheActorOfTheCaller() async {
        #expect(await Service().places() == [true, true, true])
    }

    @Test func aCancelledTaskCallsTheHandlerOnce() async {
        let cancellations = Mutex(0)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            await withCancellationHandler {
                for await _ in ends {}
            } onCancel: {
                cancellations.withLock { $0 += 1 }
                end.finish()
            }
        }
        task.cancel()
        await task.value
        #expect(cancellations.withLock { $0 } == 1)
    }

    @Test func theResultAndTheErrorAreThoseOfTheOperation() async throws {
        struct Refusal: Error {}
        #expect(await withCancellationHandler({ 7 }, onCancel: {}) == 7)
        await #expect(throws: Refusal.self) {
            try await withCancellationHandler({ throw Refusal() }, onCancel: {})
        }
    }
}

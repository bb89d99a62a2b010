import Storage
import Synchronization
import Testing

/// Threads of the platform.
@Suite struct PlatformThreadTests {
    private final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    /// Says when it is let go.
    private final class Witness: Sendable {
        let gone: Counter
        init(_ gone: Counter) { self.gone = gone }
        deinit { gone.add() }
    }

    @Test func bodiesRunOnceAndAreLetGo() async {
        let (runs, gone) = (Counter(), Counter())
        for _ in 0..<50 {
            let witness = Witness(gone)
            await withCheckedContinuation { continuation in
                Platform.runOnThread { [witness] in
                    withExtendedLifetime(witness) { runs.add() }
                    continuation.resume()
                }
            }
        }
        #expect(runs.value == 50)
        // A thread lets go of its body behind the resumption.
        while gone.value < 50 { await Task.yield() }
    }

    /// A thread that could not be made counted as started: commits waited for it for ever.
    @Test func jobsRunAlsoWhereNoThreadCanBeMadeAtFirst() async {
        let refusals = Counter()
        let thread = SerialThread(name: "refused") { body in
            if refusals.value == 3 { return Platform.runOnThread(body) }
            refusals.add()
            return false
        }
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in
                thread.run { continuation.resume() }
            }
        }
        await withCheckedContinuation { continuation in
            thread.stop { continuation.resume() }
        }
        #expect(refusals.value == 3)
    }
}

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

    /// Reports when it is released.
    private final class Witness: Sendable {
        let released: Counter
        init(_ released: Counter) { self.released = released }
        deinit { released.add() }
    }

    @Test func bodiesRunOnceAndAreReleased() async {
        let (runs, released) = (Counter(), Counter())
        for _ in 0..<50 {
            let witness = Witness(released)
            await withCheckedContinuation { continuation in
                Platform.runOnThread { [witness] in
                    withExtendedLifetime(witness) { runs.add() }
                    continuation.resume()
                }
            }
        }
        #expect(runs.value == 50)
        // A thread releases its body after the resumption.
        while released.value < 50 { await Task.yield() }
    }

    /// A thread that could not be created counted as started: commits waited for it forever.
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

    /// An idle thread ends, and the next job starts another one.
    @Test func aThreadEndsWhenItIsIdle() async {
        let starts = Counter()
        let ends = Counter()
        let thread = SerialThread(name: "seldom", idleTime: .milliseconds(1)) { body in
            starts.add()
            return Platform.runOnThread {
                body()
                ends.add()
            }
        }
        for round in 1...3 {
            await withCheckedContinuation { continuation in
                thread.run { continuation.resume() }
            }
            while ends.value < round { try? await Task.sleep(for: .milliseconds(1)) }
        }
        #expect(starts.value == 3)
        thread.stopAndWait()
        #expect(starts.value == 4)
    }
}

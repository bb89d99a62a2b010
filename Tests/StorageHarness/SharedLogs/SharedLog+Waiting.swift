import Dispatch
package import Storage
import Synchronization

extension SharedLog {
    /// Waits until there may be an entry in `slot`, a host has sent something, or `limit` has
    /// passed; returns what hosts have sent. By one thread at a time.
    package func wait(
        for slot: LogSlot, atMost limit: Duration
    ) throws(SharedLogError) -> [[UInt8]] {
        let outcome = WaitOutcome()
        watch(for: slot) { news in
            outcome.news.withLock { $0 = news }
            outcome.hasEnded.signal()
        }
        let milliseconds = Int(limit / .milliseconds(1))
        if outcome.hasEnded.wait(timeout: .now() + .milliseconds(milliseconds)) == .timedOut {
            wake()
            outcome.hasEnded.wait()
        }
        return try outcome.news.withLock { $0 }.get()
    }
}

private final class WaitOutcome: Sendable {
    let news = Mutex<Result<[[UInt8]], SharedLogError>>(.success([]))
    let hasEnded = DispatchSemaphore(value: 0)
}

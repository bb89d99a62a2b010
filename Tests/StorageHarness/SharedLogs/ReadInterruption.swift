import Storage
import Synchronization

/// What other hosts do between two calls of a host that reads entries, or an image.
final class ReadInterruption: Sendable {
    private enum Phase {
        /// It begins after this many more calls.
        case pending(calls: Int)
        case running
        case over
    }

    private struct State {
        var phase: Phase
        var failure: (any Error)?
    }

    private let body: @Sendable () throws -> Void
    private let state: Mutex<State>

    init(afterCalls count: Int, _ body: @escaping @Sendable () throws -> Void) {
        self.body = body
        state = Mutex(State(phase: .pending(calls: count)))
    }

    /// While it is pending, entries are read one by one, so that several calls are needed.
    var isPending: Bool {
        state.withLock { if case .pending = $0.phase { true } else { false } }
    }

    var isOver: Bool {
        state.withLock { if case .over = $0.phase { true } else { false } }
    }

    /// The host is about to read. The others act on its thread, so that every run of a seed is the
    /// same; what they read meanwhile does not count.
    func noteCall() {
        let isDue = state.withLock { state in
            guard case .pending(let calls) = state.phase else { return false }
            state.phase = calls > 0 ? .pending(calls: calls - 1) : .running
            return calls == 0
        }
        guard isDue else { return }
        var failure: (any Error)?
        do { try body() } catch { failure = error }
        state.withLock { [failure] state in
            state.phase = .over
            state.failure = failure
        }
    }

    /// Throws what the others have thrown.
    func check() throws {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}

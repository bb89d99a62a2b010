import Storage
import Synchronization

/// Whether a store is suspended: then nobody writes, because the suspension has the turn.
final class Suspension: Sendable {
    private enum State {
        case running
        /// Waits for the turn.
        case begins
        /// Waits for the turn, and was ended before it came.
        case isEnded
        case suspended
    }

    private let state = Mutex(State.running)

    var isSuspended: Bool {
        state.withLock { if case .suspended = $0 { true } else { false } }
    }

    /// Whether the caller is the one to take the turn.
    func begin() -> Bool {
        state.withLock { state in
            switch state {
            case .running:
                state = .begins
                return true
            case .isEnded:
                state = .begins
                return false
            case .begins, .suspended: return false
            }
        }
    }

    /// The turn has come, or could not be had. False when it is to be passed on.
    func hasTurn(_ isThere: Bool) -> Bool {
        state.withLock { state in
            if case .begins = state, isThere {
                state = .suspended
                return true
            }
            state = .running
            return false
        }
    }

    /// Ends the suspension; `passTurn` passes the turn on if it has it.
    func end(_ passTurn: () -> Void) {
        let hadTurn = state.withLock { state in
            switch state {
            case .running, .isEnded: return false
            case .begins:
                state = .isEnded
                return false
            case .suspended:
                state = .running
                return true
            }
        }
        if hadTurn { passTurn() }
    }
}

extension RealmStore {
    func suspend() async throws {
        guard suspension.begin() else { return }
        do {
            try await writer.turns.take("suspend()", timeout: nil)
            // Writes to a closed store are to be told so, and not to wait for its end.
            if isClosed {
                passTurn()
                throw RealmError.closed
            }
        } catch {
            _ = suspension.hasTurn(false)
            throw error
        }
        // Before it counts as suspended: whoever ends it then passes the turn on.
        await letGo()
        if !suspension.hasTurn(true) { passTurn() }
    }

    func resume() { suspension.end { passTurn() } }
}

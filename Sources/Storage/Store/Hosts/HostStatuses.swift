import Synchronization

/// The status of a host in relation to the others, with its watchers, which stay when the store is
/// reopened.
package final class HostStatuses: Sendable {
    package typealias Status = HostSharing.Status

    private struct Watch {
        let changed: @Sendable (Status) -> Void
        let ended: @Sendable () -> Void
        /// What the watcher was called with last.
        var last: Status
    }

    private struct State {
        var status = Status()
        var watches: [Int: Watch] = [:]
        var lastWatch = 0
        /// Counts the openings of the store.
        var opening = 0
        /// Whether a thread calls the watchers.
        var isNotifying = false
        var hasEnded = false

        /// The watchers that were not called with the status yet.
        mutating func takeDue() -> [@Sendable (Status) -> Void] {
            var due: [@Sendable (Status) -> Void] = []
            for (number, watch) in watches where watch.last != status {
                watches[number]?.last = status
                due.append(watch.changed)
            }
            return due
        }
    }

    private let state = Mutex(State())

    package var status: Status { state.withLock { $0.status } }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// The store was opened; returns the number of the opening.
    func beginOpening() -> Int {
        state.withLock { state in
            state.opening += 1
            return state.opening
        }
    }

    /// Changes the status with `change`, which runs under the lock, and calls the watchers. Ignored
    /// when the store was reopened since, or closed.
    func update(of opening: Int, _ change: (inout Status) -> Void) {
        let notifies = state.withLock { state in
            guard opening == state.opening, !state.hasEnded else { return false }
            change(&state.status)
            defer { state.isNotifying = true }
            return !state.isNotifying
        }
        // One thread at a time, so that the last call has the last status; outside the lock, since
        // a consumer may run in it.
        while notifies {
            let (status, due) = state.withLock { state in
                let due = state.takeDue()
                state.isNotifying = !due.isEmpty
                return (state.status, due)
            }
            if due.isEmpty { return }
            for changed in due { changed(status) }
        }
    }

    /// Calls `changed` with the status, now and after each change, and `ended` once the store is
    /// closed, until ``unwatch(_:)`` with the returned number. `changed` must not block, nor call
    /// this object.
    package func watch(
        _ changed: @escaping @Sendable (Status) -> Void,
        ended: @escaping @Sendable () -> Void = {}
    ) -> Int {
        let (number, hasEnded) = state.withLock { state in
            // Under the lock, so that a concurrent change is reported after this.
            changed(state.status)
            state.lastWatch += 1
            if !state.hasEnded {
                state.watches[state.lastWatch] = Watch(
                    changed: changed, ended: ended, last: state.status)
            }
            return (state.lastWatch, state.hasEnded)
        }
        if hasEnded { ended() }
        return number
    }

    package func unwatch(_ number: Int) { state.withLock { $0.watches[number] = nil } }

    /// The store was closed: ends all watches, also later ones.
    func end() {
        let watches = state.withLock { state in
            state.hasEnded = true
            defer { state.watches = [:] }
            return Array(state.watches.values)
        }
        for watch in watches { watch.ended() }
    }
}

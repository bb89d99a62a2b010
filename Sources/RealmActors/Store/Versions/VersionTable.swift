import Storage
import Synchronization

/// The versions of a store that are held, and by whom. Taking and releasing a snapshot change it
/// synchronously, so that a write sees every release that came before it.
final class VersionTable: Sendable {
    private struct Entry {
        let root: SnapshotRoot
        var holders = 0
        let since: ContinuousClock.Instant
        var labels: [String] = []

        mutating func addHolder(_ label: String?) {
            holders += 1
            if let label { labels.append(label) }
        }

        /// Removes one holder, and one occurrence of its label. False if no holder is left.
        mutating func removeHolder(_ label: String?) -> Bool {
            holders -= 1
            if let label { remove(label) }
            return holders > 0
        }

        private mutating func remove(_ label: String) {
            // Most holders have the same label: removing the last one moves none of them.
            if labels.last == label {
                labels.removeLast()
            } else if let index = labels.firstIndex(of: label) {
                labels.remove(at: index)
            }
        }
    }

    private struct State {
        var entries = SortedTable<VersionName, Entry>()
        var waiters: [UInt64: Waiter] = [:]
        /// The number of waits so far, each of which is the key of its waiter.
        var waitCount: UInt64 = 0

        func count(latest: VersionName) -> Int { entries.count + (entries[latest] == nil ? 1 : 0) }
    }

    private enum Waiter {
        /// Registered, and not suspended yet.
        case coming
        case waiting(UnsafeContinuation<Void, Never>)
        /// Ended before it was suspended.
        case isDone
    }

    private let limit: UInt?
    private let latest: @Sendable () -> VersionName?
    private let state = Mutex(State())

    /// `limit` is how many versions may be held when a write begins; `latest`, the newest, counts
    /// in any case. It is nil when the store is closed: then nothing waits.
    init(limit: UInt?, latest: @escaping @Sendable () -> VersionName?) {
        self.limit = limit
        self.latest = latest
    }

    /// Takes the newest version and counts its holder under one lock, so that no count sees a
    /// version without its holder.
    func take(_ label: String?, _ latest: () -> SnapshotRoot) -> SnapshotRoot {
        state.withLock { state in
            let root = latest()
            state.entries[root.name, default: Entry(root: root, since: .now)].addHolder(label)
            return root
        }
    }

    /// Removes one holder of a version.
    func release(_ version: VersionName, _ label: String?) {
        let (root, waiters) = state.withLock { state -> (SnapshotRoot?, [UInt64]) in
            guard let isHeld = state.entries.update(version, { $0.removeHolder(label) }), !isHeld
            else { return (nil, []) }
            let root = state.entries[version]?.root
            state.entries[version] = nil
            // The newest version counts whether it is held or not, so its release helps no waiter.
            let isWorthIt = !state.waiters.isEmpty && isWithinLimit(state)
            return (root, isWorthIt ? Array(state.waiters.keys) : [])
        }
        // Released outside of the lock: it may be the last reference to many nodes.
        withExtendedLifetime(root) {}
        for waiter in waiters { end(waiter) }
    }

    private func isWithinLimit(_ state: State) -> Bool {
        guard let limit, let latest = latest() else { return true }
        return state.count(latest: latest) <= limit
    }

    /// Ends all waits: the store was closed, or another version may be the newest.
    func endWaits() {
        let waiters = state.withLock { Array($0.waiters.keys) }
        for waiter in waiters { end(waiter) }
    }

    /// Waits until the limit allows a write, the task is cancelled, or `deadline` passes. Returns
    /// at once if one of these is already so.
    func waitForRelease(until deadline: ContinuousClock.Instant) async {
        let waiter = state.withLock { state in
            state.waitCount += 1
            state.waiters[state.waitCount] = .coming
            return state.waitCount
        }
        let timeout = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            end(waiter)
        }
        defer { timeout.cancel() }
        await withTaskCancellationHandler {
            // Unsafe: resumed once, by `end(_:)`, or here, where it was not put into the table.
            await withUnsafeContinuation { continuation in
                let isDone = state.withLock { state in
                    if case .coming? = state.waiters[waiter], !isWithinLimit(state) {
                        state.waiters[waiter] = .waiting(continuation)
                        return false
                    }
                    state.waiters[waiter] = nil
                    return true
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            end(waiter)
        }
    }

    /// Ends the wait of `waiter`, if it has not ended.
    private func end(_ waiter: UInt64) {
        let continuation = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            switch state.waiters[waiter] {
            case .coming: state.waiters[waiter] = .isDone
            case .waiting(let continuation):
                state.waiters[waiter] = nil
                return continuation
            case .isDone, nil: break
            }
            return nil
        }
        continuation?.resume()
    }

    /// The versions that are held, oldest first; `latest` is one of them, also when it is not held.
    func active(latest: VersionName) -> [ActiveVersion] {
        state.withLock { state in
            var versions = state.entries.entries.map { name, entry in
                ActiveVersion(
                    version: Realm.Version(name.version), age: entry.since.duration(to: .now),
                    holders: entry.holders, labels: entry.labels)
            }
            if state.entries[latest] == nil {
                versions.append(
                    ActiveVersion(
                        version: Realm.Version(latest.version), age: .zero, holders: 0, labels: []))
            }
            return versions.sorted { $0.version < $1.version }
        }
    }

    /// Bytes of memory that only the versions with this number need. There are several after a
    /// crash lost some and their number was reused. Zero when none is held.
    func exclusiveBytes(of version: Version) -> Int {
        // Measured outside of the lock, because it takes long.
        let roots = state.withLock { state in
            state.entries.entries.compactMap { $0.key.version == version ? $0.value.root : nil }
        }
        return roots.reduce(0) { $0 + $1.exclusiveBytes }
    }

    /// The number of waits for a release so far, for tests.
    var waitCount: UInt64 { state.withLock { $0.waitCount } }

    /// How many versions are held, `latest` counted in any case.
    func count(latest: VersionName) -> Int {
        state.withLock { $0.count(latest: latest) }
    }
}

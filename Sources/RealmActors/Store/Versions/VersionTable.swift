import Storage
import Synchronization

/// Who holds which version of a store. Changed synchronously by taking and dropping snapshots, so
/// that dropping one and then writing is deterministic.
final class VersionTable: Sendable {
    private struct Entry {
        let root: SnapshotRoot
        var holders = 0
        let since: ContinuousClock.Instant
        var labels: [String] = []
    }

    private struct State {
        var entries = SortedTable<VersionName, Entry>()
        var waiters: [UInt64: Waiter] = [:]
        var waiterCount: UInt64 = 0

        func count(latest: VersionName) -> Int { entries.count + (entries[latest] == nil ? 1 : 0) }
    }

    private enum Waiter {
        /// It is about to wait.
        case coming
        case waiting(UnsafeContinuation<Void, Never>)
        /// Its wait was over before it began.
        case isDone
    }

    private let state = Mutex(State())

    /// Takes the newest version and counts its holder; nothing is published in between for the
    /// count.
    func take(_ label: String?, _ latest: () -> SnapshotRoot) -> SnapshotRoot {
        state.withLock { state in
            let root = latest()
            let name = root.name
            var entry = state.entries[name] ?? Entry(root: root, since: .now)
            entry.holders += 1
            if let label { entry.labels.append(label) }
            state.entries[name] = entry
            return root
        }
    }

    /// Counts one holder less.
    func release(_ version: VersionName, _ label: String?) {
        let (root, waiters) = state.withLock { state -> (SnapshotRoot?, [UInt64]) in
            guard var entry = state.entries[version] else { return (nil, []) }
            entry.holders -= 1
            if let label, let index = entry.labels.firstIndex(of: label) {
                entry.labels.remove(at: index)
            }
            state.entries[version] = entry.holders == 0 ? nil : entry
            if entry.holders > 0 { return (nil, []) }
            return (entry.root, state.waiters.isEmpty ? [] : Array(state.waiters.keys))
        }
        // Given up without the lock: it may be the last reference to many nodes.
        withExtendedLifetime(root) {}
        for waiter in waiters { end(waiter) }
    }

    /// Waits until a version is released, the task is cancelled, or `deadline` comes. Returns at
    /// once when at most `limit` versions are held.
    func waitForRelease(
        limit: UInt, latest: @Sendable () -> VersionName, until deadline: ContinuousClock.Instant
    ) async {
        let waiter = state.withLock { state in
            state.waiterCount += 1
            state.waiters[state.waiterCount] = .coming
            return state.waiterCount
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
                    if case .coming? = state.waiters[waiter], state.count(latest: latest()) > limit
                    {
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

    /// The versions that are held, oldest first; `latest` counts also when nobody holds it.
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

    /// Bytes of memory that only the versions with this number keep, of which there are several
    /// where a crash has taken some back; zero when nobody holds one.
    func exclusiveBytes(of version: Version) -> Int {
        // Measured without the lock, for which others wait.
        let roots = state.withLock { state in
            state.entries.entries.compactMap { $0.key.version == version ? $0.value.root : nil }
        }
        return roots.reduce(0) { $0 + $1.exclusiveBytes }
    }

    /// How many versions are held, `latest` counted in any case.
    func count(latest: VersionName) -> Int {
        state.withLock { $0.count(latest: latest) }
    }
}

/// A version that someone holds, or the newest.
public struct ActiveVersion: Sendable, Hashable, CustomStringConvertible {
    /// Which version.
    public let version: Realm.Version
    /// How long it has been held.
    public let age: Duration
    /// How many snapshots hold it.
    public let holders: Int
    /// What the holders call themselves: see ``Realm/snapshot(label:)``.
    public let labels: [String]

    /// The version, its holders and its age.
    public var description: String {
        let names = labels.isEmpty ? "" : " (\(labels.joined(separator: ", ")))"
        return "version \(version), held \(holders) times\(names) for \(age)"
    }
}

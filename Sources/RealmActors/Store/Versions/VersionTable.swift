import Storage
import Synchronization

/// The versions of a store that are held, and by whom. Taking and releasing a snapshot change it
/// synchronously, so that a write sees every release that came before it.
final class VersionTable: Sendable {
    private struct Entry {
        let root: SnapshotRoot
        var holders = 0
        let since: Instant
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

        func count(latest: VersionName) -> Int { entries.count + (entries[latest] == nil ? 1 : 0) }
    }

    private let state = Mutex(State())

    /// Takes the newest version and counts its holder under one lock, so that no count sees a
    /// version without its holder.
    func take(_ label: String?, _ latest: () -> SnapshotRoot) -> SnapshotRoot {
        state.withLock { state in
            let root = latest()
            state.entries[root.name, default: Entry(root: root, since: .now)].addHolder(label)
            return root
        }
    }

    /// Removes one holder of a version. True if it was the last one.
    func release(_ version: VersionName, _ label: String?) -> Bool {
        let root = state.withLock { state -> SnapshotRoot? in
            guard let isHeld = state.entries.update(version, { $0.removeHolder(label) }), !isHeld
            else { return nil }
            let root = state.entries[version]?.root
            state.entries[version] = nil
            return root
        }
        // Released outside of the lock: it may be the last reference to many nodes.
        return withExtendedLifetime(root) { root != nil }
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

    /// How many versions are held, `latest` counted in any case.
    func count(latest: VersionName) -> Int {
        state.withLock { $0.count(latest: latest) }
    }
}

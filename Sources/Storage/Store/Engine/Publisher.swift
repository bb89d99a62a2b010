import Synchronization

/// Holds the newest published version, and notifies of new ones.
final class Publisher: Sendable {
    /// A version that readers may see.
    struct Published: Sendable {
        let root: SnapshotRoot
        /// The end of its commit in the log.
        let end: LogEnd?
    }

    private let published: Mutex<Published>
    private let notify: @Sendable ([CommitChanges], () -> Void) -> Void

    /// `notify` must call its closure, which makes the commits visible.
    init(
        _ root: SnapshotRoot, end: LogEnd?,
        notify: @escaping @Sendable ([CommitChanges], () -> Void) -> Void
    ) {
        published = Mutex(Published(root: root, end: end))
        self.notify = notify
    }

    /// The newest version.
    var latest: Published { published.withLock { $0 } }

    /// Which one the newest version is. Does not retain it, so that no caller releases it last.
    var latestName: VersionName { published.withLock { $0.root.name } }

    /// Publishes `root` and notifies of its `changes`; without any, it is the same version in other
    /// nodes.
    ///
    /// Returns the previous version, to be released outside all locks: the last release frees its
    /// nodes.
    func publish(
        _ root: SnapshotRoot, _ changes: [CommitChanges], end: LogEnd?
    ) -> SnapshotRoot? {
        var previous: SnapshotRoot?
        let makeLatest = {
            previous = self.published.withLock { latest in
                defer { latest = Published(root: root, end: end) }
                return latest.root
            }
        }
        if changes.isEmpty { makeLatest() } else { notify(changes, makeLatest) }
        return previous
    }

    /// Publishes `root`, which is the same version in other nodes. Returns the previous one, to be
    /// released outside all locks.
    func replaceNodes(by root: SnapshotRoot) -> SnapshotRoot {
        published.withLock { latest in
            defer { latest = Published(root: root, end: latest.end) }
            return latest.root
        }
    }
}

import Synchronization

/// The version that readers see, and who is notified of another one.
final class Publisher: Sendable {
    /// A version that readers may see.
    struct Published: Sendable {
        let root: SnapshotRoot
        /// Where its commit ends in the log.
        let end: LogEnd?
    }

    private let published: Mutex<Published>
    private let notify: @Sendable ([CommitChanges], () -> Void) -> Void

    /// `notify` must call the closure that it is given, which makes the commits visible.
    init(
        _ root: SnapshotRoot, end: LogEnd?,
        notify: @escaping @Sendable ([CommitChanges], () -> Void) -> Void
    ) {
        published = Mutex(Published(root: root, end: end))
        self.notify = notify
    }

    /// The newest version.
    var latest: Published { published.withLock { $0 } }

    /// Makes `root` the newest version and notifies of what led to it; without any changes, it is
    /// the version before in other nodes.
    ///
    /// Returns that one, to be given up outside all locks: the last to do so frees its nodes.
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

    /// Makes `root` the newest version, which is the same in other nodes. Returns the one before,
    /// to be given up outside all locks.
    func replaceNodes(by root: SnapshotRoot) -> SnapshotRoot {
        published.withLock { latest in
            defer { latest = Published(root: root, end: latest.end) }
            return latest.root
        }
    }
}

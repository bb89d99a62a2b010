package import Storage

/// Keeps one version, and counts as one of its holders.
package final class SnapshotHandle: Sendable {
    package let root: SnapshotRoot
    let home: any ContextStore
    private let label: String?
    /// How often a node of the store could not be read before the version was held.
    private let formerFailures: Int
    /// Why a node could not be read before the version was captured, which may lack what is in it.
    let captureFailure: RealmError?

    init(_ home: any ContextStore, label: String?) {
        self.home = home
        self.label = label
        root = home.holdLatest(label)
        formerFailures = root.account.failureCount
        captureFailure = nil
    }

    /// Holds a version that is not published.
    init(_ home: any ContextStore, root: SnapshotRoot, label: String? = nil) {
        self.home = home
        self.label = label
        self.root = root
        formerFailures = root.account.failureCount
        captureFailure = root.account.failure.map { RealmError($0) }
        home.hold(root, label)
    }

    deinit { home.release(root.name, label) }

    /// Why a node of the store could not be read since the version is held, or until the store is
    /// reopened. What was found in the version may lack what is in it, and reopening the store does
    /// not put that in.
    var readFailure: RealmError? {
        captureFailure ?? root.account.failure(since: formerFailures).map { RealmError($0) }
    }
}

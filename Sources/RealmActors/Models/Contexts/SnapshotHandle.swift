package import Storage

/// Holds one version, as one of its holders.
package final class SnapshotHandle: Sendable {
    package let root: SnapshotRoot
    let home: any ContextStore
    private let label: String?
    /// The number of read failures of the store before the version was held.
    private let formerFailures: Int
    /// The read error from before the version was captured, which may lack the contents of that
    /// node.
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

    /// The read error since the version is held. Results of the version may lack the contents of
    /// that node, and stay incomplete after the store is reopened.
    var readFailure: RealmError? {
        captureFailure ?? root.account.failure(since: formerFailures).map { RealmError($0) }
    }
}

package import Storage

/// Keeps one version, and counts as one of its holders.
package final class SnapshotHandle: Sendable {
    package let root: SnapshotRoot
    let home: any ContextStore
    private let label: String?

    init(_ home: any ContextStore, label: String?) {
        self.home = home
        self.label = label
        root = home.holdLatest(label)
    }

    /// Holds a version that is not published.
    init(_ home: any ContextStore, root: SnapshotRoot, label: String? = nil) {
        self.home = home
        self.label = label
        self.root = root
        home.hold(root, label)
    }

    deinit { home.release(root.name, label) }
}

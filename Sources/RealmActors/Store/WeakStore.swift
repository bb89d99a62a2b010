import Storage
import Synchronization

/// A weak reference to a store.
struct WeakStore: Sendable {
    private(set) weak var store: RealmStore?

    init(_ store: RealmStore) { self.store = store }
}

/// Takes snapshots of the newest version for the hub, which the store owns. Nil once the last
/// handle of the store was released: a change stream does not keep it open.
final class LatestSnapshot: Sendable {
    let store = Mutex<WeakStore?>(nil)

    func take() -> Snapshot? { open?.snapshot(label: nil) }

    /// A snapshot of a version that is about to become visible.
    func take(_ root: SnapshotRoot) -> Snapshot? {
        open.map {
            Snapshot(SnapshotHandle($0, root: root, label: "the buffer of a change stream"))
        }
    }

    private var open: RealmStore? { store.withLock { $0?.store } }
}

import Synchronization

/// The place of an open store: other programs may move its folder, or replace it by another one.
///
/// Open files stay those of the store. At its path there is then something else, in which nothing
/// may be created, replaced or removed.
extension Log {
    /// Whether the folder at the store's path is still the one whose lock this process has.
    var isInPlace: Bool { state.withLock { $0.isInPlace } }

    /// Throws if it is not.
    func requirePlace() throws(StorageError) {
        if !isInPlace { throw .replaced(path: store.path) }
    }
}

extension Log.State {
    /// As ``Log/isInPlace``.
    var isInPlace: Bool { lock?.isInPlace ?? true }
}

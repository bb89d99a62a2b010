import Foundation
import Storage

/// A store whose journal was replayed and whose models are known, of which a ``RealmStore`` is
/// made.
struct OpenedStore: Sendable {
    let storeID: UUID
    let replayed: ReplayedStore
    let models: [DiscoveredModel]
    /// Nil for the store's own.
    var history: HistoryIdentity?

    /// The same store without models: what a migration reads the old objects from. It keeps the
    /// writer lease.
    var bare: OpenedStore {
        OpenedStore(
            storeID: storeID, replayed: replayed.exclusive, models: [], history: history)
    }
}

import Foundation
import Storage

/// A store whose log was replayed and whose models are known: the input of a ``RealmStore``.
struct OpenedStore: Sendable {
    let storeID: UUID
    let replayed: ReplayedStore
    let models: [DiscoveredModel]
    /// Nil for the store's own.
    var history: HistoryIdentity?

    /// The same store without models, from which a migration reads the old objects. It keeps the
    /// writer lease.
    var bare: OpenedStore {
        OpenedStore(
            storeID: storeID, replayed: replayed.exclusive, models: [], history: history)
    }
}

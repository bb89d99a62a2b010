import Foundation
import RealmActors

/// The processes that have the store open, and the versions that this one holds.
struct BrowseHolders: Encodable {
    struct Held: Encodable {
        let version: UInt64
        /// For how long.
        let seconds: Double
        let holders: Int
    }

    /// Nil where the system does not list them.
    let processes: [StoreProcess]?
    /// The number of this process.
    let own: Int
    let versions: [Held]

    init(_ server: BrowseServer) {
        processes = StoreProcess.all(of: server.store)
        own = Int(ProcessInfo.processInfo.processIdentifier)
        versions = server.realm.activeVersions.filter { $0.holders > 0 }.map { held in
            Held(
                version: held.version.rawValue, seconds: held.age / .seconds(1),
                holders: held.holders)
        }
    }
}

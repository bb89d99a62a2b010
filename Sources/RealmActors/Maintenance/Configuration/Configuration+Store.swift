import Storage
import Synchronization

extension Realm.Configuration: StoreConfiguration {
    var releaseTimeout: Duration {
        switch activeVersionPolicy {
        case .fail: .zero
        case .wait(let duration): duration
        }
    }

    var syncInterval: Duration? {
        switch durability {
        case .fsync: nil
        case .relaxed(let interval): interval
        }
    }
}

extension Realm {
    /// The configuration that the store was opened with, with the key that opens it now.
    public var configuration: Configuration { store.currentConfiguration }
}

extension RealmStore {
    /// The configuration with which the store would be reopened.
    var currentConfiguration: Realm.Configuration {
        guard var current = configuration as? Realm.Configuration else {
            preconditionFailure("Every store is opened with the configuration of a realm.")
        }
        current.encryptionKey = encryptionKey.withLock { $0 }
        return current
    }

    /// Whether a node that cannot be read ends the process.
    var trapsOnReadFailure: Bool { currentConfiguration.readFailure == .trap }
}

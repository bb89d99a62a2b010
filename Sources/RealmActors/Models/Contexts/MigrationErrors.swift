import Storage
import Synchronization

/// The error of a wrong use of the old objects of a migration, such as a name that they lack, where
/// it could not be thrown: the migration throws it.
final class MigrationErrors: Sendable {
    private let first = Mutex<RealmError?>(nil)

    /// Records an error, unless there was one before.
    func record(_ error: RealmError) {
        first.withLock { $0 = $0 ?? error }
    }

    /// Throws the error that was recorded.
    func throwFirst() throws(RealmError) {
        if let error = first.withLock({ $0 }) { throw error }
    }
}

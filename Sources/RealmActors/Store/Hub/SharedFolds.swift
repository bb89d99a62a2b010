import Storage
import Synchronization

/// The marks that were merged while a commit is published, for other streams that have noted the
/// same commits.
///
/// Streams that were last consumed at the same time have equal marks: each would merge them by
/// itself, while the hub's lock is held, and keep a set of its own.
final class SharedFolds: Sendable {
    /// Identifies the inputs of a fold.
    struct Inputs: Hashable {
        /// The set that the commits are added to.
        let folded: UInt64
        let commits: [UInt64]
        let watched: Set<ClassID>
    }

    /// A set that marks were folded into, and its number.
    struct Fold: Sendable {
        let marks: MergedMarks
        let number: UInt64
    }

    private let folds = Mutex<[Inputs: Fold]>([:])

    init() {}

    /// How many there are, for tests.
    var count: Int { folds.withLock { $0.count } }

    subscript(_ inputs: Inputs) -> Fold? {
        folds.withLock { $0[inputs] }
    }

    func note(_ fold: Fold, of inputs: Inputs) {
        folds.withLock { $0[inputs] = fold }
    }

    /// Releases all folds, so that each stream has the only reference to its set and can add to it
    /// in place.
    func forget() {
        let forgotten = folds.withLock { folds in
            let forgotten = folds
            if !folds.isEmpty { folds = [:] }
            return forgotten
        }
        // Released outside of the lock.
        withExtendedLifetime(forgotten) {}
    }
}

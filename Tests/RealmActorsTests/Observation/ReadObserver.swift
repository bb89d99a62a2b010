import Observation
import Storage
import Synchronization

@testable import RealmActors

/// Counts the notifications for properties that a closure read.
@MainActor final class ReadObserver {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }

    init(_ read: () -> Void) {
        withObservationTracking(read) { [weak self] in
            self?.number.withLock { $0 += 1 }
        }
    }
}

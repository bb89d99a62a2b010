import Synchronization

/// Makes a writer that never waits give way to readers now and then.
///
/// A commit that waits for no disk goes on where it was called, so that a task that writes one
/// transaction after the other would keep its thread of the cooperative pool to itself, and all
/// readers would share the threads that are left.
final class WriterPace: Sendable {
    /// How many commits a writer makes before it gives way: few enough that readers hardly wait,
    /// and enough that the way through the pool's queue costs little beside them.
    static let stride = 4

    private let hasReaders = Atomic<Bool>(false)
    private let commits = Atomic<Int>(0)

    init() {}

    /// Notes that someone reads the store.
    func noteReader() {
        // Only written when it changes: readers on other cores look at it all the time.
        if !hasReaders.load(ordering: .relaxed) { hasReaders.store(true, ordering: .relaxed) }
    }

    /// Notes a commit. True when it is time to give way, because someone has read since the last
    /// time.
    func noteCommit() -> Bool {
        let count = commits.wrappingAdd(1, ordering: .relaxed).newValue
        guard count >= Self.stride, hasReaders.load(ordering: .relaxed) else { return false }
        commits.store(0, ordering: .relaxed)
        hasReaders.store(false, ordering: .relaxed)
        return true
    }
}

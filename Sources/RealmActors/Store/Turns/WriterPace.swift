import Synchronization

/// Makes a writer that never suspends yield to readers after every few commits.
///
/// A commit that does not wait for the disk continues on its caller's thread. A task that writes
/// one transaction after another would occupy a thread of the cooperative pool, and readers would
/// share the others.
final class WriterPace: Sendable {
    /// Commits between two yields: few enough that readers hardly wait, and enough that
    /// rescheduling the task costs little in comparison.
    static let stride = 4

    private let hasReaders = Atomic<Bool>(false)
    private let commits = Atomic<Int>(0)

    init() {}

    /// Notes a read of the store.
    func noteReader() {
        // Stored only when it changes: readers on every core load it, and a store would invalidate
        // their cache line.
        if !hasReaders.load(ordering: .relaxed) { hasReaders.store(true, ordering: .relaxed) }
    }

    /// Notes a commit. True when the writer is to yield, because the store has been read since it
    /// last did.
    func noteCommit() -> Bool {
        let count = commits.wrappingAdd(1, ordering: .relaxed).newValue
        guard count >= Self.stride, hasReaders.load(ordering: .relaxed) else { return false }
        commits.store(0, ordering: .relaxed)
        hasReaders.store(false, ordering: .relaxed)
        return true
    }
}

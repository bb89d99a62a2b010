/// The write-ahead log of a store: its commits in their order, durably.
///
/// ``Log`` keeps them in segment files, ``VolatileJournal`` keeps nothing, and ``SharedJournal``
/// appends to a log on other machines and keeps a copy of it in local segments.
///
/// Calls block on the disk, so they must not run on the cooperative pool unless the journal is
/// known not to wait (durability `.written`, or volatile).
package protocol Journal: AnyObject, Sendable {
    /// Appends the group; when it returns, the group is as durable as the journal was opened for.
    /// The buffer's bytes are consumed: reset it before it is filled again.
    ///
    /// After `.outOfSpace`, and errors with ``StorageError/lacksDescriptors``, nothing of the group
    /// was written, and the journal remains usable. Any other error latches, and later calls throw
    /// `.durabilityLost`. The outcome of a group whose write has begun is then unknown until the
    /// store is opened again; nothing of any other group was written.
    func append(_ group: CommitGroupBuffer) throws(StorageError)

    /// Appends a group that may use the space reserved for deletions. The caller has checked that
    /// it suffices. While the space is used, `exclusively` excludes checkpoints, which could take
    /// it; but not while another machine is waited for.
    ///
    /// The local segments get `copy`: the group itself, or its commits without old values.
    func appendUsingReserve(
        _ group: CommitGroupBuffer, copiedAs copy: CommitGroupBuffer,
        _ exclusively: SpaceExclusion
    ) throws(StorageError)

    /// Whether other hosts read what is appended. Appending may then take as long as the network.
    var isOnSharedLog: Bool { get }

    /// The end of the appended commits; nil in a journal that keeps nothing.
    var end: LogEnd? { get }

    /// The identifier of this writer: distinguishes the commits it appends from commits of the same
    /// version that an earlier writer of the journal has made, or lost in a crash.
    var life: UInt64 { get }

    /// The ``life`` of the last commit in the journal.
    var lastLife: UInt64 { get }

    /// The latched error after which it accepts no more commits; nil while it does.
    var failure: StorageError? { get }

    /// Latches a failure elsewhere in the store: no more commits are accepted.
    func fail(_ error: StorageError)

    /// Whether this process may commit. Whether it may write the store's files is ``Log/isWriting``
    /// of ``segments``.
    var isWriting: Bool { get }

    /// The local segment files, which checkpoints, space accounting, history and verification use;
    /// nil for a journal without files.
    var segments: Log? { get }

    /// Makes everything appended so far durable, in every durability mode.
    func sync() throws(StorageError)

    /// Seals the end of the journal, which distinguishes later damage from a torn write, syncs, and
    /// releases the lock. Further calls throw `.closed`.
    func close() throws(StorageError)
}

extension Journal {
    /// For a journal that reserves no space.
    package func appendUsingReserve(
        _ group: CommitGroupBuffer, copiedAs copy: CommitGroupBuffer,
        _ exclusively: SpaceExclusion
    ) throws(StorageError) {
        try append(group)
    }

    package var isOnSharedLog: Bool { false }
}

/// Runs an operation, once, that uses the space reserved for deletions.
package typealias SpaceExclusion = (() throws(StorageError) -> Void) throws(StorageError) -> Void

/// When an appended group counts as stored.
package enum LogDurability: Sendable, Hashable {
    /// When it is synced to the medium.
    case fsync
    /// When the operating system has it: it survives a crash of the process, and after a crash of
    /// the machine a prefix of the commits is left. `sync()` makes it durable.
    case written
}

/// How to open a log.
package struct LogOptions: Sendable {
    /// Whether to open without writing anything and without taking the lock.
    package var readOnly = false
    /// Whether a missing store is created.
    package var makesStore = true
    /// When an appended group counts as stored.
    package var durability = LogDurability.fsync
    /// Size of the first segment that this writer creates: small, for stores of a few objects.
    package var segmentSizeMin = 16 << 10
    /// Size that segments grow to with traffic: about the log between two checkpoints, so that few
    /// segments are kept.
    package var segmentSizeGrown = 4 << 20
    /// Size of the largest segments, for large transactions; at most 16 MiB.
    package var segmentSizeMax = 16 << 20
    /// A commit whose record would be larger is written as nodes of its tree, to the page files.
    package var pageCommitBytes = 8 << 20
    /// Whether large commits go to the page files instead of the log.
    package var makesPageCommits = true
    /// How many bytes of nodes a transaction creates before it spills the full ones.
    package var spillBytes = 16 << 20
    package var pages = PageOptions()
    /// Whether background threads prepare the next segment and write page commits and their
    /// checkpoints. Otherwise `append` does so, or it is not done: runs on a simulated disk are
    /// then deterministic.
    package var preparesInBackground = true
    /// Whether other processes may have the store open at the same time: a process without the lock
    /// follows the one that holds it. Needs a ``SharedFileSystem``.
    package var isShared = false
    /// Whether opening such a store waits for the lock, and for how long at most.
    package var waitsForLock = false
    package var lockTimeout: Duration?
    /// Ends that wait when it is cancelled, and those of an opening for the engine of a shared log.
    package var monitor: ReadingMonitor?
    /// The key of an encrypted store; nil for a plain one.
    package var encryptionKey: UserKey?
    /// When a store is reopened, the database that must be found again; nil for any.
    package var known: KnownDatabase?
    /// How much of the log is kept although opening the store no longer needs it.
    package var history = HistoryPolicy.untilCheckpoint

    package init() {}

    /// Sets the options of the local copy of a shared log: it need not be durable, and each record
    /// holds its whole commit, since the shared log gets the same record.
    package mutating func isCopyOfSharedLog() {
        isShared = false
        durability = .written
        makesPageCommits = false
    }
}

/// A database that was open, and the cipher of its files, so that it can be reopened after its key
/// was changed.
package struct KnownDatabase: Sendable {
    let database: Bits128
    let cipher: StoreCipher?
}

/// A commit, as replay and followers read it.
package struct CommitView {
    /// The version that the commit makes.
    package let version: Version
    /// The encoded commit record, 8-byte aligned. Valid only during the call it is passed to.
    package let payload: UnsafeRawBufferPointer
    /// The offset of the payload within its group.
    let offset: Int
}

/// The outcome of opening a log.
package struct RecoveryReport: Sendable, Hashable {
    /// Commits that were replayed.
    package var commitCount = 0
    /// Version of the last one, zero in an empty log.
    package var lastVersion = Version.zero
    /// Bytes of torn commits, which were never acknowledged and were truncated.
    package var tornBytes = 0
    /// Bytes of unfinished transactions, which were skipped.
    package var abandonedBytes = 0
    /// Commits that were complete but not proven durable, and were rewritten in place.
    package var rewrittenCommitCount = 0
    /// Whether this opening has created the store.
    package var isNew = false
    /// Whether the last writer closed the store.
    package var wasSealed = false

    package init() {}
}

/// A journal that keeps nothing, for stores in memory.
package final class VolatileJournal: Journal {
    package init() {}
    package var end: LogEnd? { nil }
    package var life: UInt64 { 0 }
    package var lastLife: UInt64 { 0 }
    package var failure: StorageError? { nil }
    package var isWriting: Bool { true }
    package var segments: Log? { nil }
    package func append(_ group: CommitGroupBuffer) throws(StorageError) {}
    package func fail(_ error: StorageError) {}
    package func sync() throws(StorageError) {}
    package func close() throws(StorageError) {}
}

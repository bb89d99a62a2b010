/// What a store appends its commits to: the order that they are made in, durably.
///
/// ``Log`` keeps them in segment files, ``VolatileJournal`` keeps nothing. One on other machines is
/// a third, which keeps a copy of what it says in segments here.
///
/// Calls block until the disk has answered, so none of them belongs on the cooperative pool unless
/// the journal is known not to wait (durability `.written`, or volatile).
package protocol Journal: AnyObject, Sendable {
    /// Appends the group; when it returns, the group is as durable as the journal was opened for.
    /// The buffer's bytes are used up: reset it before it is filled again.
    ///
    /// `.outOfSpace`, and what ``StorageError/lacksDescriptors`` says of: nothing of it is there,
    /// and the journal goes on. Any other error latches, and later calls throw `.durabilityLost`.
    /// The outcome of a group that has begun is then unknown until the store is opened again;
    /// nothing of any other is there.
    func append(_ group: CommitGroupBuffer) throws(StorageError)

    /// Appends a group that may take the space which is kept for deletions. The caller has checked
    /// that this is enough.
    func appendSparingly(_ group: CommitGroupBuffer) throws(StorageError)

    /// Whether other hosts read what is appended. Appending may then take long.
    var isOnSharedLog: Bool { get }

    /// The end of what was appended, nil in a journal that keeps nothing.
    var end: LogEnd? { get }

    /// What tells the commits that are appended from here on from those that an earlier writer of
    /// the same journal has made, or lost.
    var life: UInt64 { get }

    /// As ``life``, of the last commit that is there.
    var lastLife: UInt64 { get }

    /// Why it takes no more commits, nil while it does.
    var failure: StorageError? { get }

    /// Takes no more commits because of a failure elsewhere in the store.
    func fail(_ error: StorageError)

    /// Whether this process may commit. Whether it may write the store's files is for
    /// ``segments`` to say.
    var isWriting: Bool { get }

    /// The files that it keeps here, which checkpoints, space, history and verification are about;
    /// nil for a journal without.
    var segments: Log? { get }

    /// Makes everything appended so far durable, whatever the journal was opened for.
    func sync() throws(StorageError)

    /// Marks the end of the journal, so that later damage to it differs from an unfinished write,
    /// syncs and gives up the lock. Further calls throw `.closed`.
    func close() throws(StorageError)
}

extension Journal {
    /// For a journal that keeps no space.
    package func appendSparingly(_ group: CommitGroupBuffer) throws(StorageError) {
        try append(group)
    }

    package var isOnSharedLog: Bool { false }
}

/// When an appended group counts as stored.
package enum LogDurability: Sendable, Hashable {
    /// When it is synced to the medium.
    case fsync
    /// When the operating system has it: it survives the death of the process, and after a crash of
    /// the machine a prefix of the commits is there. `sync()` makes it durable.
    case written
}

/// How to open a log.
package struct LogOptions: Sendable {
    /// Whether to open without writing anything and without taking the lock.
    package var readOnly = false
    /// Whether a store that is not there is made.
    package var makesStore = true
    /// When an appended group counts as stored.
    package var durability = LogDurability.fsync
    /// Size of the first segment that this writer makes: as little as a store of a few objects
    /// needs.
    package var segmentSizeMin = 16 << 10
    /// Size that segments grow to with traffic: as much as lies between two checkpoints, so that
    /// few of them are kept.
    package var segmentSizeGrown = 4 << 20
    /// Size of the largest segments, for large transactions; at most 16 MiB.
    package var segmentSizeMax = 16 << 20
    /// A commit whose record would be larger is written as nodes of its tree, to the page files.
    package var pageCommitBytes = 8 << 20
    /// Whether large commits go to the page files instead of the log.
    package var makesPageCommits = true
    /// How many bytes of nodes a transaction makes before it writes those that it has filled.
    package var spillBytes = 16 << 20
    package var pages = PageOptions()
    /// Whether threads prepare the next segment, write the page files of a commit for which nothing
    /// else waits for the disk, and the checkpoint behind it; otherwise `append` does, or nobody,
    /// which makes every run on a simulated disk the same.
    package var preparesInBackground = true
    /// Whether other processes may have the store open at the same time: who does not get the lock
    /// follows the one that has it. Needs a ``SharedFileSystem``.
    package var isShared = false
    /// Whether opening such a store waits for the lock, and how long at the most.
    package var waitsForLock = false
    package var lockTimeout: Duration?
    /// What an encrypted store is opened or made with; nil for a plain one.
    package var encryptionKey: UserKey?
    /// The only database that is opened, because it was open before; nil for whatever is there.
    package var known: KnownDatabase?
    /// How much of the log is kept although opening the store no longer needs it.
    package var history = HistoryPolicy.untilCheckpoint

    package init() {}

    /// Makes them those of a log that is a copy of a shared one: it need not be durable, and every
    /// commit is complete in its record, which the shared log gets as well.
    package mutating func isCopyOfSharedLog() {
        isShared = false
        durability = .written
        makesPageCommits = false
    }
}

/// A database that was open, and what its files are sealed with: who had it open goes on with it
/// whatever key it is opened with by now.
package struct KnownDatabase: Sendable {
    let database: Bits128
    let cipher: StoreCipher?
}

/// A commit that is replayed.
package struct CommitView {
    /// The version that the commit makes.
    package let version: Version
    /// What the commit's writer encoded. Valid only during the call it is passed to, 8-byte
    /// aligned.
    package let payload: UnsafeRawBufferPointer
    /// Where the payload begins among the commits of its group.
    let offset: Int
}

/// What opening a log found.
package struct RecoveryReport: Sendable, Hashable {
    /// Commits that were replayed.
    package var commitCount = 0
    /// Version of the last one, zero in an empty log.
    package var lastVersion = Version.zero
    /// Bytes of commits that were never acknowledged and not completely there: they were cut off.
    package var tornBytes = 0
    /// Bytes of transactions that were begun and not finished: they were skipped.
    package var abandonedBytes = 0
    /// Commits that were complete but not proven durable; they were written again in place.
    package var rewrittenCommitCount = 0
    /// Whether the store was made by this opening.
    package var isNew = false
    /// Whether the last writer closed the store.
    package var wasSealed = false

    package init() {}
}

/// A journal that keeps nothing: for stores in memory.
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

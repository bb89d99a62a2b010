import Storage

extension Realm {
    /// Copies the files of the realm into a folder; if it contains an earlier backup, copies only
    /// what is new.
    ///
    /// Reads and writes continue meanwhile, also those of other processes. The backup has every
    /// commit that was durable before the call, with the history of commits, and can be opened like
    /// any realm:
    ///
    ///     let report = try await realm.backUp(to: backups + "/kennel.realm")
    ///     print(report.bytesCopied)       // next time, only what has been written since
    ///
    /// The new state replaces the previous one atomically when it is complete; a call that fails,
    /// is cancelled or is interrupted by a crash changes nothing. After a crash between the two
    /// renames of the replacement, the previous state has the folder's name with `.previous`
    /// appended, and the next call restores it. Foreign files in the folder remain under that name,
    /// or the same with a number. A backup that is opened for writing becomes a separate realm with
    /// its first commit, and is no longer continued.
    ///
    /// A realm that was restored to an older state, and has continued from there, lacks commits
    /// that the backup may have, and is then refused. That is detected from the log of that time,
    /// or, if it was trimmed, from the page files, as far as they contain these commits. If neither
    /// shows it, the backup is replaced: choose another path for a restored realm.
    ///
    /// The backup of an encrypted realm is encrypted, and opened with the same key. After
    /// ``rekey(to:)`` the next backup has the new one. Unlike
    /// ``writeCopy(to:encryptionKey:progress:)`` it includes the unused space of the realm, and
    /// uses a folder beside `path` while it runs, with hard links to the previous files, or copies
    /// if the file system has no hard links.
    ///
    /// Runs on a separate thread. Linear in the new bytes, and in the log after the latest
    /// checkpoint, which is read.
    ///
    /// - Parameters:
    ///   - path: a folder that does not exist yet, or that an earlier call has created. Its parent
    ///     must exist, and must not be the realm's own folder. No other code may write to it.
    ///   - progress: called with the fraction that is done, from 0 to 1, on that thread.
    /// - Throws: ``RealmError``: `path` is not a backup of this realm, was written to since, is
    ///   damaged, or has commits that the realm lacks; the realm is closed, in memory or damaged,
    ///   or a disk failed or is full. `CancellationError` when the task is cancelled.
    @discardableResult
    public func backUp(
        to path: String, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> BackupReport {
        if store.isClosed { throw RealmError.closed }
        let store = store
        let directory = store.currentConfiguration.absolute(path)
        let outcome = try await CancellableReading.run(progress: progress) { monitor in
            try store.engine.backUp(
                to: store.currentConfiguration.fileSystem, directory: directory, monitor: monitor)
        }
        progress?(1)
        return BackupReport(outcome)
    }
}

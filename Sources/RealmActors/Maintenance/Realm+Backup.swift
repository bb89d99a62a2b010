import Storage

extension Realm {
    /// Copies the files of the realm into a folder; if that has a backup, copies only what is new
    /// since.
    ///
    /// Reads and writes continue meanwhile, of other processes too. The backup has every commit
    /// that was durable before the call, and the history of commits, and can be opened as any
    /// realm:
    ///
    ///     let report = try await realm.backUp(to: backups + "/kennel.realm")
    ///     print(report.bytesCopied)       // next time, only what has been written since
    ///
    /// What is there stays as it is until the new state is whole, and then takes its place at once;
    /// a call that fails, is cancelled or is cut off by a crash changes nothing. Where a crash
    /// comes between the two renames by which it does, the state of before has the name of the
    /// folder with `.previous` after it, and the next call puts it back. What others have put into
    /// the folder stays behind under that name, or the same with a number. A backup that is opened
    /// for writing is no longer a backup: from its first commit on it is a realm of its own, and no
    /// longer continued.
    ///
    /// A realm that was restored to an older state, and has continued from there, lacks commits
    /// that the backup may have, and is then refused. That is detected from the log of that time,
    /// or, where it was trimmed, from the page files, as far as those commits are in them. Where
    /// neither shows it, the backup is replaced: choose another path for a realm that you have
    /// restored.
    ///
    /// The backup of an encrypted realm is encrypted, and opened with the same key. After
    /// ``rekey(to:)`` the next backup has the new one. Unlike
    /// ``writeCopy(to:encryptionKey:progress:)`` it has the unused space of the realm as well, and
    /// uses a folder beside `path` while it runs, whose files are hard links to the previous ones
    /// where the file system has these, and copies elsewhere.
    ///
    /// Runs on a thread of its own. O(what is new), plus reading the log after the latest
    /// checkpoint.
    ///
    /// - Parameters:
    ///   - path: a folder that does not exist yet, or that an earlier call has made. Its parent has
    ///     to exist, and must not be the realm's own folder. No other code may write to it.
    ///   - progress: called with the fraction that is done, from 0 to 1, on that thread.
    /// - Throws: ``RealmError``: what is at `path` is no backup of this realm, or was written to
    ///   since, is damaged, or has commits that the realm has not; the realm is closed, in memory
    ///   or damaged, or a disk failed or is full. `CancellationError` when the task is cancelled.
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

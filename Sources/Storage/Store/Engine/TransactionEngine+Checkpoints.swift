/// Checkpoints: they read a published version and write beside the log, so that neither readers nor
/// the writer wait for one.
extension TransactionEngine {
    /// Writes a checkpoint of the newest published version. Does nothing when there is one already.
    /// Blocks on the disk: not for the cooperative pool.
    package func checkpoint() throws(StorageError) { try checkpoint(for: .replay) }

    /// `hasTree`: the page files have the tree already.
    func checkpointIfDue(at end: LogEnd?, hasTree: Bool) {
        guard let checkpoints, let end, let log = segments, log.options.preparesInBackground
        else { return }
        let haste: CheckpointSchedule.Haste = hasTree ? .isCheap : isShortOfMemory ? .memory : .none
        // Not weakly, which would make every use of the engine slower from then on: the job goes
        // when it has run.
        checkpoints.runIfDue(at: end.position, haste) { [self] in
            checkpointOrLatch()
            if isWasteful || isShortOfMemory || isShortOfSpace { checkpoints.startUpkeep() }
        }
    }

    /// Returns why the last checkpoint could not be written.
    func checkpointAtClose() -> StorageError? {
        // A checkpoint that is being written now comes to its end; no other begins.
        defer { checkpoints?.checkpointer.exclusively { checkpoints?.noteClosed() } }
        guard checkpoints?.policy == .automatic, failure == nil, isWriting, hasToReplay
        else { return nil }
        return checkpointOrLatch(for: .close)
    }

    /// Whether a checkpoint is being written just now.
    package var isCheckpointing: Bool { checkpoints?.checkpointer.isBusy ?? false }

    /// Waits for the end of the checkpoint that is being written. Blocks its thread: not for the
    /// cooperative pool.
    package func awaitCheckpoint() { checkpoints?.checkpointer.exclusively {} }

    /// Whether the next opening would have commits to replay, or much of a log to read.
    private var hasToReplay: Bool {
        guard let checkpoints, let end = publisher.latest.end else { return false }
        let bytes = end.position.distance(from: checkpoints.replayStart) ?? 0
        return latest.version != checkpoints.checkpointer.contents.version || bytes > 4 << 10
    }

    /// Tells whether there were commits since it was called before.
    private func commitsSinceAsked() -> () -> Bool {
        var known = statistics.syncs
        return { [self] in
            let syncs = statistics.syncs
            defer { known = syncs }
            return syncs != known
        }
    }

    @discardableResult
    func checkpointOrLatch(for purpose: CheckpointPurpose = .replay) -> StorageError? {
        do throws(StorageError) {
            try checkpointLatching(for: purpose)
            return nil
        } catch {
            return error.isShortage ? nil : error
        }
    }

    /// Writes a checkpoint; where that fails, the store stops writing.
    func checkpointLatching(
        for purpose: CheckpointPurpose = .replay
    ) throws(StorageError) {
        do throws(StorageError) {
            try checkpoint(for: purpose)
        } catch {
            // A full disk takes nothing away, nor does a want of descriptors: the log holds
            // everything.
            if error.isShortage { throw error }
            log.fail(error)
            noteFailure(error)
            throw error
        }
    }

    func checkpoint(
        for purpose: CheckpointPurpose, isForced: Bool = false
    ) throws(StorageError) {
        guard let checkpoints, let log = segments else { return }
        let start = ContinuousClock.now
        let written = try writeCheckpoint(for: purpose, isForced: isForced, checkpoints, log)
        guard let written else { return }
        checkpoints.tell(written.version, since: start)
        if let shortage = written.shortage { throw shortage }
    }

    /// A checkpoint that is durable.
    private struct WrittenCheckpoint {
        let version: Version
        /// Why not all was removed that it makes superfluous, where there was no space for that.
        let shortage: StorageError?
    }

    /// Returns nil when there was nothing to write.
    private func writeCheckpoint(
        for purpose: CheckpointPurpose, isForced: Bool, _ checkpoints: CheckpointSchedule,
        _ log: Log
    ) throws(StorageError) -> WrittenCheckpoint? {
        let checkpointer = checkpoints.checkpointer
        return try checkpointer.exclusively { () throws(StorageError) -> WrittenCheckpoint? in
            if checkpoints.isClosed { throw .closed(path: log.store.path) }
            // Another process writes: the checkpoints are its own.
            if !log.isWriting { return nil }
            // Releases the space of segments that no held version needs any more.
            checkpointer.closeRetired(tree.account)
            // A commit whose outcome is unknown may have its tree where this one would go.
            if let failure { throw .durabilityLost(cause: failure) }
            let published = publisher.latest
            guard let end = published.end, isForced || end.position > checkpoints.replayStart
            else { return nil }
            // Nothing was ever committed, and no segment has the place where replay would begin.
            if end.position == .zero { return nil }
            // A commit that wrote its tree itself is about to be published.
            if published.root.version < checkpointer.contents.version { return nil }
            do throws(StorageError) {
                try write(published, end, purpose, checkpointer, log)
            } catch .outOfSpace(let path) {
                guard canSpendReserve(on: published.root, checkpointer, log) else {
                    throw .outOfSpace(path: path)
                }
                log.releaseSpace()
                defer { try? log.reserve.refill() }
                let sparing = purpose.dropsLog ? purpose : .space
                try write(published, end, sparing, checkpointer, log)
            }
            checkpoints.noteCheckpoint(at: log.replayStart)
            let shortage = try checkpointer.removeSuperfluous(behind: published.root, in: log)
            resizeReserve(published.root, checkpointer, log)
            return WrittenCheckpoint(version: published.root.version, shortage: shortage)
        }
    }

    private func write(
        _ published: Publisher.Published, _ end: LogEnd, _ purpose: CheckpointPurpose,
        _ checkpointer: Checkpointer, _ log: Log
    ) throws(StorageError) {
        try checkpointer.writeCheckpoint(
            of: published.root, endingAt: end, in: log, purpose,
            isContended: purpose == .close ? nil : commitsSinceAsked())
    }
}

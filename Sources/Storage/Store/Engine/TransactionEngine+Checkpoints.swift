/// Checkpoints: they read a published version and write to the page files, so that neither readers
/// nor the writer wait for one.
extension TransactionEngine {
    /// Writes a checkpoint of the newest published version, unless there is one already. Blocks on
    /// the disk: not for the cooperative pool.
    package func checkpoint() throws(StorageError) { try checkpoint(for: .replay) }

    /// `hasTree`: the page files have the tree already.
    func checkpointIfDue(at end: LogEnd?, hasTree: Bool) {
        guard let checkpoints, let end, let log = segments, log.options.preparesInBackground
        else { return }
        let urgency: CheckpointSchedule.Urgency =
            hasTree ? .cheap : isShortOfMemory ? .memory : .none
        // A strong reference, since a weak one would slow down every use of the engine from then
        // on. It is released when the job has run.
        checkpoints.runIfDue(at: end.position, urgency) { [self] in
            let start = checkpoints.replayStart
            do throws(StorageError) {
                try checkpointLatching()
            } catch {
                let isRefused = if case .outOfSpace = error { true } else { false }
                if isRefused, checkpoints.replayStart == start { checkpoints.noteShortage() }
            }
            if isWasteful || isShortOfMemory || isShortOfSpace { checkpoints.startUpkeep() }
        }
    }

    /// Returns the error if the last checkpoint could not be written.
    func checkpointAtClose() -> StorageError? {
        // Waits for a running checkpoint; no other begins.
        defer { checkpoints?.checkpointer.exclusively { checkpoints?.noteClosed() } }
        guard checkpoints?.policy == .automatic, failure == nil, isWriting, hasToReplay
        else { return nil }
        return checkpointOrLatch(for: .close)
    }

    /// Whether a checkpoint is being written.
    package var isCheckpointing: Bool { checkpoints?.checkpointer.isBusy ?? false }

    /// Waits for the end of a running checkpoint. Blocks the thread: not for the cooperative pool.
    package func awaitCheckpoint() { checkpoints?.checkpointer.exclusively {} }

    /// Whether the next opening would have commits to replay, or much of a log to read.
    private var hasToReplay: Bool {
        guard let checkpoints, let end = publisher.latest.end else { return false }
        let bytes = end.position.distance(from: checkpoints.replayStart) ?? 0
        return latest.version != checkpoints.checkpointer.contents.version || bytes > 4 << 10
    }

    /// Returns a function that says whether there were commits since its previous call.
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

    /// Writes a checkpoint. A failure latches, except a shortage.
    func checkpointLatching(
        for purpose: CheckpointPurpose = .replay
    ) throws(StorageError) {
        do throws(StorageError) {
            try checkpoint(for: purpose)
        } catch {
            // After a shortage nothing is lost, since the log contains everything.
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
        let start = Instant.now
        let written = try writeCheckpoint(for: purpose, isForced: isForced, checkpoints, log)
        guard let written else { return }
        checkpoints.report(written.version, since: start)
        if let shortage = written.shortage { throw shortage }
    }

    /// A checkpoint that is durable.
    private struct WrittenCheckpoint {
        let version: Version
        /// The error if obsolete files could not be removed for lack of space.
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
            // Another process is the writer, and writes the checkpoints.
            if !log.isWriting { return nil }
            try log.requirePlace()
            // Frees the space of segments that no snapshot needs any more.
            checkpointer.closeRetired(tree.account)
            // The tree of a commit with unknown outcome may be where this one would be written.
            if let failure { throw .durabilityLost(cause: failure) }
            let published = publisher.latest
            guard let end = published.end, isForced || end.position > checkpoints.replayStart
            else { return nil }
            // Nothing was ever committed, and there is no segment yet in which replay could begin.
            if end.position == .zero { return nil }
            // A page commit is about to be published.
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

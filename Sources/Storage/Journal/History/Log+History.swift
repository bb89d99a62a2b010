import Synchronization

/// Removes obsolete segments, and retains those of the history.
extension Log {
    /// Removes the segments that neither recovery nor the history needs any more.
    ///
    /// Without `keepingHistory` no history is retained: the log has a gap before the checkpoint.
    func removeSegmentsBeforeCheckpoint(keepingHistory: Bool = true) throws(StorageError) {
        guard let (checkpoint, older) = try segmentsBeforeCheckpoint() else { return }
        let kept =
            keepingHistory
            ? try retention.firstKept(of: older, by: checkpoint, store, database)
            : checkpoint.replayStart.segment
        var hasRemoved = false
        for index in older where index < kept {
            try store.fileSystem.remove(store.path(of: index))
            hasRemoved = true
        }
        if hasRemoved { try store.fileSystem.syncDirectory(store.logPath) }
    }

    /// While there is no space for a segment of the usual size besides the reserve, removes history
    /// that the policy retains, the oldest first, but not what readers hold. False if there is
    /// space.
    func dropHistoryIfFull() throws(StorageError) -> Bool {
        let size = options.segmentSizeGrown
        if try reserve.hasSpaceBeside(size) { return false }
        guard let (checkpoint, older) = try segmentsBeforeCheckpoint() else { return true }
        let read = try retention.firstRead(of: older, by: checkpoint, store)
        try removeHistory(older.filter { $0 < read }, before: checkpoint) {
            (_) throws(StorageError) in
            try reserve.hasSpaceBeside(size)
        }
        return true
    }

    /// While there is no space for `bytes` and a segment of the usual size, removes history that is
    /// retained only for readers, the oldest first. False if there is space, or no such history.
    ///
    /// A reader that has lost a segment cannot use the next ones: those that no other reader needs
    /// are removed as well.
    func dropUnreadHistoryIfFull(for bytes: Int) throws(StorageError) -> Bool {
        let size = max(bytes, options.segmentSizeGrown)
        guard retention.keepsForReaders, try !reserve.hasSpaceBeside(size),
            let (checkpoint, older) = try segmentsBeforeCheckpoint()
        else { return false }
        try removeHistory(older, before: checkpoint) { (last) throws(StorageError) in
            guard try reserve.hasSpaceBeside(size) else { return false }
            let left = older.filter { $0 > last }
            return try retention.firstRead(of: left, by: checkpoint, store) == left.first
        }
        return true
    }

    /// Removes segments until `isEnough` is true of the last one removed.
    private func removeHistory(
        _ segments: [SegmentIndex], before checkpoint: CheckpointRecord,
        until isEnough: (SegmentIndex) throws(StorageError) -> Bool
    ) throws(StorageError) {
        do throws(StorageError) {
            for index in segments {
                try store.fileSystem.remove(store.path(of: index))
                retention.releaseReaders(before: index.next, checkpoint: checkpoint.version)
                try store.fileSystem.syncDirectory(store.logPath)
                if try isEnough(index) { break }
            }
        } catch {
            // On a copy-on-write file system, removing needs space as well.
            throw error.claimingSpace
        }
    }

    /// The segments before the one in which replay begins, ascending; nil if there are none.
    private func segmentsBeforeCheckpoint() throws(StorageError) -> (
        checkpoint: CheckpointRecord, older: [SegmentIndex]
    )? {
        try requirePlace()
        guard let checkpoint = state.withLock({ $0.superblock.checkpoint }) else { return nil }
        let needed = checkpoint.record.replayStart.segment
        let older = try store.fileSystem.list(store.logPath)
            .compactMap { SegmentIndex(fileName: $0) }.filter { $0 < needed }.sorted()
        return older.isEmpty ? nil : (checkpoint.record, older)
    }
}

import Synchronization

/// What of the log is removed, and what stays for those who read its history.
extension Log {
    /// Removes the segments that nothing needs any more: neither opening the store nor those who
    /// read its history.
    ///
    /// Without `keepingHistory` nothing stays for the latter: the log has a gap before the
    /// checkpoint.
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

    /// While there is no space for a segment of the usual size beside the reserve, removes history
    /// that is kept on purpose, the oldest first. What someone reads stays. False when there is.
    func giveUpHistoryIfFull() throws(StorageError) -> Bool {
        if hasSpace { return false }
        guard let (checkpoint, older) = try segmentsBeforeCheckpoint() else { return true }
        let read = try retention.firstRead(of: older, by: checkpoint, store)
        do throws(StorageError) {
            for index in older where index < read {
                try store.fileSystem.remove(store.path(of: index))
                try store.fileSystem.syncDirectory(store.logPath)
                if hasSpace { break }
            }
        } catch {
            // Where nothing is written in place, removing takes space as well.
            throw error.claimingSpace
        }
        return true
    }

    private var hasSpace: Bool { reserve.hasSpaceBeside(options.segmentSizeGrown) }

    /// The segments before that in which replay begins, which ascend; nil when there are none.
    private func segmentsBeforeCheckpoint() throws(StorageError) -> (
        checkpoint: CheckpointRecord, older: [SegmentIndex]
    )? {
        guard let checkpoint = state.withLock({ $0.superblock.checkpoint }) else { return nil }
        let needed = checkpoint.record.replayStart.segment
        let older = try store.fileSystem.list(store.logPath)
            .compactMap { SegmentIndex(fileName: $0) }.filter { $0 < needed }.sorted()
        return older.isEmpty ? nil : (checkpoint.record, older)
    }
}

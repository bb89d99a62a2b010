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
        let size = options.segmentSizeGrown
        if reserve.hasSpaceBeside(size) { return false }
        guard let (checkpoint, older) = try segmentsBeforeCheckpoint() else { return true }
        let read = try retention.firstRead(of: older, by: checkpoint, store)
        try giveUp(older.filter { $0 < read }, before: checkpoint) { _ in
            reserve.hasSpaceBeside(size)
        }
        return true
    }

    /// While there is no space for `bytes`, and for a segment of the usual size, removes history
    /// that is kept only for readers, the oldest first. False when there is space, or no such
    /// history.
    ///
    /// A reader that has lost a segment cannot use the next one: what no other reader needs is
    /// removed, too.
    func giveUpUnreadIfFull(for bytes: Int) throws(StorageError) -> Bool {
        let size = max(bytes, options.segmentSizeGrown)
        guard retention.keepsForReaders, !reserve.hasSpaceBeside(size),
            let (checkpoint, older) = try segmentsBeforeCheckpoint()
        else { return false }
        try giveUp(older, before: checkpoint) { (last) throws(StorageError) in
            guard reserve.hasSpaceBeside(size) else { return false }
            let left = older.filter { $0 > last }
            return try retention.firstRead(of: left, by: checkpoint, store) == left.first
        }
        return true
    }

    /// Removes segments, until `isEnough` of the last one that was removed.
    private func giveUp(
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
            // Where nothing is written in place, removing takes space as well.
            throw error.claimingSpace
        }
    }

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

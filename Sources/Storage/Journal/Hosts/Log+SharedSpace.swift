import Synchronization

/// Allocates space in a host's local log before it appends to the shared log. A group that the
/// shared log has and the folder cannot take would be lost locally, or be appended twice.
extension Log {
    /// Ensures that there are space and descriptors for a group. The reserve is whole then, in case
    /// other programs take the space meanwhile.
    ///
    /// - Throws: ``StorageError/outOfSpace(path:)``, or an error with
    ///   ``StorageError/lacksDescriptors``; nothing has to be undone.
    func claimSpace(for group: CommitGroupBuffer) throws(StorageError) {
        let size = try state.withLock { state throws(StorageError) -> Int in
            try store.requireWritable(state, options)
            if state.horizon == nil { state.horizon = try store.openHorizon() }
            if !group.onlyDeletes {
                reserve.noteLog(state.bytesToReplay)
                if !reserve.isWhole { try reserve.refill() }
            }
            return state.writer?.newSpace(for: group) ?? 0
        }
        if size == 0 { return }
        // Probes for a descriptor, which a new segment needs as well.
        _ = try store.openSuperblock()
        guard try reserve.hasSpaceBeside(size) else {
            throw .outOfSpace(path: store.logPath)
        }
    }

    /// Appends a group that the shared log has. If the allocated space is gone by now, it uses the
    /// space reserved for deletions. `kept` has the same commits as `group`.
    func append(
        _ group: CommitGroupBuffer, keptAs kept: SharedGroup
    ) throws(StorageError) {
        do throws(StorageError) {
            return try append(group)
        } catch .outOfSpace {}
        defer { try? reserve.refill() }
        // The buffer of the first attempt may be consumed.
        let copy = CommitGroupBuffer(capacity: kept.payload.count)
        try kept.forEachCommit { (record) throws(StorageError) in
            try copy.append(version: record.version, payload: record.payload)
        }
        try appendUsingReserve(copy)
    }
}

extension LogWriter {
    /// About how many bytes of new segments a group needs; 0 if it fits.
    fileprivate func newSpace(for group: CommitGroupBuffer) -> Int {
        let size = group.byteCount + CommitGroupBuffer.frontRoom
        if let active, active.size - active.offset(of: position) >= size { return 0 }
        if preparer.spareSize >= size { return 0 }
        // Includes the headers of several segments, and the unused space at their ends.
        return max(size + size / 8 + (8 << 10), options.segmentSizeMin)
    }
}

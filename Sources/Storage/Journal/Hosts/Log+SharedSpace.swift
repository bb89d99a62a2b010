import Synchronization

/// Space in the log of a host's folder for what it appends to the shared log: claimed before, and
/// written after. A group that the shared log has and the folder cannot take would be lost here, or
/// be there twice.
extension Log {
    /// Makes sure that there are space and descriptors for a group. The reserve is whole then, for
    /// what other programs take meanwhile.
    ///
    /// - Throws: ``StorageError/outOfSpace(path:)``, or what ``StorageError/lacksDescriptors`` says
    ///   of; nothing has to be undone.
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
        // A segment is to be made, which takes a descriptor as well.
        _ = try store.openSuperblock()
        guard reserve.hasSpaceBeside(size) else { throw .outOfSpace(path: store.logPath) }
    }

    /// Appends a group that the shared log has, as `shared`: where the space that was claimed is
    /// gone again, with what is kept for what makes the store smaller.
    func append(
        _ group: CommitGroupBuffer, keptAs shared: SharedGroup
    ) throws(StorageError) {
        do throws(StorageError) {
            return try append(group)
        } catch .outOfSpace {}
        defer { try? reserve.refill() }
        // The first one may be used up.
        let copy = CommitGroupBuffer(capacity: shared.payload.count)
        try shared.forEachCommit { (record) throws(StorageError) in
            try copy.append(version: record.version, payload: record.payload)
        }
        try appendSparingly(copy)
    }
}

extension LogWriter {
    /// About how many bytes of new segments a group takes; 0 where it takes none.
    fileprivate func newSpace(for group: CommitGroupBuffer) -> Int {
        let size = group.byteCount + CommitGroupBuffer.frontRoom
        if let active, active.size - active.offset(of: position) >= size { return 0 }
        if preparer.spareSize >= size { return 0 }
        // With the headers of several segments, and the ends that nothing is written to.
        return max(size + size / 8 + (8 << 10), options.segmentSizeMin)
    }
}

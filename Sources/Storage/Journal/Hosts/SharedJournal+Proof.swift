/// Checks that the engine still has the entries that were read: one that has lost some would
/// continue with others.
extension SharedJournal {
    /// Checks that the log still has the entry before `cursor`, which `read` returns.
    ///
    /// - Throws: ``StorageError/sharedLogDiverged(reason:)`` if it does not.
    func requireEntry(
        before cursor: SharedCursor,
        _ read: (LogSlot) throws(StorageError) -> [SharedLogEntry]
    ) throws(StorageError) {
        guard let slot = cursor.next.previous else { return }
        let found: [SharedLogEntry]
        do throws(StorageError) {
            found = try read(slot)
        } catch .sharedLogTrimmed(first: cursor.next.rawValue) {
            // The next entry exists, and proves by its hash what it continues.
            return
        }
        guard let entry = found.first,
            SharedEntryHash(of: entry.bytes) == cursor.hash
        else {
            throw .sharedLogDiverged(
                reason: "slot \(slot) has another entry than this host has read")
        }
    }

    /// Checks that the log continues at the cursor of an image, and that the entry before it is
    /// durable.
    ///
    /// - Throws: ``StorageError/sharedLogDiverged(reason:)`` when it does not.
    func requireKept(
        _ cursor: SharedCursor, monitor: ReadingMonitor = ReadingMonitor()
    ) throws(StorageError) {
        try requireEntry(before: cursor) { (slot) throws(StorageError) in
            try retrying(monitor: monitor) { () throws(SharedLogError) in
                // Without a barrier, the engine may lose what was read.
                try realm.log.barrier()
                return try realm.log.entries(from: slot, bytesMax: 1)
            }
        }
    }

    /// Whether a filled slot has these bytes, durably.
    func holds(_ bytes: [UInt8], at slot: LogSlot) throws(SharedLogError) -> Bool {
        try realm.log.barrier()
        return try realm.log.entries(from: slot, bytesMax: 1).first?.bytes == bytes
    }
}

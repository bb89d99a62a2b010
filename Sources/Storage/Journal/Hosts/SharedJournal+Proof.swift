/// What the engine still has of that which was read: one that has lost entries goes on with others.
extension SharedJournal {
    /// Checks that the log still has the entry before a place, with what `read` reads.
    ///
    /// - Throws: ``StorageError/sharedLogDiverged(reason:)`` when it has not.
    func requireEntry(
        before cursor: SharedCursor,
        _ read: (LogSlot) throws(StorageError) -> [SharedLogEntry]
    ) throws(StorageError) {
        guard let slot = cursor.next.previous else { return }
        let found: [SharedLogEntry]
        do throws(StorageError) {
            found = try read(slot)
        } catch .sharedLogTrimmed(first: cursor.next.rawValue) {
            // The next one is there, and says what it continues.
            return
        }
        guard let entry = found.first,
            SharedEntryHash(of: entry.bytes) == cursor.hash
        else {
            throw .sharedLogDiverged(reason: "slot \(slot) has another entry than was read here")
        }
    }

    /// Checks that the log goes on from an image of this place, and keeps what is before it.
    ///
    /// - Throws: ``StorageError/sharedLogDiverged(reason:)`` when it does not.
    func requireKept(
        _ cursor: SharedCursor, while goesOn: () -> Bool = { true }
    ) throws(StorageError) {
        try requireEntry(before: cursor) { (slot) throws(StorageError) in
            try retrying(while: goesOn) { () throws(SharedLogError) in
                // What was only read of an engine may be lost again.
                try realm.log.barrier()
                return try realm.log.entries(from: slot, bytesMax: 1)
            }
        }
    }

    /// Whether a slot that is filled has these bytes, for good.
    func holds(_ bytes: [UInt8], at slot: LogSlot) throws(SharedLogError) -> Bool {
        try realm.log.barrier()
        return try realm.log.entries(from: slot, bytesMax: 1).first?.bytes == bytes
    }
}

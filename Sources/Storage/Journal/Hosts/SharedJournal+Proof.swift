/// Checks that the engine still has the entries that were read: one that has lost some would
/// continue with others.
extension SharedJournal {
    /// Checks that the log still has the entry before `cursor`, which `read` returns. A response
    /// without it may be stale, and is repeated if the log has an entry there.
    ///
    /// - Throws: ``StorageError/sharedLogDiverged(reason:)`` if it does not.
    func requireEntry(
        before cursor: SharedCursor, monitor: ReadingMonitor,
        _ read: (LogSlot) throws(StorageError) -> [SharedLogEntry]
    ) throws(StorageError) {
        guard let slot = cursor.next.previous else { return }
        var backoff = realm.backoff(until: monitor.deadline)
        while true {
            let found: [SharedLogEntry]
            do throws(StorageError) {
                found = try read(slot)
            } catch .sharedLogTrimmed(first: cursor.next.rawValue) {
                // The next entry exists, and proves by its hash what it continues.
                return noteStaleness(false)
            }
            if let entry = found.first {
                noteStaleness(false)
                if SharedEntryHash(of: entry.bytes) == cursor.hash { return }
                throw .sharedLogDiverged(
                    reason: "slot \(slot) has another entry than this host has read")
            }
            let isStale = try retrying(until: monitor.deadline, monitor: monitor) {
                () throws(SharedLogError) in try isFilled(slot)
            }
            guard isStale else {
                throw .sharedLogDiverged(
                    reason: "slot \(slot) lacks the entry that this host has read")
            }
            if waitForNewerResponse(&backoff, monitor) { continue }
            throw StorageError(Self.staleness(at: slot))
        }
    }

    /// Checks that the log continues at the cursor of an image, and that the entry before it is
    /// durable.
    ///
    /// - Throws: ``StorageError/sharedLogDiverged(reason:)`` when it does not.
    func requireKept(
        _ cursor: SharedCursor, monitor: ReadingMonitor = ReadingMonitor()
    ) throws(StorageError) {
        try requireEntry(before: cursor, monitor: monitor) { (slot) throws(StorageError) in
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
        if let entry = try realm.log.entries(from: slot, bytesMax: 1).first {
            return entry.bytes == bytes
        }
        // A stale response must not make a commit that the log has count as superseded: its body
        // would run again.
        if try isFilled(slot) { throw Self.staleness(at: slot) }
        return false
    }

    /// Whether a slot has an entry, durably. A response without it is stale then: of another
    /// server, which lacks acknowledged entries.
    private func isFilled(_ slot: LogSlot) throws(SharedLogError) -> Bool {
        try realm.log.barrier()
        return try realm.log.head().next > slot
    }

    private static func staleness(at slot: LogSlot) -> SharedLogError {
        .unavailable("it has an entry in slot \(slot), and does not show it")
    }
}

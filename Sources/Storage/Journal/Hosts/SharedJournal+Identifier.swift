import Synchronization

/// The identifier of a host, and how it is kept unique.
extension SharedJournal {
    /// The identifier of this host: that of its folder, one per folder.
    package var host: Bits128 { state.withLock { $0.host } }

    /// This host begins an append. If an earlier one has failed, its entry may still be unread: a
    /// write that had the turn by then does not read before it appends.
    func noteAppend(_ id: Bits128) {
        state.withLock { state in
            if !state.isBehind { state.ownAppends = [] }
            state.ownAppends.insert(id)
        }
    }

    /// Whether a group is that of this host's last append, or of one that was unread at that time.
    func hasAppended(_ group: SharedGroup) -> Bool {
        state.withLock { $0.ownAppends.contains(group.id) }
    }

    /// Takes a new identifier if another host has appended a group with that of this one: one of
    /// their folders is a copy of the other. Their messages would be ignored as own ones.
    ///
    /// An entry of this host from before its store was reopened has the same effect, which does no
    /// harm.
    func requireUniqueIdentifier(_ group: SharedGroup) {
        guard group.host == host, !hasAppended(group) else { return }
        let new = Bits128.random()
        state.withLock { state in
            state.host = new
            // It is recorded in the folder after the entries that are being read.
            state.unrecorded = Self.entriesPerRecord
        }
        gate.rename(new)
    }
}

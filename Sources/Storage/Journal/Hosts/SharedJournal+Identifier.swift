import Synchronization

/// The identifier of a host, and how it is kept unique.
extension SharedJournal {
    /// The identifier of this host: that of its folder, one per folder.
    package var host: Bits128 { state.withLock { $0.host } }

    /// This host begins an append. If an earlier one has failed, its entry may still be unread: a
    /// write that had the turn by then does not read before it appends.
    ///
    /// Once the host is no longer behind, no earlier append has an unread entry: each begins in the
    /// slot where reading resumes, so that the first entries to be read, stale or not, are its own
    /// or exclude it. Reading does not end between the pieces of a group: they are too large.
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

    /// Whether the opening of the realm has read a group that `former`, the journal from before the
    /// store was reopened, has appended without applying it. Such a group is the last one of this
    /// host: `former` has not appended behind it.
    func hasRead(appendOf former: SharedJournal) -> Bool {
        guard let last = state.withLock({ $0.lastOwnRead }) else { return false }
        return former.state.withLock { $0.ownAppends.contains(last) }
    }

    /// Takes over the append with an unknown outcome of `former`, the journal from before the store
    /// was reopened. Otherwise it could still be executed at any time, and its entry would be taken
    /// for one of a copy of this host's folder.
    func takeDoubtfulAppend(of former: SharedJournal) {
        let (doubt, ownAppends) = former.state.withLock { ($0.doubt, $0.ownAppends) }
        guard let doubt else { return }
        state.withLock { state in
            state.doubt = doubt
            state.ownAppends.formUnion(ownAppends)
            state.isBehind = true
        }
    }

    /// Takes a new identifier if another host has appended a group with that of this one: one of
    /// their folders is a copy of the other. Their messages would be ignored as own ones.
    ///
    /// An entry that this host has appended before the realm was opened has the same effect, which
    /// does no harm: nothing refers to its rows yet.
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

import Synchronization

extension SharedJournal {
    /// What its mutex protects.
    struct State: Sendable {
        var host: Bits128
        var cursor: SharedCursor
        /// The times of the commits before the cursor.
        var times: CommitTimes
        /// Ends waits for the engine when it is cancelled; nil once the realm is open.
        var opening: ReadingMonitor?
        var doubt: DoubtfulAppend?
        /// Whether there are, or may be, entries that this host must apply before it writes.
        var isBehind = false
        var isAppending = false
        /// The identifiers of the appends whose entries this host may have yet to read.
        var ownAppends: Set<Bits128> = []
        /// The identifier of the last group that was read and has this host's identifier.
        var lastOwnRead: Bits128?
        /// Signalled at the end of the append in progress.
        var appendEnd: ThreadSemaphore?
        /// Whether the engine was unreachable since the last barrier.
        var needsBarrier = true
        /// Entries that were prefetched and not applied yet.
        var ahead: [SharedLogEntry] = []
        /// Called after entries of others were applied.
        var onProgress: (@Sendable () -> Void)?
        /// Whether the last response lacked entries that the engine says it has.
        var isStale = false
        /// Called when ``isStale`` changes.
        var onStaleness: (@Sendable () -> Void)?
        /// How many entries were processed since the cursor was last recorded in the folder.
        var unrecorded = 0
        /// How many bytes of the log the newest known image covers.
        var imageBytes: UInt64 = 0
        /// How the local copy and the shared log have diverged, which is permanent.
        var divergence: StorageError?
        /// Whether calls no longer wait for an engine that does not answer.
        var isStopping = false

        /// Advances past entries whose commits have this latest time.
        mutating func advance(to reached: SharedCursor, _ time: Double?) {
            cursor = reached
            times.note(time)
        }
    }

    /// Calls `body` whenever entries of others were applied, outside all locks.
    func onProgress(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.onProgress = body }
    }

    /// Whether the last response lacked entries that the engine says it has.
    var isStale: Bool { state.withLock { $0.isStale } }

    /// Calls `body` whenever ``isStale`` changes, outside all locks. It has to read the value: an
    /// image is made concurrently, so that calls may be in another order than the changes.
    func onStaleness(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.onStaleness = body }
    }

    /// Notes whether a response was stale.
    func noteStaleness(_ isStale: Bool) {
        let changed = state.withLock { state -> (@Sendable () -> Void)? in
            if state.isStale == isStale { return nil }
            state.isStale = isStale
            return state.onStaleness
        }
        changed?()
    }

    /// Waits while the entry of a slot may be one that this host is appending, at most for `limit`;
    /// false if it still may be. For one thread at a time.
    func awaitAppend(at slot: LogSlot, upTo limit: Duration) -> Bool {
        let end = state.withLock { state -> ThreadSemaphore? in
            guard state.isAppending, state.cursor.next == slot else { return nil }
            let end = ThreadSemaphore()
            state.appendEnd = end
            return end
        }
        return end?.wait(upTo: limit) ?? true
    }

    /// The append in progress has ended.
    func endAppend() {
        let end = state.withLock { state in
            state.isAppending = false
            defer { state.appendEnd = nil }
            return state.appendEnd
        }
        end?.signal()
    }

    /// The position of this host in the shared log, and what it knows of the commits before it.
    var position: (cursor: SharedCursor, times: CommitTimes) {
        state.withLock { ($0.cursor, $0.times) }
    }
}

import Synchronization

/// The journal of a realm that several hosts write. The shared log is authoritative, and the
/// segments in the folder of this host are a copy of it.
///
/// A group is appended to the shared log first, and then, unsynced, to the local log: what that
/// loses in a crash is read from the shared log again. A host appends after the last entry that it
/// has applied, so that one which lacks an entry finds the slot taken.
package final class SharedJournal: Journal {
    /// Larger payloads are split into pieces of this size.
    static let pieceBytesMax = 4 << 20
    /// A response of this size may not have reached the end of the log.
    private static let nearBytesMax = 64 << 10
    /// How many entries are read before the cursor is recorded in the folder.
    static let entriesPerRecord = 512
    /// How often to retry with a newer image when the entries after the image were trimmed too by
    /// the time it was read.
    private static let jumpsMax = 4

    let local: Log
    package let realm: SharedRealm
    /// Makes writes wait for other hosts.
    let gate: HostGate
    let state: Mutex<State>
    /// Slots of images that are damaged, or cover entries that the log has lost.
    let unusableImages = Mutex<Set<LogSlot>>([])

    init(
        _ local: Log, _ realm: SharedRealm, host: Bits128, cursor: SharedCursor,
        opening: ReadingMonitor? = nil
    ) {
        self.local = local
        self.realm = realm
        gate = HostGate(host: host)
        state = Mutex(
            State(
                host: host, cursor: cursor, times: CommitTimes(from: cursor.next),
                opening: opening))
    }

    /// The realm is open: the task that has opened it ends no more waits.
    func endOpening() { state.withLock { $0.opening = nil } }

    /// The position of this host in the shared log.
    var cursor: SharedCursor { state.withLock { $0.cursor } }

    /// Whether a write is known to find its slot taken.
    package var isBehind: Bool { state.withLock { $0.isBehind } }

    // MARK: Appending

    /// Appends the group to the shared log, and then to the local log, in which space is allocated
    /// beforehand.
    ///
    /// - Throws: ``StorageError/outOfSpace(path:)``, and errors with
    ///   ``StorageError/lacksDescriptors``: the folder cannot take it, so nothing was appended
    ///   anywhere; ``StorageError/superseded``, ``StorageError/sharedLogUnavailable(reason:)``:
    ///   nothing was appended, and the journal is usable again after
    ///   ``catchUp(to:monitor:_:orJump:)``; ``StorageError/commitOutcomeUnknown(cause:)``:
    ///   likewise, and that determines the outcome; ``StorageError/migrated(path:)``: another host
    ///   has migrated the realm.
    package func append(_ group: CommitGroupBuffer) throws(StorageError) {
        try append(group, copiedAs: group, usesReserve: false) { (append) throws(StorageError) in
            try append()
        }
    }

    package func appendUsingReserve(
        _ group: CommitGroupBuffer, copiedAs copy: CommitGroupBuffer,
        _ exclusively: SpaceExclusion
    ) throws(StorageError) {
        try append(group, copiedAs: copy, usesReserve: true, exclusively)
    }

    private func append(
        _ group: CommitGroupBuffer, copiedAs copy: CommitGroupBuffer, usesReserve: Bool,
        _ exclusively: SpaceExclusion
    ) throws(StorageError) {
        guard !group.isEmpty else { return }
        if let failure { throw failure.ofLaterWrites }
        if let divergence = state.withLock({ $0.divergence }) { throw divergence }
        precondition(!group.holdsTree, "A group on a shared log is complete in itself")
        if !usesReserve { try local.claimSpace(for: group) }
        let shared = SharedGroup(group, of: host)
        // Its buffer may be consumed by an append that fails.
        let copied = copy === group ? shared : SharedGroup(copy, of: host)
        let time = try shared.latestTime()
        state.withLock { $0.isAppending = true }
        defer { endAppend() }
        let reached = try publish(shared)
        do throws(StorageError) {
            try exclusively { () throws(StorageError) in
                try local.append(copy, keptAs: copied)
            }
        } catch {
            if error.isShortage {
                // The shared log has the group. It must be applied like those of other hosts: if it
                // were refused, the caller would append it once more.
                state.withLock { $0.isBehind = true }
                throw .commitOutcomeUnknown(cause: error)
            }
            // The commit is durable nevertheless: it will be read from the shared log again.
            local.fail(error)
        }
        // Only now: reading resumes here, at the first entry that the local log lacks.
        state.withLock { $0.advance(to: reached, time) }
        if failure == nil { noteEntries() }
    }

    /// Appends a group to the shared log; returns the cursor after it.
    private func publish(_ group: SharedGroup) throws(StorageError) -> SharedCursor {
        let (first, last) = (group.firstVersion, group.lastVersion)
        let id = Bits128.random()
        noteAppend(id)
        var backoff = realm.backoff()
        var rest = group.payload[...]
        var cursor = cursor
        guard let name = cursor.realm else {
            throw .invalid("A group was appended to a shared log that has not begun.")
        }
        guard first > cursor.version else {
            throw .sharedLogDiverged(
                reason: "version \(first) was to be appended behind version \(cursor.version)")
        }
        let cipher = try realm.cipher(name)
        let epoch = cursor.lastWriter == host ? cursor.epoch : cursor.epoch &+ 1
        repeat {
            let piece = rest.prefix(Self.pieceBytesMax)
            rest = rest.dropFirst(piece.count)
            let entry = SharedEntry(
                kind: rest.isEmpty ? .group : .part, realm: name, slot: cursor.next,
                epoch: epoch, host: host, id: id,
                firstVersion: first.rawValue, lastVersion: last.rawValue,
                previousHash: cursor.hash, payload: Array(piece))
            let bytes = entry.encoded(cipher)
            try place(bytes, behind: cursor, &backoff)
            cursor.advance(past: entry, bytes)
        } while !rest.isEmpty
        return cursor
    }

    /// Appends an entry to its slot, with retries while the engine is unreachable.
    private func place(
        _ bytes: [UInt8], behind cursor: SharedCursor, _ backoff: inout RetryBackoff
    ) throws(StorageError) {
        let (slot, last) = (cursor.next, cursor.hash)
        var isInDoubt = false
        while true {
            let answer = Result { () throws(SharedLogError) in
                if try realm.log.append(bytes, at: slot, behind: last) { return true }
                return isInDoubt ? try holds(bytes, at: slot) : false
            }
            switch answer {
            case .success(true):
                // The engine has all entries before it.
                noteStaleness(false)
                return gate.noteAppend()
            case .success(false):
                gate.noteLoss()
                state.withLock { $0.isBehind = true }
                throw .superseded
            case .failure(let error):
                if case .outcomeUnknown = error { isInDoubt = true }
                if error.isTransient, demandBarrier(), waitToRetry(&backoff) { continue }
                let doubt = DoubtfulAppend(slot: slot, last: last, bytes: bytes)
                try failAppend(error, isInDoubt ? doubt : nil)
            }
        }
    }

    private func failAppend(
        _ failure: SharedLogError, _ doubt: DoubtfulAppend?
    ) throws(StorageError) -> Never {
        let error = StorageError(failure)
        // Earlier pieces of the group may have been appended.
        state.withLock { state in
            // Otherwise that of an earlier append remains.
            if let doubt { state.doubt = doubt }
            state.isBehind = true
        }
        if doubt == nil { throw error }
        throw .commitOutcomeUnknown(cause: error)
    }

    // MARK: Reading

    /// Keeps the next entries, which were read already.
    func notePrefetched(_ entries: [SharedLogEntry]) { state.withLock { $0.ahead = entries } }

    /// Calls `apply` with the groups that this host has not applied, up to the end of the log. The
    /// caller has the write turn, and no append is in progress. `jump` is called if the entries
    /// were trimmed, to load an image and call ``resume(from:)``.
    ///
    /// An error of `apply` ends the call; the next one resumes with the same group. Cancellation
    /// ends it at the latest after the entries that were read by then.
    func catchUp(
        to reach: Reach = .end, monitor: ReadingMonitor = ReadingMonitor(),
        _ apply: (SharedGroup) throws(StorageError) -> Void,
        orJump jump: () throws(StorageError) -> Void
    ) throws(StorageError) {
        if let divergence = state.withLock({ $0.divergence }) { throw divergence }
        do throws(StorageError) {
            try resolveDoubtfulAppend(monitor: monitor)
            var jumps = 0
            while let trimmed = try readToEnd(apply, to: reach, monitor: monitor) {
                // `trimmed` says where the log begins now.
                guard jumps < Self.jumpsMax else { throw trimmed }
                jumps += 1
                do throws(StorageError) { try jump() } catch .sharedLogTrimmed { throw trimmed }
            }
        } catch {
            if case .sharedLogDiverged = error { state.withLock { $0.divergence = error } }
            throw error
        }
        // After a cancellation the end was not reached.
        if !monitor.isCancelled { state.withLock { $0.isBehind = false } }
    }

    /// Reads up to the end; returns the error if the next entry was trimmed.
    private func readToEnd(
        _ apply: (SharedGroup) throws(StorageError) -> Void, to reach: Reach,
        monitor: ReadingMonitor
    ) throws(StorageError) -> StorageError? {
        do throws(StorageError) {
            try readEntries(apply, to: reach, monitor: monitor)
            return nil
        } catch {
            guard case .sharedLogTrimmed = error else { throw error }
            return error
        }
    }

    private func readEntries(
        _ apply: (SharedGroup) throws(StorageError) -> Void, to reach: Reach,
        monitor: ReadingMonitor
    ) throws(StorageError) {
        var cursor = cursor
        var isDoubtful = state.withLock { $0.isBehind || $0.needsBarrier }
        var ahead = takeAhead(at: cursor.next, isDoubtful: isDoubtful)
        var end: LogSlot?
        var backoff = realm.backoff(until: monitor.deadline)
        while !monitor.isCancelled {
            if isStopping { throw .closed(path: "The store") }
            let isAhead = !ahead.isEmpty
            let (entries, head) = try isAhead ? (ahead, nil) : read(cursor.next, monitor)
            // The end is fixed here, since others may append as fast as this host reads. Without
            // entries it only tells whether the response is stale.
            if reach == .end || entries.isEmpty, let head { end = head.next }
            // An entry proves by its hash what it continues; only the end needs another proof.
            guard !entries.isEmpty else {
                if let end, cursor.next < end {
                    // Another server has answered, which lacks acknowledged entries.
                    isDoubtful = true
                    if waitForNewerResponse(&backoff, monitor) { continue }
                    throw .sharedLogUnavailable(
                        reason: "it ends before slot \(end), and does not show \(cursor.next)")
                }
                if isDoubtful {
                    // A stale response after a lost append: the write would lose again at once.
                    if head == nil {
                        demandBarrier()
                        continue
                    }
                    try requireEntry(before: cursor, monitor: monitor) {
                        (slot) throws(StorageError) in try read(slot, monitor).entries
                    }
                }
                noteStaleness(false)
                break
            }
            noteStaleness(false)
            for entry in entries {
                let group = try cursor.take(entry, realm.cipher)
                if let group { try apply(group) }
                let (reached, time) = (cursor, try group?.latestTime())
                state.withLock { state in
                    state.advance(to: reached, time)
                    if let group, group.host == state.host { state.lastOwnRead = group.id }
                }
            }
            // Otherwise the rest of the group may be what an append has lost to.
            if cursor.isBetweenGroups { isDoubtful = false }
            noteEntries(entries.count)
            state.withLock { $0.onProgress }?()
            let bytes = entries.reduce(0) { $0 + $1.bytes.count }
            if reach == .near, isAhead || bytes < Self.nearBytesMax { break }
            if let end, cursor.next >= end { break }
            try requireTime(to: reach, monitor)
            ahead = []
        }
    }

    /// The prefetched entries, if they are the next ones and the engine was not unreachable since.
    private func takeAhead(at slot: LogSlot, isDoubtful: Bool) -> [SharedLogEntry] {
        state.withLock { state in
            defer { state.ahead = [] }
            return isDoubtful || state.ahead.first?.slot != slot ? [] : state.ahead
        }
    }

    /// Reads entries. After the engine was unreachable, what it shows may be lost again, so a
    /// barrier comes first, and the end of the log is determined as well.
    private func read(
        _ slot: LogSlot, _ monitor: ReadingMonitor
    ) throws(StorageError) -> (entries: [SharedLogEntry], head: SharedLogHead?) {
        let (head, entries) = try retrying(until: monitor.deadline, monitor: monitor) {
            () throws(SharedLogError) in
            var head: SharedLogHead?
            if needsBarrier {
                state.withLock { $0.needsBarrier = false }
                try realm.log.barrier()
                head = try realm.log.head()
            }
            return (head, try realm.log.entries(from: slot, bytesMax: Self.pieceBytesMax))
        }
        if let head, head.next < slot {
            throw .sharedLogDiverged(
                reason: "it ends before slot \(head.next), and this host has read up to \(slot)")
        }
        return (entries, head)
    }

    /// Determines the outcome of an append by repeating it with the same bytes and slot, which is
    /// idempotent.
    private func resolveDoubtfulAppend(monitor: ReadingMonitor) throws(StorageError) {
        guard let doubt = state.withLock({ $0.doubt }) else { return }
        _ = try retrying(until: monitor.deadline, monitor: monitor) { () throws(SharedLogError) in
            // Reading will show which bytes are in the slot.
            let isPlaced = try realm.log.append(doubt.bytes, at: doubt.slot, behind: doubt.last)
            if !isPlaced { try realm.log.barrier() }
        }
        state.withLock { $0.doubt = nil }
    }

    /// Whether the next read begins with a barrier.
    var needsBarrier: Bool { state.withLock { $0.needsBarrier } }

    /// Requests a barrier before the next read; always true.
    @discardableResult
    func demandBarrier() -> Bool {
        state.withLock { $0.needsBarrier = true }
        return true
    }

    /// Whether calls no longer wait for the engine.
    var isStopping: Bool { state.withLock { $0.isStopping || $0.opening?.isCancelled ?? false } }

    /// Ends all waits for the engine, since the store is being closed.
    func stopWaiting() {
        state.withLock { $0.isStopping = true }
        realm.log.stopWaiting()
        gate.stop()
    }

    // MARK: Images

    /// How many bytes of the log follow the newest known image.
    var bytesBehindImage: Int {
        state.withLock { Int(clamping: $0.cursor.bytes - min($0.imageBytes, $0.cursor.bytes)) }
    }

    /// Records that an image covers this many bytes of the log.
    func noteImage(of bytes: UInt64) {
        state.withLock { $0.imageBytes = max($0.imageBytes, bytes) }
    }

    /// Continues reading after an image whose tree this host has loaded.
    func resume(from image: SharedImageHeader) {
        state.withLock { state in
            state.cursor = image.cursor
            state.times = CommitTimes(latest: image.time)
            state.needsBarrier = true
        }
        noteImage(of: image.cursor.bytes)
    }

    // MARK: The folder

    private func noteEntries(_ count: Int = 1) {
        let isDue = state.withLock { state in
            state.unrecorded += count
            return state.unrecorded >= Self.entriesPerRecord
        }
        // After a failure, the next opening reads these entries again.
        if isDue { try? recordCursor() }
    }

    /// Records the cursor in the folder.
    func recordCursor() throws(StorageError) {
        try local.sync()
        let cursor = cursor
        guard cursor.isBetweenGroups, cursor.realm != nil else { return }
        try local.requirePlace()
        try SharedRealmFile(host: host, cursor: cursor).write(to: local.store)
        state.withLock { $0.unrecorded = 0 }
    }
}

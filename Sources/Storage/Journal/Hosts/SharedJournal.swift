import Synchronization

/// The journal of a realm that several hosts write: what counts is the shared log, and the segments
/// in the folder of this host are a copy of it.
///
/// A group goes to the shared log first, and then, unsynced, to the log of the folder: what that
/// loses in a crash is read from the shared log again. A host appends behind what it has applied,
/// so that one which lacks something finds the slot taken.
package final class SharedJournal: Journal {
    private struct State: Sendable {
        var cursor: SharedCursor
        var doubt: DoubtfulAppend?
        /// Whether there are, or may be, entries that this host has to apply before it writes.
        var isBehind = false
        var isAppending = false
        /// Whether the engine was out of reach since it last proved what it has.
        var needsBarrier = true
        /// Entries that were read and not applied yet.
        var ahead: [SharedLogEntry] = []
        /// How many entries the file of the folder does not tell of.
        var untold = 0
        /// How much of the log the newest image stands for that this host knows of, in bytes.
        var imageBytes: UInt64 = 0
        /// How this host's copy and the log have parted, for good.
        var divergence: StorageError?
        /// Whether nobody waits any more for an engine that does not answer.
        var isStopping = false
    }

    /// Payloads are cut into pieces of this size.
    static let pieceBytesMax = 4 << 20
    /// An answer with so many bytes may not have been the last one.
    private static let nearBytesMax = 64 << 10
    /// After so many entries the folder records where it stands.
    private static let entriesUntold = 512
    /// How often it goes on from an image that was trimmed as well by the time it had that.
    private static let jumpsMax = 4

    let local: Log
    package let realm: SharedRealm
    /// This host: the folder.
    package let host: Bits128
    /// Where writes wait for other hosts.
    let gate: HostGate
    private let state: Mutex<State>

    init(_ local: Log, _ realm: SharedRealm, host: Bits128, cursor: SharedCursor) {
        self.local = local
        self.realm = realm
        self.host = host
        gate = HostGate(host: host)
        state = Mutex(State(cursor: cursor))
    }

    package var end: LogEnd? { local.end }
    package var life: UInt64 { local.life }
    package var lastLife: UInt64 { local.lastLife }
    package var failure: StorageError? { local.failure }
    package var isWriting: Bool { local.isWriting }
    package var isOnSharedLog: Bool { true }
    package var segments: Log? { local }
    package func fail(_ error: StorageError) { local.fail(error) }

    /// Where this host stands.
    var cursor: SharedCursor { state.withLock { $0.cursor } }

    /// Whether a write would find its slot taken, as far as is known.
    package var isBehind: Bool { state.withLock { $0.isBehind } }

    /// Whether the entry of a slot may be one that this host is appending.
    func isAppending(at slot: LogSlot) -> Bool {
        state.withLock { $0.isAppending && $0.cursor.next == slot }
    }

    // MARK: Appending

    /// Appends the group to the shared log, and then to that of the folder, where the space for it
    /// is claimed before.
    ///
    /// - Throws: ``StorageError/outOfSpace(path:)``, and what ``StorageError/lacksDescriptors``
    ///   says of: the folder cannot take it, so that nothing was appended anywhere;
    ///   ``StorageError/superseded``, ``StorageError/sharedLogUnavailable(reason:)``: nothing of it
    ///   is there, and the journal goes on once ``catchUp(_:)`` was called;
    ///   ``StorageError/commitOutcomeUnknown(cause:)``: likewise, and that will find out;
    ///   ``StorageError/migrated(path:)``: another host has migrated the realm.
    package func append(_ group: CommitGroupBuffer) throws(StorageError) {
        try append(group, isSparing: false)
    }

    package func appendSparingly(_ group: CommitGroupBuffer) throws(StorageError) {
        try append(group, isSparing: true)
    }

    private func append(
        _ group: CommitGroupBuffer, isSparing: Bool
    ) throws(StorageError) {
        guard !group.isEmpty else { return }
        if let failure { throw failure.ofLaterWrites }
        if let divergence = state.withLock({ $0.divergence }) { throw divergence }
        precondition(!group.holdsTree, "A group on a shared log is complete in itself")
        if !isSparing { try local.claimSpace(for: group) }
        let shared = SharedGroup(
            firstVersion: group.firstVersion, lastVersion: group.lastVersion,
            payload: Array(UnsafeRawBufferPointer(group.payload)))
        state.withLock { $0.isAppending = true }
        defer { state.withLock { $0.isAppending = false } }
        let reached = try publish(shared)
        do throws(StorageError) {
            try local.append(group, keptAs: shared)
        } catch {
            if error.isShortage {
                // Others have it. It is read again like theirs, and nothing comes before that: a
                // refusal would have it appended once more.
                state.withLock { $0.isBehind = true }
                throw .commitOutcomeUnknown(cause: error)
            }
            // It is durable all the same: the folder will read it again.
            local.fail(error)
        }
        // Not before: what the folder lacks is read from here on.
        state.withLock { $0.cursor = reached }
        if failure == nil { noteEntries() }
    }

    /// Appends it to the shared log; returns where a host stands that has it.
    private func publish(_ group: SharedGroup) throws(StorageError) -> SharedCursor {
        let (first, last) = (group.firstVersion, group.lastVersion)
        let id = Bits128.random()
        var patience = realm.patience
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
        let epoch = cursor.holder == host ? cursor.epoch : cursor.epoch &+ 1
        repeat {
            let piece = rest.prefix(Self.pieceBytesMax)
            rest = rest.dropFirst(piece.count)
            let entry = SharedEntry(
                kind: rest.isEmpty ? .group : .part, realm: name, slot: cursor.next,
                epoch: epoch, host: host, id: id,
                firstVersion: first.rawValue, lastVersion: last.rawValue,
                previousHash: cursor.hash, payload: Array(piece))
            let bytes = entry.encoded(cipher)
            try place(bytes, behind: cursor, &patience)
            cursor.advance(past: entry, bytes)
        } while !rest.isEmpty
        return cursor
    }

    /// Puts an entry into its slot, however often the connection breaks.
    private func place(
        _ bytes: [UInt8], behind cursor: SharedCursor, _ patience: inout RetryPatience
    ) throws(StorageError) {
        let (slot, last) = (cursor.next, cursor.hash)
        var isInDoubt = false
        while true {
            let answer = Result { () throws(SharedLogError) in
                if try realm.log.append(bytes, at: slot, behind: last) { return true }
                return isInDoubt ? try holds(bytes, at: slot) : false
            }
            switch answer {
            case .success(true): return gate.noteAppend()
            case .success(false):
                gate.noteLoss()
                state.withLock { $0.isBehind = true }
                throw .superseded
            case .failure(let error):
                if case .outcomeUnknown = error { isInDoubt = true }
                if error.mayPass, demandBarrier(), waitsOnceMore(&patience) { continue }
                let doubt = DoubtfulAppend(slot: slot, last: last, bytes: bytes)
                try giveUp(error, isInDoubt ? doubt : nil)
            }
        }
    }

    private func giveUp(
        _ failure: SharedLogError, _ doubt: DoubtfulAppend?
    ) throws(StorageError) -> Never {
        let error = StorageError(failure)
        // Pieces that came before it may be there.
        state.withLock { state in
            state.doubt = doubt
            state.isBehind = true
        }
        if doubt == nil { throw error }
        throw .commitOutcomeUnknown(cause: error)
    }

    // MARK: Reading

    /// Takes note of the next entries, which were read already.
    func lookAhead(_ entries: [SharedLogEntry]) { state.withLock { $0.ahead = entries } }

    /// Calls `apply` with what this host has not applied, up to the end of the log. The caller has
    /// the write turn, and nothing is on its way. `jump` is called where that was removed, to go on
    /// from an image, with ``goOn(from:)``.
    ///
    /// What `apply` throws ends it before that group: it comes again the next time. It ends as well
    /// once `goesOn` is false, at the latest with what it has read by then, or cannot read.
    func catchUp(
        to reach: Reach = .end, while goesOn: () -> Bool = { true },
        _ apply: (SharedGroup) throws(StorageError) -> Void,
        orJump jump: () throws(StorageError) -> Void
    ) throws(StorageError) {
        if let divergence = state.withLock({ $0.divergence }) { throw divergence }
        do throws(StorageError) {
            try settleDoubt(while: goesOn)
            var jumps = 0
            while let trimmed = try readOn(apply, to: reach, while: goesOn) {
                // `trimmed` says where the log begins.
                guard jumps < Self.jumpsMax else { throw trimmed }
                jumps += 1
                do throws(StorageError) { try jump() } catch .sharedLogTrimmed { throw trimmed }
            }
        } catch {
            if case .sharedLogDiverged = error { state.withLock { $0.divergence = error } }
            throw error
        }
        // What was broken off has not come to the end.
        if goesOn() { state.withLock { $0.isBehind = false } }
    }

    /// Reads on as far as that goes; returns what says that the next entry was removed.
    private func readOn(
        _ apply: (SharedGroup) throws(StorageError) -> Void, to reach: Reach,
        while goesOn: () -> Bool
    ) throws(StorageError) -> StorageError? {
        do throws(StorageError) {
            try readEntries(apply, to: reach, while: goesOn)
            return nil
        } catch {
            guard case .sharedLogTrimmed = error else { throw error }
            return error
        }
    }

    private func readEntries(
        _ apply: (SharedGroup) throws(StorageError) -> Void, to reach: Reach,
        while goesOn: () -> Bool
    ) throws(StorageError) {
        var cursor = cursor
        var isDoubtful = state.withLock { $0.isBehind || $0.needsBarrier }
        var ahead = takeAhead(at: cursor.next, isDoubtful: isDoubtful)
        var end: LogSlot?
        var patience = realm.patience
        while goesOn() {
            if isStopping { throw .closed(path: "The store") }
            let isAhead = !ahead.isEmpty
            let (entries, head) = try isAhead ? (ahead, nil) : read(cursor.next, goesOn)
            // Others may append as fast as this host reads.
            if reach == .end, let head { end = head.next }
            // What comes next says itself what it continues.
            guard !entries.isEmpty else {
                if let end, cursor.next < end {
                    // Another server has answered, which does not have what is kept.
                    isDoubtful = demandBarrier()
                    if waitsOnceMore(&patience) { continue }
                    throw .sharedLogUnavailable(
                        reason: "it ends before slot \(end), and does not show \(cursor.next)")
                }
                if isDoubtful {
                    try requireEntry(before: cursor) { (slot) throws(StorageError) in
                        try read(slot, goesOn).entries
                    }
                }
                break
            }
            isDoubtful = false
            for entry in entries {
                let group = try cursor.take(entry, realm.cipher)
                if let group { try apply(group) }
                let reached = cursor
                state.withLock { $0.cursor = reached }
            }
            noteEntries(entries.count)
            let bytes = entries.reduce(0) { $0 + $1.bytes.count }
            if reach == .near, isAhead || bytes < Self.nearBytesMax { break }
            if let end, cursor.next >= end { break }
            ahead = []
        }
    }

    /// The entries that were read before, where they come next and nothing makes them doubtful.
    private func takeAhead(at slot: LogSlot, isDoubtful: Bool) -> [SharedLogEntry] {
        state.withLock { state in
            defer { state.ahead = [] }
            return isDoubtful || state.ahead.first?.slot != slot ? [] : state.ahead
        }
    }

    /// What was read of an engine that had broken off may be lost again, unless something behind
    /// it is kept: then this asks as well where the log ends.
    private func read(
        _ slot: LogSlot, _ goesOn: () -> Bool
    ) throws(StorageError) -> (entries: [SharedLogEntry], head: SharedLogHead?) {
        let (head, entries) = try retrying(while: goesOn) { () throws(SharedLogError) in
            var head: SharedLogHead?
            if state.withLock({ $0.needsBarrier }) {
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

    /// Finds out what became of an append, by appending the same bytes to the same slot: whatever
    /// was on its way comes to the same.
    private func settleDoubt(while goesOn: () -> Bool) throws(StorageError) {
        guard let doubt = state.withLock({ $0.doubt }) else { return }
        _ = try retrying(while: goesOn) { () throws(SharedLogError) in
            // Whether it is these bytes or others that are there, reading will tell.
            let isPlaced = try realm.log.append(doubt.bytes, at: doubt.slot, behind: doubt.last)
            if !isPlaced { try realm.log.barrier() }
        }
        state.withLock { $0.doubt = nil }
    }

    /// Has the engine prove what it keeps before anything is read the next time; always true.
    @discardableResult
    func demandBarrier() -> Bool {
        state.withLock { $0.needsBarrier = true }
        return true
    }

    /// Whether no call waits for the engine any more.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Ends the waits for an engine that does not answer, since the store is being closed.
    func stopWaiting() {
        state.withLock { $0.isStopping = true }
        realm.log.stopWaiting()
        gate.stop()
    }

    // MARK: Images

    /// How many bytes of the log lie behind the newest image, as far as is known.
    var bytesBehindImage: Int {
        state.withLock { Int(clamping: $0.cursor.bytes - min($0.imageBytes, $0.cursor.bytes)) }
    }

    /// There is an image of so many bytes of the log.
    func noteImage(of bytes: UInt64) {
        state.withLock { $0.imageBytes = max($0.imageBytes, bytes) }
    }

    /// Continues reading behind an image whose tree this host has taken over.
    func goOn(from image: SharedImageHeader) {
        state.withLock { state in
            state.cursor = image.cursor
            state.needsBarrier = true
        }
        noteImage(of: image.cursor.bytes)
    }

    // MARK: The folder

    private func noteEntries(_ count: Int = 1) {
        let isDue = state.withLock { state in
            state.untold += count
            return state.untold >= Self.entriesUntold
        }
        // What fails here is read once more after the next opening.
        if isDue { try? noteInFolder() }
    }

    /// Records in the folder where this host stands.
    func noteInFolder() throws(StorageError) {
        try local.sync()
        let cursor = cursor
        guard cursor.isBetweenGroups, cursor.realm != nil else { return }
        try SharedRealmFile(host: host, cursor: cursor).write(to: local.store)
        state.withLock { $0.untold = 0 }
    }

    package func sync() throws(StorageError) { try local.sync() }

    package func close() throws(StorageError) {
        realm.log.close()
        if failure == nil { try? noteInFolder() }
        try local.close()
    }
}

import Synchronization

/// The participation of this host in a shared log: watches the log, triggers the application of
/// other hosts' entries, and passes the writer lease on.
package final class HostSharing: Sendable {
    private struct State {
        var isStopped = false
        /// The end of the log when there were entries to apply; nil if there were none.
        var end: KnownLogEnd?
        /// Whether entries wait to be applied.
        var isApplying = false
        /// The error of the last attempt to apply entries.
        var lastError: StorageError?
        /// Messages that are pending until all earlier entries are applied.
        var messages: [HostMessage] = []
    }

    /// How soon a failed call to the engine is repeated.
    private static let retryInterval = Duration.milliseconds(100)
    /// How many bytes are prefetched.
    private static let pollBytes = 64 << 10
    /// The interval at which a wait for the end of an own append checks whether it was stopped.
    private static let stopInterval = Duration.milliseconds(100)
    /// The interval at which the status follows the log while entries wait to be applied.
    private static let statusInterval = Duration.seconds(1)

    package let journal: SharedJournal
    private let thread = SerialThread(name: "RealmActors hosts")
    private let state = Mutex(State())
    package let statuses: HostStatuses
    /// The opening of the store that this instance belongs to.
    private let opening: Int
    /// Called when there are entries to apply; calls back with the outcome.
    private let onEntries: @Sendable (@escaping @Sendable (Outcome) -> Void) -> Void
    /// Called each time before the log is watched again, so after each append.
    private let onWatch: @Sendable () -> Void
    /// Called to pass the lease to another host: ends with ``pass(to:_:)``, or with
    /// ``HostGate/keep()``.
    private let onHandover: @Sendable (Bits128, HandoverReason) -> Void

    /// The outcome of a request to apply entries.
    enum Outcome {
        case applied
        /// They were not applied, and the request has to be repeated.
        case failed
        /// They never will be applied.
        case abandoned
    }

    /// Why this host passes the writer lease on.
    enum HandoverReason {
        case sliceEnded
        /// This host is idle. The lease is kept if a write has begun by then.
        case idle
    }

    /// - Parameter before: the instance from before the store was reopened, whose watchers this
    ///   one continues to call, unless the store was closed.
    init(
        _ journal: SharedJournal, after before: HostSharing?,
        onEntries: @escaping @Sendable (@escaping @Sendable (Outcome) -> Void) -> Void,
        onWatch: @escaping @Sendable () -> Void,
        onHandover: @escaping @Sendable (Bits128, HandoverReason) -> Void
    ) {
        self.journal = journal
        self.onEntries = onEntries
        self.onWatch = onWatch
        self.onHandover = onHandover
        let earlier = before?.statuses
        statuses = earlier.flatMap { $0.hasEnded ? nil : $0 } ?? HostStatuses()
        opening = statuses.beginOpening()
        note(isConnected: true)
        journal.onProgress { [weak self] in self?.noteProgress() }
        // The engine has answered; whether the response was stale is read there.
        journal.onStaleness { [weak self] in self?.note(isConnected: true) }
    }

    // MARK: The lease

    /// Waits while another host has the writer lease, for a limited time.
    func awaitLease(timeout: Duration?) async {
        await journal.gate.enter(timeout: timeout) { isLate in
            send([.request(journal.host, isLate: isLate)])
        } pass: { requester in
            onHandover(requester, .sliceEnded)
        }
    }

    /// Passes the lease to another host. All appends of this one are durable.
    func pass(to next: Bits128, _ reason: HandoverReason) {
        journal.gate.passed(to: next)
        note()
        var messages = [HostMessage.pass(from: journal.host, to: next)]
        if reason == .sliceEnded { messages.append(.request(journal.host, isLate: false)) }
        send(messages)
    }

    private func send(_ messages: [HostMessage]) {
        BlockingWork.start { [log = journal.realm.log] in
            for message in messages { try? log.send(message.bytes) }
        }
    }

    /// Passes the writer lease on if another host waits and this one is idle.
    private func offerLease() {
        if isStopped { return }
        guard let (requester, delay) = journal.gate.successor else { return }
        if delay > .zero {
            thread.runWhenIdle(after: delay) { [weak self] in self?.offerLease() }
        } else {
            onHandover(requester, .idle)
        }
    }

    // MARK: Watching

    /// Begins to watch.
    func begin() { thread.run { [weak self] in self?.watch() } }

    /// Ends watching. Returns at once.
    func stop() {
        state.withLock { $0.isStopped = true }
        journal.gate.stop()
        journal.realm.log.wake()
        thread.stop {}
    }

    /// The store was closed, or released: ends the watches of the status.
    func end() { statuses.end() }

    package var status: Status { statuses.status }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Watches the log for the next entry and for messages. Returns at once.
    private func watch() {
        if isStopped { return }
        onWatch()
        offerLease()
        let next = journal.cursor.next
        journal.realm.log.watch(for: next) { [weak self] news in
            self?.thread.run { [weak self] in self?.poll(at: next, news) }
        }
    }

    /// Reads new entries, triggers their application, and continues to watch.
    ///
    /// - Parameter isRepeated: whether it follows another poll: the known end of the log, which a
    ///   failover may have lost, was verified then.
    private func poll(
        at next: LogSlot, _ news: Result<[[UInt8]], SharedLogError>, isRepeated: Bool = false
    ) {
        if isStopped { return }
        let known = isRepeated ? nil : journal.realm.log.knownNext
        do throws(SharedLogError) {
            let isPassedOn = take(try news.get())
            guard let entries = try entries(from: next) else {
                noteAllApplied()
                return isPassedOn ? pollAgain() : watch()
            }
            // The response is stale, or a failover has lost the entry.
            if entries.isEmpty, let known, known > next { journal.demandBarrier() }
            // An engine that was unreachable may have lost entries that this host has.
            if entries.isEmpty, journal.needsBarrier || journal.isStale {
                try awaitProof()
                return apply { sharing, _ in sharing.pollAgain() }
            }
            if entries.isEmpty {
                noteAllApplied()
                deliver()
                return watch()
            }
            let bytes = entries.reduce(0) { $0 + $1.bytes.count }
            // There may be more entries already.
            let isFar = bytes > Self.pollBytes / 2
            note(end: end(behind: entries, at: next, isFar: isFar))
            journal.notePrefetched(entries)
            apply { sharing, isApplied in
                if isApplied { sharing.noteApplied() }
                if isFar { return sharing.pollAgain() }
                if isApplied, isPassedOn { sharing.deliver() }
                sharing.watch()
            }
        } catch .closed {
            return
        } catch .trimmed(let first) {
            note(end: end(behind: [], at: first, isFar: true))
            apply { sharing, _ in sharing.pollAgain() }
        } catch {
            journal.demandBarrier()
            note(isConnected: false)
            Platform.pause(for: Self.retryInterval)
            // No other notification may follow, so it has to retry.
            if error.isTransient { pollAgain() } else { watch() }
        }
    }

    /// The entries of others from a slot on; nil if this host has filled the slot, before or during
    /// the call, which wakes the watch as well.
    private func entries(from slot: LogSlot) throws(SharedLogError) -> [SharedLogEntry]? {
        if hasAppended(slot) { return nil }
        let entries = try journal.realm.log.entries(from: slot, bytesMax: Self.pollBytes)
        return hasAppended(slot) ? nil : entries
    }

    /// Waits until the engine can prove what it has: reading requires that again, but with the
    /// turn, for which writes wait meanwhile. A refusal is left to that.
    private func awaitProof() throws(SharedLogError) {
        do throws(SharedLogError) {
            try journal.realm.log.barrier()
            note(end: nil)
        } catch {
            if error.isTransient { throw error }
        }
    }

    private func pollAgain() {
        let next = journal.cursor.next
        thread.run { [weak self] in self?.poll(at: next, .success([]), isRepeated: true) }
    }

    /// Processes messages; true while a handover of the lease is pending until the entries before
    /// it are applied.
    private func take(_ messages: [[UInt8]]) -> Bool {
        let messages = messages.compactMap(HostMessage.init)
        let (requests, waits) = state.withLock { state in
            let isPassedOn = !state.messages.isEmpty
            let requests = messages.prefix {
                if case .request = $0, !isPassedOn { true } else { false }
            }
            state.messages += messages.dropFirst(requests.count)
            return (Array(requests), !state.messages.isEmpty)
        }
        journal.gate.receive(requests)
        return waits
    }

    /// Delivers the pending messages: all earlier entries are applied.
    private func deliver() {
        let messages = state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
        if messages.isEmpty { return }
        journal.gate.receive(messages)
        // They may have passed the lease on.
        note()
    }

    /// Whether the entry of a slot is one of this host, which has applied it. Waits for an append
    /// in progress.
    private func hasAppended(_ slot: LogSlot) -> Bool {
        while !journal.awaitAppend(at: slot, upTo: Self.stopInterval), !isStopped {}
        return journal.cursor.next != slot
    }

    /// Triggers the application of entries. `continuation` gets whether they were applied;
    /// otherwise it must trigger that again.
    private func apply(then continuation: @escaping @Sendable (HostSharing, Bool) -> Void) {
        state.withLock { $0.isApplying = true }
        onEntries { [weak self] outcome in
            guard let self else { return }
            state.withLock { $0.isApplying = false }
            if outcome == .abandoned { return }
            thread.run { [weak self] in
                if let self { continuation(self, outcome == .applied) }
            }
        }
        noteGrowthAtIntervals()
    }

    /// Whether entries wait to be applied.
    var isApplying: Bool { state.withLock { $0.isApplying } }

    /// The entries of others that were read are applied.
    private func noteApplied() {
        let author = journal.cursor.lastWriter
        if author != journal.host { journal.gate.noteEntry(of: author) }
        note(isConnected: true)
    }

    // MARK: The status

    /// Updates the status from what is known now.
    ///
    /// - Parameter isConnected: nil if the engine was not called.
    private func note(isConnected: Bool? = nil) {
        statuses.update(of: opening) { status in
            // Read here, so that no older state replaces a newer one.
            let cursor = journal.cursor
            let (end, error) = state.withLock { ($0.end, $0.lastError) }
            status.isConnected = (isConnected ?? status.isConnected) && !journal.isStale
            status.lastError = error
            status.lastWriter = cursor.lastWriter == .zero ? nil : cursor.lastWriter
            status.leaseHolder = journal.gate.leaseHolder
            status.entriesBehind = 0
            status.versionsBehind = 0
            guard let end, cursor.next < end.next else { return }
            status.entriesBehind = Int(clamping: end.next.rawValue - cursor.next.rawValue)
            let version = min(cursor.version.rawValue, end.version)
            status.versionsBehind = Int(clamping: end.version - version)
        }
    }

    /// The engine has answered, and the log ends at `end`; nil if there is nothing to apply.
    private func note(end: KnownLogEnd?) {
        state.withLock { $0.end = end }
        note(isConnected: true)
    }

    /// The engine has answered, and there is nothing to apply.
    private func noteAllApplied() {
        state.withLock { $0.lastError = nil }
        note(end: nil)
    }

    /// Entries could not be applied.
    func noteFailure(_ error: any Error) {
        guard let error = error as? StorageError, !isStopped else { return }
        state.withLock { $0.lastError = error }
        note()
    }

    /// Entries of others were applied.
    private func noteProgress() {
        let cursor = journal.cursor
        journal.gate.noteRead(of: cursor.lastWriter)
        let (end, hadFailed) = state.withLock { state in
            defer { state.lastError = nil }
            return (state.end, state.lastError != nil)
        }
        // If they are all, that is noted once the end of the log was checked.
        let isBehind = end.map { cursor.next < $0.next } ?? false
        if isBehind || hadFailed { note() }
    }

    /// The end of the log, as far as it is known.
    ///
    /// - Parameters:
    ///   - entries: those that were read last.
    ///   - slot: the slot from which on they were read.
    ///   - isFar: whether there may be many more.
    private func end(
        behind entries: [SharedLogEntry], at slot: LogSlot, isFar: Bool
    ) -> KnownLogEnd {
        let version = journal.cursor.version.rawValue
        var end = KnownLogEnd(next: slot, examined: slot, version: version)
        if let last = entries.last { end.note(last) }
        // One call for many batches of entries is enough.
        let known = state.withLock { $0.end }
        let isExamined = known.map { $0.examined > end.examined } ?? false
        if let known, isExamined { end = known }
        extend(&end, readsHeader: isFar && !isExamined)
        return end
    }

    /// Advances an end to the last slot that is known to be filled.
    ///
    /// - Parameters:
    ///   - end: the end that is advanced.
    ///   - readsHeader: whether to read the version there, which takes a call of the engine.
    private func extend(_ end: inout KnownLogEnd, readsHeader: Bool) {
        let log = journal.realm.log
        guard let next = log.knownNext else { return }
        end.next = max(end.next, next)
        guard readsHeader, next > end.examined, let slot = next.previous else { return }
        let newest = try? log.entries(from: slot, prefix: SharedEntry.headerSize)
        if let last = newest?.last { end.note(last) }
    }

    /// Notes what others append while entries wait to be applied: for the end of a write of this
    /// host, or for space on its disk.
    private func noteGrowthAtIntervals() {
        guard isApplying else { return }
        thread.runWhenIdle(after: Self.statusInterval) { [weak self] in
            // By now they may be applied.
            guard let self, isApplying else { return }
            noteGrowth()
            noteGrowthAtIntervals()
        }
    }

    private func noteGrowth() {
        let cursor = journal.cursor
        let own = KnownLogEnd(
            next: cursor.next, examined: cursor.next, version: cursor.version.rawValue)
        var end = state.withLock { $0.end } ?? own
        extend(&end, readsHeader: true)
        let reached = end
        state.withLock { $0.end = reached }
        note()
    }
}

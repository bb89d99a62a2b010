/// The rotation of the writer lease among the hosts that want to write, as one of them sees it.
///
/// It provides fairness, and avoids appends that lose against those of other hosts. Correctness
/// does not depend on it, since the log decides which append is first: messages may be lost, and
/// clocks may differ.
///
/// A host writes for as long as no other requests the lease, and for a time slice if one does. Then
/// it passes the lease to the host that requested it first, and requests it itself. A waiting host
/// takes the lease over after a timeout without an entry or a message of another one.
struct HostRotation: Sendable {
    /// What a write of this host has to do next.
    enum Step: Hashable {
        case write
        case wait
        /// Notify the others that this host waits, and whether it got the lease too late to use it.
        /// To be followed by another step.
        case request(isLate: Bool)
        /// The time slice is over: once all writes in progress have ended, ``passed(to:at:)`` is to
        /// be called. To be followed by another step.
        case pass(to: Bits128)
    }

    private enum Phase: Hashable {
        case writing
        /// Waits for the end of its own appends.
        case passing(since: Instant)
        case waiting(since: Instant, requested: Instant?)
    }

    /// The time slice of a host while others wait.
    static let share = Duration.milliseconds(20)
    /// After so long without an append, a host is idle.
    static let pause = Duration.milliseconds(3)
    /// The limits of the timeout after which a waiting host without messages takes the lease over.
    static let takeOverTimeouts = Duration.milliseconds(20)...Duration.seconds(2)
    /// How long it waits at most.
    static let waitMax = Duration.seconds(2)
    /// The interval at which a waiting host repeats its request, since a message may be lost.
    static let requestInterval = Duration.milliseconds(100)
    /// How many appends a host loses before it requests the lease.
    static let lossesMax = 2

    private(set) var host: Bits128
    private var phase = Phase.writing
    /// The other hosts that have requested the lease, in the order of their requests.
    private var waitingHosts: [Bits128] = []
    /// Since when this host holds the lease; nil while another one does.
    private var began: Instant?
    private var lastAppend: Instant?
    /// The host that has the lease, from the last append or message that this one knows of; nil if
    /// that does not tell. A message may be lost, and a host may write without the lease.
    private(set) var leaseHolder: Bits128?
    /// When another host last appended, or passed the lease.
    private var lastActivity: Instant?
    private var losses = 0
    /// Since when it waits without having appended an entry.
    private var waitBegan: Instant?
    /// The timeout for activity of others; increased after it was too short.
    private(set) var takeOverTimeout = takeOverTimeouts.lowerBound
    /// Whether it has taken the lease over after a timeout.
    private var hasTakenOver = false
    /// The host that the lease was passed to, until it has appended or passed the lease.
    private var expected: Bits128?
    /// Whether the lease was passed to this host, and it has not appended since.
    private var hasUnusedLease = false
    /// Whether it then lost an append to another host.
    private var isLate = false
    private var lastMessage: Instant?
    /// Whether messages do not arrive, so that waiting for one is pointless.
    private var lacksMessages = false
    private var mustRequest = false

    init(host: Bits128) { self.host = host }

    /// Continues with another identifier, since another host has the present one as well.
    mutating func rename(_ new: Bits128) { host = new }

    /// When ``next(at:)`` will return another step without an event; nil unless it returns to wait.
    var waitEnd: Instant? {
        guard let takeOverTime else { return nil }
        guard case .waiting(_, let requested?) = phase else { return takeOverTime }
        return min(takeOverTime, requested + Self.requestInterval)
    }

    /// When this host takes the lease over; nil while it does not wait.
    private var takeOverTime: Instant? {
        switch phase {
        case .writing: nil
        case .passing(let since): since + Self.waitMax
        case .waiting(let since, _):
            min(max(lastActivity ?? since, since) + takeOverTimeout, since + Self.waitMax)
        }
    }

    // MARK: Writing

    /// What a write has to do before it begins.
    mutating func next(at now: Instant) -> Step {
        if let takeOverTime, now >= takeOverTime { takeOver(at: now) }
        switch phase {
        case .writing:
            if mustRequest {
                mustRequest = false
                return request()
            }
            guard let requester = waitingHosts.first, !lacksMessages else { return .write }
            guard let began else {
                wait(from: now, requested: now)
                return request()
            }
            // The time slice begins with the first append, however late that is.
            if hasUnusedLease || now - began < Self.share { return .write }
            phase = .passing(since: now)
            return .pass(to: requester)
        case .passing: return .wait
        case .waiting(let since, let requested):
            if let requested, now - requested < Self.requestInterval { return .wait }
            phase = .waiting(since: since, requested: now)
            return request()
        }
    }

    private mutating func request() -> Step {
        defer { isLate = false }
        return .request(isLate: isLate)
    }

    private mutating func wait(from now: Instant, requested: Instant?) {
        let began = waitBegan ?? now
        waitBegan = began
        phase = .waiting(since: began, requested: requested)
    }

    private mutating func takeOver(at now: Instant) {
        expected = nil
        waitBegan = nil
        if case .waiting(let since, _) = phase {
            hasTakenOver = now < since + Self.waitMax
            lacksMessages = !hasTakenOver && (lastMessage ?? since) <= since
        }
        phase = .writing
        // Hosts with earlier requests do not respond either, or will repeat them.
        waitingHosts = []
        began = now
        leaseHolder = host
    }

    /// The host has appended something.
    mutating func noteAppend(at now: Instant) {
        losses = 0
        waitBegan = nil
        began = hasUnusedLease ? now : began ?? now
        hasUnusedLease = false
        lastAppend = now
        leaseHolder = host
        hasTakenOver = false
    }

    /// Another host was first.
    mutating func noteLoss(at now: Instant) {
        lastActivity = now
        began = nil
        // The entry, which says who was first, is not read yet.
        leaseHolder = nil
        if hasTakenOver { waitLonger() }
        hasTakenOver = false
        isLate = isLate || hasUnusedLease
        hasUnusedLease = false
        losses += 1
        guard losses >= Self.lossesMax, phase == .writing else { return }
        losses = 0
        if lacksMessages {
            mustRequest = true
        } else {
            wait(from: now, requested: nil)
        }
    }

    private mutating func waitLonger() {
        takeOverTimeout = min(takeOverTimeout * 2, Self.takeOverTimeouts.upperBound)
    }

    // MARK: Others

    /// Another host has appended something.
    mutating func noteEntry(of author: Bits128, at now: Instant) {
        lastActivity = now
        began = nil
        leaseHolder = author
        if author == expected { noteResponse() }
        expected = nil
    }

    /// This host has read entries, perhaps old ones, which say nothing of the present.
    mutating func noteRead(of author: Bits128) { leaseHolder = author }

    /// The host that the lease was passed to has responded in time. The timeout shrinks slowly,
    /// since a slow host has the lease only occasionally.
    private mutating func noteResponse() {
        takeOverTimeout = max(
            takeOverTimeout - takeOverTimeout / 8, Self.takeOverTimeouts.lowerBound)
    }

    /// Processes a message, once all entries from before it was sent are applied; true if waiting
    /// writes may continue.
    mutating func receive(_ message: HostMessage, at now: Instant) -> Bool {
        switch message {
        case .request(let requester, let isLate):
            guard requester != host else { return false }
            noteMessage(at: now)
            if isLate { waitLonger() }
            if !waitingHosts.contains(requester) { waitingHosts.append(requester) }
            return false
        case .pass(let sender, let next):
            guard sender != host else { return false }
            noteMessage(at: now)
            waitingHosts.removeAll { $0 == next }
            lastActivity = now
            if sender == expected { noteResponse() }
            expected = next == host ? nil : next
            began = next == host ? now : nil
            leaseHolder = next
            hasUnusedLease = next == host
            guard next == host, case .waiting = phase else { return false }
            phase = .writing
            return true
        }
    }

    private mutating func noteMessage(at now: Instant) {
        lastMessage = now
        lacksMessages = false
    }

    /// The first waiting host, and when it gets the lease if this host is idle by then; nil if
    /// there is none, or another host holds the lease.
    ///
    /// - Parameter isAboutToWrite: whether there are writes that have not begun.
    func successor(isAboutToWrite: Bool) -> (host: Bits128, notBefore: Instant)? {
        guard phase == .writing, let began, let requester = waitingHosts.first, !isAboutToWrite
        else { return nil }
        // After a handover, the first write gets time to append its entry.
        let idle = max(lastAppend ?? began, began) + Self.pause
        return (requester, hasUnusedLease ? idle : min(began + Self.share, idle))
    }

    /// This host has passed the lease to another one.
    mutating func passed(to next: Bits128, at now: Instant) {
        waitingHosts.removeAll { $0 == next }
        lastActivity = now
        began = nil
        leaseHolder = next
        expected = next
        if case .passing = phase {
            wait(from: now, requested: now)
        } else {
            wait(from: now, requested: nil)
        }
    }

    /// The lease was not passed on.
    mutating func keep() {
        if case .passing = phase { phase = .writing }
    }
}

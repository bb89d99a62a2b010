/// Which of the hosts that want to write is the one that does, as one of them sees it.
///
/// It is for fairness, and to avoid appends that lose against those of other hosts: the log alone
/// decides which append is first. So messages may be lost, and clocks may differ.
///
/// A host writes for as long as no other asks, and a share of time beside one that does. Then it
/// passes on to the host that has asked first, and asks itself. One that waits takes over when
/// it receives no sign of another one for a while.
struct HostRotation: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// What a write of this host is to do.
    enum Step: Hashable {
        case write
        case wait
        /// Notify the others that this host waits, and whether it was too late to use its turn. To
        /// be followed by another step.
        case ask(isLate: Bool)
        /// The host has had its share: once all that it has under way has ended, ``passed(to:at:)``
        /// is to be called. To be followed by another step.
        case pass(to: Bits128)
    }

    private enum Phase: Hashable {
        case writing
        /// Waits for the end of its own appends.
        case passing(since: Instant)
        case waiting(since: Instant, asked: Instant?)
    }

    /// How long a host writes beside others that want to.
    static let share = Duration.milliseconds(20)
    /// So long without an append, a host has nothing to write for now.
    static let pause = Duration.milliseconds(3)
    /// How long a host that waits receives no sign before it takes over, at least and at most.
    static let silences = Duration.milliseconds(20)...Duration.seconds(2)
    /// How long it waits, whatever it receives.
    static let patience = Duration.seconds(2)
    /// A host that waits asks so often, since a message may be lost.
    static let askInterval = Duration.milliseconds(100)
    /// How often others come first before a host asks.
    static let lossesMax = 2

    let host: Bits128
    private var phase = Phase.writing
    /// The others that have asked, the first one first.
    private var askers: [Bits128] = []
    /// Since when this host has been the one that writes; nil while another one is.
    private var began: Instant?
    private var lastAppend: Instant?
    /// When there was last a sign of another host.
    private var heard: Instant?
    private var losses = 0
    /// Since when it waits without having appended anything.
    private var waitBegan: Instant?
    /// How long it waits for such a sign: longer after that was too short.
    private(set) var silence = silences.lowerBound
    /// Whether it writes because it received no sign.
    private var hasTakenOver = false
    /// The host that was given the writer lease, and has shown no sign of it yet.
    private var expected: Bits128?
    /// Whether this host was given the writer lease, and has not appended anything since.
    private var hasTurn = false
    /// Whether another one was first then.
    private var isLate = false
    private var lastMessage: Instant?
    /// Whether messages do not arrive, so that waiting for one is of no use.
    private var isDeaf = false
    private var mustAsk = false

    init(host: Bits128) { self.host = host }

    /// When ``next(at:)`` will say something else, unless something comes before; nil where it
    /// does not say to wait.
    var waitEnd: Instant? {
        guard let takeOverTime else { return nil }
        guard case .waiting(_, let asked?) = phase else { return takeOverTime }
        return min(takeOverTime, asked + Self.askInterval)
    }

    /// When this host waits no longer; nil while it does not wait.
    private var takeOverTime: Instant? {
        switch phase {
        case .writing: nil
        case .passing(let since): since + Self.patience
        case .waiting(let since, _):
            min(max(heard ?? since, since) + silence, since + Self.patience)
        }
    }

    // MARK: Writing

    /// What a write that is about to begin has to do first.
    mutating func next(at now: Instant) -> Step {
        if let takeOverTime, now >= takeOverTime { takeOver(at: now) }
        switch phase {
        case .writing:
            if mustAsk {
                mustAsk = false
                return ask()
            }
            guard let asker = askers.first, !isDeaf else { return .write }
            guard let began else {
                wait(from: now, asked: now)
                return ask()
            }
            // Its share of time begins with what it appends, however late its writes go on.
            if hasTurn || now - began < Self.share { return .write }
            phase = .passing(since: now)
            return .pass(to: asker)
        case .passing: return .wait
        case .waiting(let since, let asked):
            if let asked, now - asked < Self.askInterval { return .wait }
            phase = .waiting(since: since, asked: now)
            return ask()
        }
    }

    private mutating func ask() -> Step {
        defer { isLate = false }
        return .ask(isLate: isLate)
    }

    private mutating func wait(from now: Instant, asked: Instant?) {
        let began = waitBegan ?? now
        waitBegan = began
        phase = .waiting(since: began, asked: asked)
    }

    private mutating func takeOver(at now: Instant) {
        expected = nil
        waitBegan = nil
        if case .waiting(let since, _) = phase {
            hasTakenOver = now < since + Self.patience
            isDeaf = !hasTakenOver && (lastMessage ?? since) <= since
        }
        phase = .writing
        // Hosts that asked before are not responding either, or will ask again.
        askers = []
        began = now
    }

    /// The host has appended something.
    mutating func noteAppend(at now: Instant) {
        losses = 0
        waitBegan = nil
        began = hasTurn ? now : began ?? now
        hasTurn = false
        lastAppend = now
        hasTakenOver = false
    }

    /// Another host was first.
    mutating func noteLoss(at now: Instant) {
        heard = now
        began = nil
        if hasTakenOver { waitLonger() }
        hasTakenOver = false
        isLate = isLate || hasTurn
        hasTurn = false
        losses += 1
        guard losses >= Self.lossesMax, phase == .writing else { return }
        losses = 0
        if isDeaf {
            mustAsk = true
        } else {
            wait(from: now, asked: nil)
        }
    }

    private mutating func waitLonger() {
        silence = min(silence * 2, Self.silences.upperBound)
    }

    // MARK: Others

    /// Another host has appended something.
    mutating func noteEntry(of author: Bits128, at now: Instant) {
        heard = now
        began = nil
        if author == expected { noteSign() }
        expected = nil
    }

    /// A host that was given the writer lease has shown a sign in time. Shorter little by little:
    /// one that is slower than the others has its turn now and then only.
    private mutating func noteSign() {
        silence = max(silence - silence / 8, Self.silences.lowerBound)
    }

    /// Takes a message, once all entries from before it was sent are applied; true when writes that
    /// wait may go on.
    mutating func receive(_ message: HostMessage, at now: Instant) -> Bool {
        switch message {
        case .ask(let asker, let isLate):
            guard asker != host else { return false }
            noteMessage(at: now)
            if isLate { waitLonger() }
            if !askers.contains(asker) { askers.append(asker) }
            return false
        case .pass(let sender, let next):
            guard sender != host else { return false }
            noteMessage(at: now)
            askers.removeAll { $0 == next }
            heard = now
            if sender == expected { noteSign() }
            expected = next == host ? nil : next
            began = next == host ? now : nil
            hasTurn = next == host
            guard next == host, case .waiting = phase else { return false }
            phase = .writing
            return true
        }
    }

    private mutating func noteMessage(at now: Instant) {
        lastMessage = now
        isDeaf = false
    }

    /// The host that waits for this one, and when it is its turn, if this host has nothing to write
    /// by then; nil while nobody waits, or another host writes.
    ///
    /// - Parameter isAboutToWrite: whether writes are known of that have not begun.
    func successor(isAboutToWrite: Bool) -> (host: Bits128, notBefore: Instant)? {
        guard phase == .writing, let began, let asker = askers.first, !isAboutToWrite else {
            return nil
        }
        // Writes that are about to begin have yet to append something.
        let idle = max(lastAppend ?? began, began) + Self.pause
        return (asker, hasTurn ? idle : min(began + Self.share, idle))
    }

    /// This host has written all that it wanted to, and lets another one go on.
    mutating func passed(to next: Bits128, at now: Instant) {
        askers.removeAll { $0 == next }
        heard = now
        began = nil
        expected = next
        if case .passing = phase {
            wait(from: now, asked: now)
        } else {
            wait(from: now, asked: nil)
        }
    }

    /// It was not passed on.
    mutating func keep() {
        if case .passing = phase { phase = .writing }
    }
}

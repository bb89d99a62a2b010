package import Storage
import Synchronization

/// A shared log whose engine and network fail in the ways that real ones do, as a seed says: the
/// same calls in the same order have the same outcomes.
///
/// Without faults it is a log as any other.
package final class SimulatedSharedLog: SharedLog {
    /// How often something fails: once in so many calls; nil for never.
    package struct Faults: Sendable {
        /// The request is lost on its way: nothing is written, and the outcome is unknown.
        package var requestLost: Int?
        /// The acknowledgement is lost: the entry is there, and the outcome is unknown.
        package var acknowledgementLost: Int?
        /// The request arrives later, when the outcome was told to be unknown.
        package var requestDelayed: Int?
        /// The request arrives once more, later.
        package var requestDuplicated: Int?
        package var messageLost: Int?
        package var messageDuplicated: Int?
        /// A watch does not notice what happens.
        package var notificationLost: Int?
        /// A host cannot reach the engine for the next ``outageLength`` calls.
        package var outage: Int?
        package var outageLength = 5
        /// A read does not see the newest entries, as one of a server that lags behind. The head is
        /// never stale.
        package var staleRead: Int?

        package init() {}

        /// Everything that an engine may do to its hosts.
        package static let all = {
            var faults = Faults()
            faults.requestLost = 12
            faults.acknowledgementLost = 12
            faults.requestDelayed = 12
            faults.requestDuplicated = 12
            faults.messageLost = 4
            faults.messageDuplicated = 4
            faults.notificationLost = 4
            faults.outage = 40
            faults.staleRead = 12
            return faults
        }()
    }

    private let engine: Engine
    private let log: MemorySharedLog
    /// How many of the next calls do not reach the engine.
    private let outage = Mutex(0)
    /// Which of the engine's connections this host has.
    private let connection: Mutex<Int>
    /// What happens to the process of this host after so many parts of an image.
    private let death = Mutex<(parts: Int, kill: @Sendable () -> Void)?>(nil)
    /// What happens to it in an append.
    private let appendDeath = Mutex<(moment: AppendMoment, kill: @Sendable () -> Void)?>(nil)
    /// How many entries a call returns at most that other hosts are about to interrupt.
    private static let interruptedEntries = 1

    package init(_ engine: Engine) {
        self.engine = engine
        log = MemorySharedLog(engine.memory)
        connection = Mutex(engine.connections)
    }

    /// Cuts this host off for so many calls, or until ``heal()``.
    package func cutOff(forCalls count: Int = .max) { outage.withLock { $0 = count } }

    package func heal() { outage.withLock { $0 = 0 } }

    /// What every call begins with: late requests arrive, and this one may not.
    private func reach() throws(SharedLogError) {
        engine.deliverLateRequests()
        let isCutOff = outage.withLock { outage in
            if outage == 0, engine.happens(\.outage) { outage = engine.faults.outageLength }
            guard outage > 0 else { return false }
            if outage < .max { outage -= 1 }
            return true
        }
        if isCutOff { throw .unavailable("cut off") }
        let connections = engine.connections
        let hasEnded = connection.withLock { connection in
            defer { connection = connections }
            return connection != connections
        }
        if hasEnded { throw .unavailable("the connection has ended") }
    }

    package func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool {
        try reach()
        if dies(.before) { throw .unavailable("the process has died") }
        let request = Engine.Request(entry: entry, slot: slot, last: last)
        if engine.areStandbysAway {
            engine.delay(request)
            throw .outcomeUnknown("no standby has answered")
        }
        if engine.happens(\.requestLost) { throw .outcomeUnknown("the request was lost") }
        if engine.happens(\.requestDelayed) {
            engine.delay(request)
            if engine.canary == .acknowledgesEarly { return true }
            throw .outcomeUnknown("the request is late")
        }
        if engine.happens(\.requestDuplicated) { engine.delay(request) }
        let isFirst = try place(request)
        // What can be read is kept, with all that came before. That a slot was taken the engine
        // finds by reading.
        if isFirst { engine.keep(through: slot) }
        if isFirst, dies(.after) { throw .outcomeUnknown("the process has died") }
        if engine.happens(\.acknowledgementLost) {
            if engine.canary == .retriesInNewSlot { return try repeatBehind(entry) }
            throw .outcomeUnknown("the acknowledgement was lost")
        }
        return isFirst
    }

    private func place(_ request: Engine.Request) throws(SharedLogError) -> Bool {
        guard engine.canary == .appendsWithoutCondition, try log.head().next > request.slot else {
            return try log.append(request.entry, at: request.slot, behind: request.last)
        }
        engine.memory.loseEntries(from: request.slot)
        return try log.append(request.entry, at: request.slot)
    }

    /// Appends the entry once more, behind all that are there.
    private func repeatBehind(_ bytes: [UInt8]) throws(SharedLogError) -> Bool {
        let next = try log.head().next
        guard var entry = try? SharedEntry(decoding: bytes, nil), let slot = next.previous,
            let last = try log.entries(from: slot, bytesMax: 1).first
        else { return false }
        entry.slot = next
        entry.previousHash = SharedEntryHash(of: last.bytes)
        return try log.append(entry.encoded(nil), at: next)
    }

    package func entries(
        from slot: LogSlot, bytesMax: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        let isInterrupted = engine.interruption?.isPending ?? false
        let entries = try read { () throws(SharedLogError) in
            try log.entries(from: slot, bytesMax: bytesMax)
        }
        if isInterrupted { return Array(entries.prefix(Self.interruptedEntries)) }
        guard !entries.isEmpty, engine.happens(\.staleRead) else { return entries }
        engine.note(.staleRead)
        return entries.dropLast(engine.staleness())
    }

    /// Makes a call that reads; other hosts may act before it.
    private func read<R>(
        _ call: () throws(SharedLogError) -> R
    ) throws(SharedLogError) -> R {
        try reach()
        let interruption = engine.interruption
        interruption?.noteCall()
        do throws(SharedLogError) {
            return try call()
        } catch {
            if case .trimmed = error, interruption?.isOver ?? false { engine.note(.trimmedRead) }
            throw error
        }
    }

    package func head() throws(SharedLogError) -> SharedLogHead {
        try reach()
        return try log.head()
    }

    /// It takes no call, so it does not fail, and advances no seed.
    package var knownNext: LogSlot? { outage.withLock { $0 } > 0 ? nil : log.knownNext }

    package func barrier() throws(SharedLogError) {
        try reach()
        try log.barrier()
        if engine.canary == .readsWithoutBarrier { return }
        if engine.areStandbysAway { throw .unavailable("no standby has answered") }
        engine.keep(through: LogSlot(try log.head().next.rawValue - 1))
    }

    package func watch(for slot: LogSlot, _ noticed: @escaping SharedLogWatcher) {
        do throws(SharedLogError) {
            try reach()
        } catch {
            return noticed(.failure(error))
        }
        if engine.happens(\.notificationLost) {
            log.watch(for: LogSlot(.max)) { _ in noticed(.success([])) }
        } else {
            log.watch(for: slot, noticed)
        }
        if !engine.waits { log.wake() }
    }

    package func wake() { log.wake() }

    package func send(_ message: [UInt8]) throws(SharedLogError) {
        try reach()
        if engine.happens(\.messageLost) { return }
        try log.send(message)
        if engine.happens(\.messageDuplicated) { try log.send(message) }
    }

    package func images() throws(SharedLogError) -> [SharedLogImage] {
        try reach()
        return try log.images()
    }

    package func addImage(_ image: SharedLogImage, part: () throws -> [UInt8]?) throws {
        try reach()
        let isLost = engine.happens(\.requestLost)
        try log.addImage(image) {
            try countPart()
            if isLost { throw SharedLogError.unavailable("the request was lost") }
            return try part()
        }
        // Its acknowledgement covers all that came before.
        if engine.canary != .readsWithoutBarrier {
            engine.keep(through: LogSlot(try log.head().next.rawValue - 1))
        }
        if engine.happens(\.acknowledgementLost) {
            throw SharedLogError.outcomeUnknown("the acknowledgement was lost")
        }
    }

    /// Kills the process of this host when it has handed over so many parts of an image.
    package func die(afterParts count: Int, _ kill: @escaping @Sendable () -> Void) {
        death.withLock { $0 = (count, kill) }
    }

    /// A moment of an append at which a process may die.
    enum AppendMoment: Sendable {
        /// Nothing was sent.
        case before
        /// The entry is there, and nobody has received the acknowledgement.
        case after

        fileprivate var fault: HostFault {
            switch self {
            case .before: .deathBeforeAppend
            case .after: .deathAfterAppend
            }
        }
    }

    /// Kills the process of this host in its next append, or, after it, in its next one that
    /// succeeds.
    func dieInAppend(_ moment: AppendMoment, _ kill: @escaping @Sendable () -> Void) {
        appendDeath.withLock { $0 = (moment, kill) }
    }

    /// Whether the process dies now. It does not reach the engine any more.
    private func dies(_ moment: AppendMoment) -> Bool {
        let kill = appendDeath.withLock { death -> (@Sendable () -> Void)? in
            guard let next = death, next.moment == moment else { return nil }
            death = nil
            return next.kill
        }
        guard let kill else { return false }
        kill()
        cutOff()
        engine.note(moment.fault)
        return true
    }

    private func countPart() throws(SharedLogError) {
        let kill = death.withLock { death -> (@Sendable () -> Void)? in
            death?.parts -= 1
            return death.flatMap { $0.parts < 0 ? $0.kill : nil }
        }
        guard let kill else { return }
        kill()
        throw .closed
    }

    package func part(_ number: Int, of image: SharedLogImage) throws(SharedLogError) -> [UInt8] {
        let part = try read { () throws(SharedLogError) in try log.part(number, of: image) }
        if number == image.parts - 1 { engine.noteImageRead() }
        return part
    }

    package func trim(below slot: LogSlot, imagesBelow image: LogSlot?) throws(SharedLogError) {
        try reach()
        try engine.archive(below: slot)
        try log.trim(below: slot, imagesBelow: image)
        engine.keep(through: LogSlot(try log.head().first.rawValue - 1))
    }

    package func close() { log.close() }
}

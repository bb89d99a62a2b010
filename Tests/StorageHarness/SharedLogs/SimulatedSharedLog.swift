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
        /// A read does not see the newest entries. No engine may do so: a canary.
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
        try reach()
        let entries = try log.entries(from: slot, bytesMax: bytesMax)
        return engine.happens(\.staleRead) ? entries.dropLast(engine.staleness()) : entries
    }

    package func head() throws(SharedLogError) -> SharedLogHead {
        try reach()
        var head = try log.head()
        if engine.happens(\.staleRead) {
            let behind = min(UInt64(engine.staleness()), head.next.rawValue - head.first.rawValue)
            head.next = LogSlot(head.next.rawValue - behind)
        }
        return head
    }

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
        try reach()
        let part = try log.part(number, of: image)
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

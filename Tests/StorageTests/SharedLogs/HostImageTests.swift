import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Which images a host creates, and with which one it begins.
@Suite struct HostImageTests {
    /// A standby without the entries that this host has read takes over, before or while the parts
    /// of an image are added.
    @Test(arguments: [true, false])
    func noImageIsCreatedOfLostEntries(isBeforeParts: Bool) async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        let losing = LosingLog(MemorySharedLog(engine))
        let host = try SharedHost(losing)
        var number: Int64 = 0
        while !host.isImageDue {
            number += 1
            try await host.write(number)
        }
        let last = try #require(try log.head().next.previous)
        losing.lose(withParts: !isBeforeParts) { engine.loseEntries(from: last) }
        #expect {
            try host.store.makeImageIfDue()
        } throws: { error in
            if case StorageError.sharedLogDiverged = error { true } else { false }
        }
        #expect(try log.head().next == last)
        #expect(try log.images().isEmpty)
        try await host.store.close()
    }

    /// No new host could open the realm: it began with the image, and found no entries behind it.
    @Test(arguments: [1, 2])
    func anImageOfWhatTheLogHasLostIsSkipped(images: Int) async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        let host = try SharedHost(MemorySharedLog(engine))
        var number: Int64 = 0
        while try log.images().count < images {
            number += 1
            try await host.write(number)
            try host.store.makeImageIfDue()
        }
        let newest = try #require(try log.images().first)
        engine.loseEntries(from: try #require(newest.slot.previous))
        let other = try SharedHost(MemorySharedLog(engine))
        #expect(other.numbers == Array(1..<number))
        try await other.write(number)
        #expect(other.numbers == Array(1...number))
        for host in [host, other] { try await host.store.close() }
    }

    /// The log was trimmed below such an unusable image, and the image with which hosts began if
    /// the newest was damaged was removed.
    @Test func anImageOfWhatTheLogHasLostKeepsNothing() async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        let host = try SharedHost(MemorySharedLog(engine))
        var number: Int64 = 0
        while try log.images().count < 2 {
            number += 1
            try await host.write(number)
            try host.store.makeImageIfDue()
        }
        let images = try log.images()
        let (lost, kept) = (images[0], images[1])
        engine.loseEntries(from: try #require(lost.slot.previous))
        let other = try SharedHost(MemorySharedLog(engine))
        // So many slots in between that the two images do not count as one.
        let place = LogSlot(lost.slot.rawValue + 20)
        while try log.head().next < place || log.images().first == lost {
            number += 1
            try await other.write(number)
            if try log.head().next >= place { try other.store.makeImageIfDue() }
        }
        #expect(try log.images().contains(kept))
        #expect(try log.head().first <= kept.slot)
        for host in [host, other] { try await host.store.close() }
    }

    /// The host considered the log covered up to its own position, which no image had: its next
    /// image was due up to twice as late.
    @Test func anImageOfAnotherHostCoversNoMoreThanItHas() async throws {
        let engine = MemorySharedLog.Engine()
        let other = try SharedHost(MemorySharedLog(engine))
        let log = InterruptedLog(MemorySharedLog(engine))
        let host = try SharedHost(log)
        var number: Int64 = 0
        while !other.isImageDue || !host.isImageDue {
            number += 1
            try await host.write(number)
            try await other.store.refreshFromHosts()
        }
        let before = other.journal.cursor
        repeat {
            number += 1
            try await host.write(number)
        } while !host.isImageDue
        // When the copy is made.
        log.interrupt(atListing: 2) { try other.store.makeImageIfDue() }
        try host.store.makeImageIfDue()
        #expect(try log.images().map(\.slot) == [before.next])
        let rest = Int(host.journal.cursor.bytes - before.bytes)
        #expect(host.journal.bytesBehindImage == rest)
        for host in [host, other] { try await host.store.close() }
    }
}

/// A log of which the images are listed after something else happens.
private final class InterruptedLog: WrappedLog {
    let base: any SharedLog
    private let interruption = Mutex<(rest: Int, happens: @Sendable () throws -> Void)?>(nil)

    init(_ base: any SharedLog) { self.base = base }

    /// Calls `happens` before one of the next listings, by number.
    func interrupt(atListing number: Int, _ happens: @escaping @Sendable () throws -> Void) {
        interruption.withLock { $0 = (number, happens) }
    }

    func images() throws(SharedLogError) -> [SharedLogImage] {
        let due = interruption.withLock { found -> (@Sendable () throws -> Void)? in
            found?.rest -= 1
            guard let (rest, happens) = found, rest == 0 else { return nil }
            return happens
        }
        do {
            try due?()
        } catch {
            Issue.record(error)
        }
        return try base.images()
    }
}

/// A log on an engine that loses entries at the next barrier, or at the next part of an image.
private final class LosingLog: WrappedLog {
    let base: any SharedLog
    private let loss = Mutex<(isOfPart: Bool, lose: @Sendable () -> Void)?>(nil)

    init(_ base: any SharedLog) { self.base = base }

    func lose(withParts isOfPart: Bool, _ lose: @escaping @Sendable () -> Void) {
        loss.withLock { $0 = (isOfPart, lose) }
    }

    private func reach(aPart isOfPart: Bool) {
        let due = loss.withLock { loss -> (@Sendable () -> Void)? in
            guard let found = loss, found.isOfPart == isOfPart else { return nil }
            loss = nil
            return found.lose
        }
        due?()
    }

    func barrier() throws(SharedLogError) {
        reach(aPart: false)
        try base.barrier()
    }

    func addImage(_ image: SharedLogImage, part: () throws -> [UInt8]?) throws {
        try base.addImage(image) {
            reach(aPart: true)
            return try part()
        }
    }
}

import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// The work of a host in the background while it appends, applies entries, or is closed.
@Suite struct HostWorkTests {
    /// A host polled for it all the time while the engine did not answer.
    @Test func theEndOfAnAppendIsNotified() async throws {
        let log = HeldAppendLog(MemorySharedLog(MemorySharedLog.Engine()))
        let host = try SharedHost(log)
        let (store, journal) = (host.store, host.journal)
        let slot = journal.cursor.next
        #expect(journal.awaitAppend(at: slot, upTo: .zero))
        log.isHeld.store(true, ordering: .relaxed)
        let taken = try store.tryTakeTurn("a write", author: nil)
        let engine = try #require(taken)
        try engine.beginBody()
        let key = engine.tree.createRow(HarnessSchema.item)
        engine.tree.set(.int(1), HarnessSchema.item, key, ColumnID(0))
        let version = try engine.encodeCommit(author: nil, time: 0)
        BlockingWork.start {
            engine.endBody(version, waiter: .nobody) { store.releaseTurn() }
        }
        await log.isAsked.wait()
        #expect(!journal.awaitAppend(at: slot, upTo: .milliseconds(1)))
        #expect(journal.awaitAppend(at: slot.next, upTo: .zero))
        BlockingWork.start {
            // So that the wait has begun.
            Platform.pause(for: .milliseconds(100))
            log.released.signal()
        }
        let hasEnded = try await BlockingWork.run {
            journal.awaitAppend(at: slot, upTo: .seconds(60))
        }
        #expect(hasEnded)
        try await store.refreshFromHosts()
        #expect(host.numbers == [1])
        try await store.close()
    }

    /// A watch that had checked before the stop whether there was one still began an image.
    @Test func noImageBeginsAfterAStop() async throws {
        let host = try SharedHost(MemorySharedLog(MemorySharedLog.Engine()))
        var number: Int64 = 0
        while !host.isImageDue {
            number += 1
            try await host.write(number)
        }
        let (store, job) = (host.store, host.store.imageJob)
        await job.stop()
        #expect(!job.beginIfDue(store.engine, host.journal))
        job.allow(host.journal)
        #expect(job.beginIfDue(store.engine, host.journal))
        await job.stop()
        try await store.close()
    }

    /// It was processed once an attempt to apply these entries had failed.
    @Test func aHandoverWaitsForTheEntriesBeforeIt() async throws {
        let engine = MemorySharedLog.Engine()
        let log = CountingLog(MemorySharedLog(engine))
        let observer = try SharedHost(log)
        let writer = try SharedHost(MemorySharedLog(engine))
        log.refusesProofs.store(true, ordering: .relaxed)
        observer.journal.demandBarrier()
        try await writer.write(1)
        let next = Bits128.random()
        let message = HostMessage.pass(from: writer.journal.host, to: next)
        try writer.journal.realm.log.send(message.bytes)
        observer.hosts.begin()
        // The third one belongs to the second attempt.
        try await wait { log.refusals.count >= 3 }
        try #require(log.refusals.count >= 3)
        #expect(observer.journal.gate.leaseHolder != next)
        log.refusesProofs.store(false, ordering: .relaxed)
        try await observer.awaitStatus { $0.leaseHolder == next }
        #expect(observer.hosts.status.leaseHolder == next && observer.numbers == [1])
        for host in [observer, writer] { try await host.store.close() }
    }

    /// The host once more looked for entries that were to be applied.
    @Test func theLogIsNotExaminedOnceEntriesAreApplied() async throws {
        let engine = MemorySharedLog.Engine()
        let log = CountingLog(MemorySharedLog(engine))
        let observer = try SharedHost(log)
        let writer = try SharedHost(MemorySharedLog(engine))
        // Simulates a write that takes long.
        try #require(observer.store.turns.tryTake("a long write"))
        observer.hosts.begin()
        try await writer.write(1)
        try await observer.awaitStatus { $0.entriesBehind > 0 }
        observer.store.releaseTurn()
        try await observer.awaitStatus { $0.entriesBehind == 0 }
        try #require(observer.numbers == [1])
        let examinations = log.examinations.count
        // Longer than the interval.
        try await Task.sleep(for: .milliseconds(1500))
        #expect(log.examinations.count == examinations)
        for host in [observer, writer] { try await host.store.close() }
    }
}

/// A log to which an append waits if it is held.
private final class HeldAppendLog: WrappedLog {
    let base: any SharedLog
    /// Whether the next append waits for ``released``.
    let isHeld = Atomic<Bool>(false)
    /// Occurs when an append waits.
    let isAsked = EndSignal()
    let released = ThreadSemaphore()

    init(_ base: any SharedLog) { self.base = base }

    func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool {
        if isHeld.exchange(false, ordering: .relaxed) {
            isAsked.finish()
            released.wait()
        }
        return try base.append(entry, at: slot, behind: last)
    }
}

/// A log that counts how often its end is examined, and that can refuse proofs.
private final class CountingLog: WrappedLog {
    let base: any SharedLog
    let refusesProofs = Atomic<Bool>(false)
    let refusals = Tally()
    let examinations = Tally()

    init(_ base: any SharedLog) { self.base = base }

    var knownNext: LogSlot? {
        examinations.add()
        return base.knownNext
    }

    func barrier() throws(SharedLogError) {
        if refusesProofs.load(ordering: .relaxed) {
            refusals.add()
            throw .refused("not now")
        }
        try base.barrier()
    }
}

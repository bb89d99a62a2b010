import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Groups that a host reads although it has appended them itself.
@Suite struct OwnGroupTests {
    /// Commits a row for the holder of the turn, which keeps the turn.
    private static func write(_ number: Int64, _ engine: TransactionEngine) async throws {
        try engine.beginBody()
        let key = engine.tree.createRow(HarnessSchema.item)
        engine.tree.set(.int(number), HarnessSchema.item, key, ColumnID(0))
        let version = try engine.encodeCommit(author: nil, time: 0)
        // Unsafe: the engine resumes the continuation exactly once.
        _ = try await withUnsafeThrowingContinuation { continuation in
            engine.endBody(version, waiter: .continuation(continuation))
        }
    }

    /// Once the next append had lost to it, the group was taken for one of a copy of the folder:
    /// the host took another identifier, and references to the rows resolved to nothing.
    @Test func anAppendBehindAnUnknownOneDoesNotHideWhoseThatWas() async throws {
        let log = UnsureLog(MemorySharedLog(MemorySharedLog.Engine()))
        let host = try SharedHost(log)
        let (store, identifier) = (host.store, host.journal.host)
        // As a write that waits with the turn for the end of the one before.
        let taken = try store.tryTakeTurn("two writes", author: nil)
        let engine = try #require(taken)
        log.failAppends(2)
        await #expect {
            try await Self.write(1, engine)
        } throws: { error in
            if case StorageError.commitOutcomeUnknown = error { true } else { false }
        }
        await #expect(throws: StorageError.superseded) { try await Self.write(2, engine) }
        store.releaseTurn()
        try await store.refreshFromHosts()
        #expect(host.numbers == [1])
        #expect(host.journal.host == identifier)
        #expect(store.account.reusedKeys.isEmpty)
        try await store.close()
    }

    /// It was taken for lost, and a request that arrived late still committed it.
    @Test func anAppendBehindAnUnknownOneDoesNotHideItsOutcome() async throws {
        let log = UnsureLog(MemorySharedLog(MemorySharedLog.Engine()))
        let host = try SharedHost(log)
        let store = host.store
        let taken = try store.tryTakeTurn("two writes", author: nil)
        let engine = try #require(taken)
        log.failAppends(3, isLate: true)
        await #expect {
            try await Self.write(1, engine)
        } throws: { error in
            if case StorageError.commitOutcomeUnknown = error { true } else { false }
        }
        await #expect(throws: UnsureLog.refusal) { try await Self.write(2, engine) }
        store.releaseTurn()
        try await store.refreshFromHosts()
        let found = host.numbers
        let isCommittedLate = try log.deliverLate()
        #expect(!isCommittedLate)
        try await store.refreshFromHosts()
        #expect(host.numbers == found)
        try await store.close()
    }
}

/// A log that loses its answer to an append, and refuses the next ones.
private final class UnsureLog: WrappedLog {
    private struct State {
        /// How many of the next appends fail.
        var failures = 0
        /// Whether the answer to one of them was lost.
        var hasLost = false
        var isLate = false
        var late: (entry: [UInt8], slot: LogSlot, last: SharedEntryHash?)?
    }

    static let refusal = StorageError.sharedLogRefused(reason: reason)
    private static let reason = "no connection"

    let base: any SharedLog
    private let state = Mutex(State())

    init(_ base: any SharedLog) { self.base = base }

    /// - Parameters:
    ///   - count: how many of the next appends fail.
    ///   - isLate: whether the first of them is executed by ``deliverLate()``, and not at once.
    func failAppends(_ count: Int, isLate: Bool = false) {
        state.withLock { $0 = State(failures: count, isLate: isLate) }
    }

    /// Executes a late append.
    func deliverLate() throws(SharedLogError) -> Bool {
        guard let late = state.withLock({ $0.late }) else { return false }
        return try base.append(late.entry, at: late.slot, behind: late.last)
    }

    func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool {
        let (fails, isFirst, isLate) = state.withLock { state -> (Bool, Bool, Bool) in
            if state.failures == 0 { return (false, false, false) }
            state.failures -= 1
            defer { state.hasLost = true }
            if state.isLate, !state.hasLost { state.late = (entry, slot, last) }
            return (true, !state.hasLost, state.isLate)
        }
        if !fails { return try base.append(entry, at: slot, behind: last) }
        if !isFirst { throw .refused(Self.reason) }
        if !isLate { _ = try base.append(entry, at: slot, behind: last) }
        throw .outcomeUnknown("the connection has ended")
    }
}

import Storage
import StorageHarness
import Synchronization
import Testing

@testable import RealmActors

/// References and frozen objects from a write whose outcome was unknown, or that has failed.
@Suite struct UncertainReferenceTests {
    /// What such a write has found.
    private struct Found: Sendable {
        let reference: ObjectReference<Mark>
        let frozen: Frozen<Mark>
    }

    /// Creates a mark by a write whose outcome is unknown, or that is refused.
    private static func createMark(
        in realm: Realm, isRefused: Bool = false
    ) async throws -> Found {
        let found = Mutex<Found?>(nil)
        await #expect {
            try await realm.write { tx in
                let mark = try tx.create(Mark.self, value: ["number": 1])
                let made = Found(reference: mark.reference, frozen: mark.freeze())
                found.withLock { $0 = made }
            }
        } throws: { error in
            switch error {
            case RealmError.commitOutcomeUnknown: !isRefused
            case RealmError.sharedLogRefused: isRefused
            default: false
            }
        }
        return try #require(found.withLock { $0 })
    }

    /// Its rows were taken for those of another host.
    @Test("D1: they resolve once the log shows that the write was committed")
    func committedWrites() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let log = ForgetfulLog(MemorySharedLog(engine))
            var usual = configuration(path, engine)
            usual.sharedLog = Realm.SharedLog { log }
            let realm = try await Realm.open(usual)
            let host = try #require(realm.sharing.host)
            log.loseAnswer()
            let made = try await Self.createMark(in: realm)
            _ = try await realm.refreshed(.toNewest)
            #expect(realm.objects(Mark.self).count == 1)
            #expect(realm.resolve(made.reference)?.number == 1)
            #expect(realm.resolve(made.frozen)?.number == 1)
            let later = try await realm.write { tx in
                try tx.create(Mark.self, value: ["number": 2]).reference
            }
            #expect(later != made.reference && realm.resolve(later)?.number == 2)
            // Its entry is not taken for one of a copy of this folder.
            #expect(realm.sharing.host == host)
            try await realm.close()
        }
    }

    /// The realm was reopened before the entry arrived, which was then taken for one of a copy of
    /// this host's folder: the host took another identifier, and the references resolved to
    /// nothing.
    @Test("D1: they resolve after a reopening, which determines the outcome")
    func writesFromBeforeAReopening() async throws {
        let engine = MemorySharedLog.Engine()
        let delayed = DelayedAppend()
        try await withStorePath { path in
            var usual = configuration(path, engine)
            usual.sharedLog = Realm.SharedLog {
                CutOffLog(DelayingLog(MemorySharedLog(engine), delayed))
            }
            let realm = try await Realm.open(usual)
            let host = try #require(realm.sharing.host)
            delayed.begin()
            let made = try await Self.createMark(in: realm)
            #expect(realm.objects(Mark.self).isEmpty)
            try await realm.reopen()
            #expect(realm.objects(Mark.self).count == 1)
            try delayed.arrive(at: MemorySharedLog(engine))
            _ = try await realm.refreshed(.toNewest)
            #expect(realm.objects(Mark.self).count == 1)
            #expect(realm.resolve(made.reference)?.number == 1)
            #expect(realm.resolve(made.frozen)?.number == 1)
            #expect(realm.sharing.host == host)
            let later = try await realm.write { tx in
                try tx.create(Mark.self, value: ["number": 2]).reference
            }
            #expect(later != made.reference && realm.resolve(later)?.number == 2)
            try await realm.close()
        }
    }

    // MARK: Reopening behind commits of others

    /// Creates a mark on a host that is cut off by that, then one on another host, and reopens the
    /// first one.
    private static func reopen(
        after failure: UncertainAppend,
        _ check: (_ own: Realm, _ made: Found) throws -> Void
    ) async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            var usual = configuration(path + "-1", engine)
            usual.sharedLog = Realm.SharedLog {
                CutOffLog(UncertainLog(MemorySharedLog(engine), failure))
            }
            let own = try await Realm.open(usual)
            let other = try await Realm.open(configuration(path + "-2", engine))
            let host = try #require(own.sharing.host)
            failure.isDue.withLock { $0 = true }
            let made = try await createMark(in: own, isRefused: failure.isRefused)
            try await other.write { tx in _ = try tx.create(Mark.self, value: ["number": 2]) }
            #expect(own.objects(Mark.self).isEmpty, "It has to be cut off")
            try await own.reopen()
            try check(own, made)
            #expect(own.sharing.host == host)
            for realm in [own, other] { try await realm.close() }
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    /// They resolved to an object of another host, which the reopening had read.
    @Test("D1: those of a failed write resolve to nothing after a reopening")
    func failedWrites() async throws {
        let failure = UncertainAppend(isWritten: false, isRefused: true)
        try await Self.reopen(after: failure) { own, made in
            let later = try #require(own.objects(Mark.self).first)
            // Otherwise nothing can be mistaken.
            #expect(later.number == 2 && later.reference == made.reference)
            #expect(own.resolve(made.reference) == nil && own.resolve(made.frozen) == nil)
            #expect(own.resolve(later.reference)?.number == 2)
        }
    }

    @Test("D1: they resolve after a reopening that has read the commit, and others behind it")
    func writesThatAReopeningHasRead() async throws {
        try await Self.reopen(after: UncertainAppend(isWritten: true)) { own, made in
            #expect(own.objects(Mark.self).map(\.number).sorted() == [1, 2])
            #expect(own.resolve(made.reference)?.number == 1)
            #expect(own.resolve(made.frozen)?.number == 1)
        }
    }
}

/// An append that arrives late.
private final class DelayedAppend: Sendable {
    private struct State {
        var isDue = false
        var request: (entry: [UInt8], slot: LogSlot, last: SharedEntryHash?)?
    }

    private let state = Mutex(State())

    /// Delays the next append.
    func begin() { state.withLock { $0.isDue = true } }

    /// Delays an append; false if it is none to delay.
    func take(_ entry: [UInt8], _ slot: LogSlot, _ last: SharedEntryHash?) -> Bool {
        state.withLock { state in
            guard state.isDue else { return false }
            state = State(request: (entry, slot, last))
            return true
        }
    }

    /// The append arrives.
    func arrive(at log: MemorySharedLog) throws {
        let taken = state.withLock { $0.request }
        let request = try #require(taken)
        _ = try log.append(request.entry, at: request.slot, behind: request.last)
    }
}

/// A log whose connection ends during an append that arrives late.
private final class DelayingLog: WrappedLog {
    let base: any SharedLog
    private let delayed: DelayedAppend

    init(_ base: any SharedLog, _ delayed: DelayedAppend) {
        self.base = base
        self.delayed = delayed
    }

    func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool {
        guard delayed.take(entry, slot, last) else {
            return try base.append(entry, at: slot, behind: last)
        }
        throw .outcomeUnknown("the connection has ended")
    }
}

/// A log that loses its answer to one append, and refuses to repeat that at once.
private final class ForgetfulLog: WrappedLog {
    private enum Answer {
        case usual
        case lost
        case refusal
    }

    let base: any SharedLog
    private let next = Mutex(Answer.usual)

    init(_ base: any SharedLog) { self.base = base }

    /// From the next append on.
    func loseAnswer() { next.withLock { $0 = .lost } }

    func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool {
        let answer = next.withLock { next in
            defer { next = next == .lost ? .refusal : .usual }
            return next
        }
        switch answer {
        case .usual: return try base.append(entry, at: slot, behind: last)
        case .lost:
            _ = try base.append(entry, at: slot, behind: last)
            throw .outcomeUnknown("the connection has ended")
        case .refusal: throw .refused("no connection")
        }
    }
}

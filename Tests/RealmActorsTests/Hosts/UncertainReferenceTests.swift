import Storage
import StorageHarness
import Synchronization
import Testing

@testable import RealmActors

/// References and frozen objects from a write whose outcome was unknown.
@Suite struct UncertainReferenceTests {
    /// What such a write has found.
    private struct Found: Sendable {
        let reference: ObjectReference<Mark>
        let frozen: Frozen<Mark>
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
            let found = Mutex<Found?>(nil)
            let host = try #require(realm.sharing.host)
            log.loseAnswer()
            await #expect {
                try await realm.write { tx in
                    let mark = try tx.create(Mark.self, value: ["number": 1])
                    let made = Found(reference: mark.reference, frozen: mark.freeze())
                    found.withLock { $0 = made }
                }
            } throws: { error in
                if case RealmError.commitOutcomeUnknown = error { true } else { false }
            }
            let made = try #require(found.withLock { $0 })
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

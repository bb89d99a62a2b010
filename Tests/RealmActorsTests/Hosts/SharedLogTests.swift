import RealmActors
import Storage
import StorageHarness
import Synchronization
import Testing

/// Several hosts, which are folders here, write one realm.
@Suite struct SharedLogTests {
    @Test func whatOneHostWritesTheOthersRead() async throws {
        try await withHosts(3) { hosts in
            try await hosts[0].write { tx in
                _ = try tx.create(Mark.self, value: ["number": 1])
            }
            for host in hosts {
                let snapshot = try await host.refreshed(.toNewest)
                #expect(snapshot.objects(Mark.self).count == 1)
                #expect(host.latestVersion == hosts[0].latestVersion)
            }
        }
    }

    @Test func noUpdateOfAnyHostIsLost() async throws {
        try await withHosts(3, timeout: nil) { hosts in
            try await hosts[0].write { tx in
                _ = try tx.create(Mark.self, value: ["number": 0])
            }
            // A body that throws is not run again: it must find what it asks for.
            for host in hosts { _ = try await host.refreshed(.toNewest) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for host in hosts {
                    for _ in 0..<4 {
                        group.addTask {
                            for _ in 0..<10 {
                                try await host.write { tx in
                                    let mark = try #require(tx.objects(Mark.self).first)
                                    mark.weight += 1
                                }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            for host in hosts {
                let snapshot = try await host.refreshed(.toNewest)
                #expect(snapshot.objects(Mark.self).first?.weight == 120)
            }
        }
    }

    @Test func aStreamTellsWhatAnotherHostChanges() async throws {
        try await withHosts(2) { hosts in
            var elements = hosts[1].objects(Mark.self).changes().makeAsyncIterator()
            let initial = try await elements.next()
            #expect(initial?.collection.isEmpty == true)
            try await hosts[0].write { tx in
                for number in 0..<3 { _ = try tx.create(Mark.self, value: ["number": number]) }
            }
            guard case .update(_, let deletions, let insertions, _) = try await elements.next()
            else {
                Issue.record("The stream delivered no change")
                return
            }
            #expect(deletions.isEmpty && insertions == [0, 1, 2])
        }
    }

    /// What a host rolls back had keys that the rows of another one get.
    @Test func aStreamTellsOfRowsThatTakeThePlaceOfThoseRolledBack() async throws {
        struct Refusal: Error {}
        try await withHosts(2) { hosts in
            try await hosts[0].write { tx in _ = try tx.create(Mark.self, value: ["number": 0]) }
            _ = try await hosts[1].refreshed(.toNewest)
            var elements = hosts[1].objects(Mark.self).changes().makeAsyncIterator()
            #expect(try await elements.next()?.collection.count == 1)
            await #expect(throws: Refusal.self) {
                try await hosts[1].write { tx in
                    for number in 1..<5 { _ = try tx.create(Mark.self, value: ["number": number]) }
                    throw Refusal()
                }
            }
            try await hosts[0].write { tx in
                for number in 1..<7 { _ = try tx.create(Mark.self, value: ["number": number]) }
            }
            guard
                case .update(let marks, let deletions, let insertions, _) =
                    try await elements.next()
            else {
                Issue.record("The stream delivered no change")
                return
            }
            #expect(marks.count == 7)
            #expect(deletions.isEmpty && insertions == Array(1..<7))
        }
    }

    /// What was to be read of a server that does not know of its standbys yet ended all streams.
    @Test func aServerThatHasJustTakenOverEndsNoStream() async throws {
        let engine = MemorySharedLog.Engine()
        let log = TakenOverLog(MemorySharedLog(engine))
        try await withStorePath { path in
            let first = try await Realm.open(configuration(path + "-1", engine))
            // It does not wait until the server is as it should be.
            var other = configuration(path + "-2", engine, timeout: .milliseconds(1))
            other.sharedLog = Realm.SharedLog { log }
            let second = try await Realm.open(other)
            var elements = second.objects(Mark.self).changes().makeAsyncIterator()
            _ = try await elements.next()
            log.takeOver()
            try await first.write { tx in _ = try tx.create(Mark.self, value: ["number": 1]) }
            #expect(try await elements.next()?.collection.count == 1)
            for realm in [first, second] { try await realm.close() }
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    @Test func aHostThatWasAwayCatchesUp() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let first = try await Realm.open(configuration(path + "-1", engine))
            let second = try await Realm.open(configuration(path + "-2", engine))
            try await second.close()
            for number in 0..<40 {
                try await first.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": number])
                }
            }
            let again = try await Realm.open(configuration(path + "-2", engine))
            #expect(again.objects(Mark.self).count == 40)
            let third = try await Realm.open(configuration(path + "-3", engine))
            #expect(third.objects(Mark.self).count == 40)
            #expect(third.latestVersion == first.latestVersion)
            for realm in [first, again, third] {
                #expect(try await realm.verify().isIntact)
                try await realm.close()
            }
            for number in 1...3 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    @Test func aLargeCommitTravelsInParts() async throws {
        try await withHosts(2) { hosts in
            let text = String(repeating: "x", count: 1 << 20)
            try await hosts[0].write { tx in
                for number in 0..<11 {
                    _ = try tx.create(LongText.self, value: ["number": number, "text": text])
                }
            }
            let snapshot = try await hosts[1].refreshed(.toNewest)
            #expect(snapshot.objects(LongText.self).count == 11)
            #expect(snapshot.objects(LongText.self).last?.text == text)
        }
    }

    @Test func aLiveRealmThatIsBehindIsSuperseded() async throws {
        try await withHosts(2) { hosts in
            try await Self.beSuperseded(hosts)
        }
    }

    @MainActor private static func beSuperseded(_ hosts: [Realm]) async throws {
        let live = try await hosts[0].live()
        try await live.beginWrite()
        let added = try live.create(Mark.self, value: ["number": 1])
        // This host's write turn keeps the other one's commits from being applied.
        try await hosts[1].write { tx in _ = try tx.create(Mark.self, value: ["number": 2]) }
        await #expect(throws: RealmError.superseded) { try await live.commitWrite() }
        let snapshot = try await hosts[0].refreshed(.toNewest)
        #expect(snapshot.objects(Mark.self).values(of: \.number) == [2])
        // Its row has the key that the one of this host had.
        live.refresh()
        #expect(live.object(Mark.self, forPrimaryKey: 2) != nil && added.isInvalidated)
    }

    @Test("D1: objects of a rolled back write are distinguished from those of another host")
    func whatAHostGaveUpIsNotWhatAnotherOneAdds() async throws {
        try await withHosts(2) { hosts in try await Self.giveUp(hosts) }
    }

    @MainActor private static func giveUp(_ hosts: [Realm]) async throws {
        let live = try await hosts[0].live()
        try await live.beginWrite()
        let added = try live.create(Mark.self, value: ["number": 1])
        live.cancelWrite()
        try await hosts[1].write { tx in _ = try tx.create(Mark.self, value: ["number": 2]) }
        _ = try await hosts[0].refreshed(.toNewest)
        live.refresh()
        let other = try #require(live.object(Mark.self, forPrimaryKey: 2))
        #expect(added.isInvalidated && !other.isInvalidated && other.number == 2)
    }

    @Test func aSharedRealmNeedsAFolderAndSyncs() async throws {
        let engine = MemorySharedLog.Engine()
        var inMemory = configuration("x", engine)
        inMemory.inMemoryIdentifier = "x"
        await #expect(throws: RealmError.self) { _ = try await Realm.open(inMemory) }
        var relaxed = configuration("x", engine)
        relaxed.durability = .relaxed(every: .seconds(1))
        await #expect(throws: RealmError.self) { _ = try await Realm.open(relaxed) }
    }

    @Test func noClockSaysHowLongHistoryIsKept() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            var timed = configuration(path, engine)
            timed.history = .keep(for: .seconds(60))
            await #expect {
                _ = try await Realm.open(timed)
            } throws: { error in
                "\(error)".contains("keep(bytes:)")
            }
            var sized = configuration(path, engine)
            sized.history = .keep(bytes: 1 << 20)
            let realm = try await Realm.open(sized)
            try await realm.close()
        }
    }

    @Test func aRealmWithCommitsOfItsOwnIsRefused() async throws {
        try await withStorePath { path in
            let own = try await Realm.open(.init(path: path, objectTypes: [Mark.self]))
            try await own.write { tx in _ = try tx.create(Mark.self, value: ["number": 1]) }
            try await own.close()
            await #expect(throws: RealmError.self) {
                _ = try await Realm.open(configuration(path, MemorySharedLog.Engine()))
            }
            let again = try await Realm.open(.init(path: path, objectTypes: [Mark.self]))
            #expect(again.objects(Mark.self).count == 1)
            try await again.close()
        }
    }

    @Test func aLogThatLostWhatThisHostHasIsFound() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let realm = try await Realm.open(configuration(path, engine))
            for number in 0..<3 {
                try await realm.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": number])
                }
            }
            try await realm.close()
            engine.loseEntries(from: LogSlot(4))
            await #expect {
                _ = try await Realm.open(configuration(path, engine))
            } throws: { error in
                if case RealmError.sharedLogDiverged = error { true } else { false }
            }
        }
    }

    #if !PostgreSQL
        @Test func aClientThatWasNotBuiltIsNamed() async throws {
            try await withStorePath { path in
                var configuration = Realm.Configuration(path: path, objectTypes: [Mark.self])
                configuration.sharedLog = .postgres(
                    "host=db1", realm: "marks", durability: .quorum)
                await #expect(throws: RealmError.sharedLogNotEnabled(trait: "PostgreSQL")) {
                    _ = try await Realm.open(configuration)
                }
            }
        }
    #endif
}

/// A log whose server breaks off once, and then finds twice that it is not safe.
private final class TakenOverLog: WrappedLog {
    private struct Failures {
        var breaks = 0
        var barriers = 0
    }

    let base: any SharedLog
    private let rest = Mutex(Failures())

    init(_ base: any SharedLog) { self.base = base }

    func takeOver() { rest.withLock { $0 = Failures(breaks: 1, barriers: 2) } }

    private func fails(_ failure: WritableKeyPath<Failures, Int>) -> Bool {
        rest.withLock { rest in
            guard rest[keyPath: failure] > 0 else { return false }
            rest[keyPath: failure] -= 1
            return true
        }
    }

    func entries(
        from slot: LogSlot, bytesMax: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        if fails(\.breaks) { throw .unavailable("the connection has ended") }
        return try base.entries(from: slot, bytesMax: bytesMax)
    }

    func barrier() throws(SharedLogError) {
        if fails(\.barriers) { throw .unsafe(setting: "synchronous_standby_names = ''") }
        try base.barrier()
    }
}

final class LongText: Object {
    @Persisted var number: Int
    @Persisted var text: String
}

/// A host of a realm in `engine`, with its folder at `path`.
func configuration(
    _ path: String, _ engine: MemorySharedLog.Engine,
    _ types: [ObjectBase.Type] = [Mark.self, LongText.self], timeout: Duration? = .seconds(300),
    version: UInt64 = 0, migration: (@Sendable (Migration, UInt64) throws -> Void)? = nil
) -> Realm.Configuration {
    var configuration = Realm.Configuration(
        path: path, objectTypes: types, writeTimeout: timeout, schemaVersion: version,
        migration: migration)
    configuration.sharedLog = Realm.SharedLog { MemorySharedLog(engine) }
    return configuration
}

/// Opens a realm on so many hosts, and closes it after `body`.
private func withHosts(
    _ count: Int, timeout: Duration? = .seconds(30), _ body: ([Realm]) async throws -> Void
) async throws {
    let engine = MemorySharedLog.Engine()
    try await withStorePath { path in
        var hosts: [Realm] = []
        for number in 0..<count {
            hosts.append(
                try await Realm.open(configuration(path + "-\(number)", engine, timeout: timeout)))
        }
        try await body(hosts)
        for host in hosts { try await host.close() }
        for number in 0..<count { try Realm.deleteFiles(at: path + "-\(number)") }
    }
}

import Synchronization
import Testing

@testable import RealmActors
@testable import Storage

/// Writes that wait until few enough versions are held.
@Suite struct VersionWaitTests {
    /// What the bodies did, and what they hold.
    private final class Journal: Sendable {
        private let started = Mutex<[Int]>([])
        let held = Mutex<[Snapshot]>([])

        var numbers: [Int] { started.withLock { $0 } }

        func note(_ number: Int) { started.withLock { $0.append(number) } }
    }

    /// Lends a realm of which one version may be active, and whose writes wait for `duration`.
    private func withOneVersion(
        waiting duration: Duration = .seconds(3600), _ body: (Realm, Journal) async throws -> Void
    ) async throws {
        try await withOneActiveVersion([Mark.self], waitingUpTo: duration) { realm in
            try await body(realm, Journal())
        }
    }

    private func add(
        _ number: Int, to realm: Realm, _ journal: Journal, holds: Bool = false
    ) -> Task<Void, any Error> {
        Task {
            try await realm.write { tx in
                journal.note(number)
                if holds { journal.held.withLock { $0.append(realm.snapshot()) } }
                _ = try tx.create(Mark.self, value: ["number": number])
            }
        }
    }

    /// Starts writes, each of them when the one before it waits. `holder` also takes a snapshot.
    private func addWaiting(
        _ numbers: Range<Int>, to realm: Realm, _ journal: Journal, holder: Int? = nil
    ) async -> [Task<Void, any Error>] {
        let pinner = realm.store.pinner
        var writes: [Task<Void, any Error>] = []
        for number in numbers {
            let count = pinner.waiterCount
            writes.append(add(number, to: realm, journal, holds: number == holder))
            while pinner.waiterCount == count { await Task.yield() }
        }
        return writes
    }

    /// A release woke all of them, and they took turns in any order: 237 overtakings among a
    /// hundred.
    @Test("D9: writes that wait for a version run in the order of their arrival")
    func orderOfArrival() async throws {
        try await withOneVersion { realm, journal in
            var held: [Snapshot] = [realm.snapshot()]
            try await add(0, to: realm, journal).value
            let writes = await addWaiting(1..<100, to: realm, journal)
            writes[49].cancel()
            await #expect(throws: CancellationError.self) { try await writes[49].value }
            held.removeAll()
            // It arrives while the others run.
            let last = add(100, to: realm, journal)
            for (index, write) in writes.enumerated() where index != 49 { try await write.value }
            try await last.value
            #expect(journal.numbers == (0...100).filter { $0 != 50 })
            #expect(realm.objects(Mark.self).count == 100)
            #expect(realm.store.pinner.waiterCount == 0)
        }
    }

    @Test("D9: writes keep their order when a version is held again meanwhile")
    func heldAgain() async throws {
        try await withOneVersion { realm, journal in
            var held: [Snapshot] = [realm.snapshot()]
            try await add(0, to: realm, journal).value
            let writes = await addWaiting(1..<40, to: realm, journal, holder: 10)
            held.removeAll()
            try await writes[9].value
            let later = add(40, to: realm, journal)
            let seen = journal.held.withLock { held in
                defer { held.removeAll() }
                return held.count
            }
            for write in writes { try await write.value }
            try await later.value
            #expect(seen == 1 && journal.numbers == Array(0...40))
        }
    }

    /// A live realm whose actor was busy kept all later writes waiting, for as long as it was.
    @Test("D9: a write past its deadline does not wait for one before it that was resumed")
    func theFirstDoesNotContinue() async throws {
        try await withOneVersion(waiting: .milliseconds(20)) { realm, journal in
            let (store, pinner) = (realm.store, realm.store.pinner)
            var held: [Snapshot] = [realm.snapshot()]
            try await add(0, to: realm, journal).value
            let engine = try await store.open.takeTurn("a test", author: nil)
            var first: AdmissionQueue.Place?
            let isAdmitted = await pinner.admits(&first, onTopOf: engine.latest.name, shown: nil)
            #expect(!isAdmitted)
            store.releaseTurn()
            held.removeAll()
            try await add(1, to: realm, journal).value
            #expect(journal.numbers == [0, 1] && pinner.waiterCount == 1)
            pinner.leave(first)
            #expect(held.isEmpty)
        }
    }

    @Test("D9: a write leaves at its deadline and keeps no later one waiting")
    func deadline() async throws {
        try await withOneVersion(waiting: .milliseconds(20)) { realm, journal in
            var held: [Snapshot] = [realm.snapshot(label: "report")]
            try await add(0, to: realm, journal).value
            let writes = (1...3).map { add($0, to: realm, journal) }
            for write in writes {
                do {
                    try await write.value
                    Issue.record("the write was admitted")
                } catch RealmError.tooManyActiveVersions(let active, let limit, let holders) {
                    #expect(active == 2 && limit == 1)
                    #expect(holders.first?.contains("report") == true)
                }
            }
            #expect(realm.store.pinner.waiterCount == 0)
            held.removeAll()
            try await add(4, to: realm, journal).value
            #expect(journal.numbers == [0, 4])
        }
    }

    @Test("D9: writes that wait for a version keep their order across a suspension")
    func suspending() async throws {
        try await withOneVersion { realm, journal in
            var held: [Snapshot] = [realm.snapshot()]
            try await add(0, to: realm, journal).value
            let writes = await addWaiting(1..<10, to: realm, journal)
            try await realm.suspend()
            held.removeAll()
            for index in [0, 4] {
                writes[index].cancel()
                await #expect(throws: CancellationError.self) { try await writes[index].value }
            }
            #expect(journal.numbers == [0])
            realm.resume()
            for (index, write) in writes.enumerated() where index != 0 && index != 4 {
                try await write.value
            }
            #expect(journal.numbers == [0, 2, 3, 4, 6, 7, 8, 9])
        }
    }

    /// Only a release resumed it, and none came: the version was held, and then the newest.
    @Test("D9: a waiting write continues when the version that is held becomes the newest")
    func theHeldVersionBecomesTheNewest() async throws {
        try await withOneVersion { realm, _ in
            let (store, pinner) = (realm.store, realm.store.pinner)
            let engine = try await store.takeTurn("a test")
            try engine.beginBody()
            let context = LiveContext(writingIn: store, engine, store.models)
            _ = try WriteTransaction(context).create(Mark.self, value: ["number": 1])
            let held = context.freeze()
            var place: AdmissionQueue.Place?
            let isAdmitted = await pinner.admits(&place, onTopOf: engine.latest.name, shown: nil)
            #expect(!isAdmitted)
            let waiting = Task { [place] in try await pinner.awaitRelease(place) }
            while pinner.waitCount == 0 { await Task.yield() }
            var outcome = Result<Void, any Error>.success(())
            let commit = context.endBody(&outcome, author: nil, silenced: nil)
            try await store.writer.makeDurable(commit, in: store, engine, .none)
            #expect(try await waiting.value == .takeTurn)
            pinner.leave(place)
            #expect(held.version == realm.latestVersion)
        }
    }

    /// Each read of the newest version woke every write that waited, which took the turn and waited
    /// again: with many of both, a service did little else.
    @Test("D9: reading the newest version wakes no write that waits for another one")
    func readsOfTheNewestVersion() async throws {
        try await withOneVersion { realm, journal in
            let pinner = realm.store.pinner
            var held: [Snapshot] = [realm.snapshot(label: "report")]
            try await add(1, to: realm, journal).value
            let waiting = add(2, to: realm, journal)
            while pinner.waitCount == 0 { await Task.yield() }
            for _ in 0..<100 {
                #expect(realm.snapshot().objects(Mark.self).count == 1)
                await Task.yield()
            }
            held.removeAll()
            try await waiting.value
            #expect(pinner.waitCount == 1)
            #expect(realm.objects(Mark.self).count == 2)
        }
    }

    /// It waited for as long as the policy lets it, for a version that no write needed any more.
    @Test("D9: a write that waits for a version to be released ends when the realm is closed")
    func closing() async throws {
        try await withOneVersion { realm, journal in
            let held = realm.snapshot()
            try await add(0, to: realm, journal).value
            let writes = await addWaiting(1..<4, to: realm, journal)
            try await realm.close()
            for waiting in writes {
                let hasEnded = await comesToAnEnd { _ = await waiting.result }
                #expect(hasEnded)
                // Else it would be waited for here.
                waiting.cancel()
                await #expect(throws: RealmError.closed) { try await waiting.value }
            }
            #expect(journal.numbers == [0])
            #expect(held.objects(Mark.self).count == 0)
        }
    }

    /// It waited for as long as the policy lets it, although the store accepted no more writes.
    @Test("D9: a write that waits for a version to be released ends when the store fails")
    func failing() async throws {
        try await withOneVersion { realm, journal in
            let held = realm.snapshot()
            try await add(0, to: realm, journal).value
            let writes = await addWaiting(1..<4, to: realm, journal)
            realm.store.engine.latch(.corrupted(segment: "log", offset: 0, reason: "a test"))
            for waiting in writes {
                let hasEnded = await comesToAnEnd { _ = await waiting.result }
                #expect(hasEnded)
                // Else it would be waited for here.
                waiting.cancel()
                await #expect(throws: RealmError.self) { try await waiting.value }
            }
            #expect(journal.numbers == [0] && realm.store.pinner.waiterCount == 0)
            #expect(held.objects(Mark.self).count == 0)
            // Reports the failure.
            try? await realm.close()
        }
    }

    /// It had all of them: a hundred kilobytes where ten thousand requests held a version.
    @Test("D9: the error of a refused write names a few of many holders")
    func manyHolders() async throws {
        try await withFreshRealm([Mark.self]) { configuration in
            configuration.maximumNumberOfActiveVersions = 1
        } _: { realm in
            var held = (0..<5_000).map { realm.snapshot(label: "request \($0)") }
            try await realm.write { tx in
                _ = try tx.create(Mark.self, value: ["number": 1])
            }
            do {
                try await realm.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": 2])
                }
                Issue.record("the write was admitted")
            } catch RealmError.tooManyActiveVersions(_, _, let holders) {
                let oldest = try #require(holders.first)
                #expect(oldest.contains("held 5000 times"))
                #expect(oldest.contains("request 0, request 1, request 2 and 4997 more"))
                #expect(oldest.utf8.count < 200)
            }
            #expect(realm.activeVersions[0].labels.count == 5_000)
            held.removeAll()
        }
    }
}

import Foundation
import StorageHarness
import Testing

@testable import RealmActors
@testable import Storage

/// A class besides ``LiveCat``.
final class Hydrant: Object {
    @Persisted var pressure: Int = 0
}

/// Opens a realm in a task of its own.
private actor Opener {
    private(set) var hasBegun = false

    func open(_ configuration: Realm.Configuration) async throws -> Realm {
        hasBegun = true
        return try await Realm.open(configuration)
    }
}

/// The error with which a write is cancelled.
private struct WriteCancelled: Error {
    let reference: ObjectReference<LiveCat>
}

/// Closing, reopening and suspending, beside each other and beside other operations.
@Suite struct ReopeningTests {
    private static func simulated() -> (SimulatedDisk, Realm.Configuration) {
        let disk = SimulatedDisk()
        return (disk, disk.configuration([LiveCat.self], writeTimeout: nil))
    }

    private static func onDisk() -> Realm.Configuration {
        .init(path: TestFolder.path("reopening"), objectTypes: [LiveCat.self], writeTimeout: nil)
    }

    private static func add(_ number: Int, to realm: Realm) async throws {
        try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": number]) }
    }

    /// Whoever closed a store that could not be reopened, or opened its path, waited for a signal
    /// that nobody gave any more.
    @Test func afterAReopenThatFailedTheStoreIsClosed() async throws {
        let (disk, configuration) = Self.simulated()
        let realm = try await Realm.open(configuration)
        try await Self.add(1, to: realm)
        disk.resetCalls()
        disk.inject(.init(.inputOutput, call: 1, isLasting: true))
        await #expect(throws: RealmError.self) { try await realm.reopen() }
        await #expect(throws: RealmError.closed) { try await Self.add(2, to: realm) }
        await #expect(throws: RealmError.closed) { try await realm.suspend() }
        #expect(await comesToAnEnd { try await realm.close() })
        disk.resetCalls()
        let isOpen = await comesToAnEnd {
            let again = try await Realm.open(configuration)
            try await Self.add(3, to: again)
            #expect(again.objects(LiveCat.self).count == 2)
            try await again.close()
        }
        #expect(isOpen)
        try await realm.reopen()
        try await Self.add(4, to: realm)
        #expect(realm.objects(LiveCat.self).count == 3)
        try await realm.close()
    }

    /// Reopening beside closing left a store that was open and had no log, or both waited for each
    /// other.
    @Test(arguments: 0..<4) func everythingAtOnceLeavesAStoreThatWorks(kind: Int) async throws {
        let configuration = Self.onDisk()
        let realm = try await Realm.open(configuration)
        for round in 0..<25 {
            let isOver = await comesToAnEnd {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { try? await realm.reopen() }
                    group.addTask { try? await realm.close() }
                    group.addTask { try? await Self.add(round, to: realm) }
                    if kind > 0 { group.addTask { try? await realm.reopen() } }
                    if kind > 1 {
                        group.addTask {
                            try? await realm.suspend()
                            realm.resume()
                        }
                        group.addTask { try? await realm.suspend() }
                    }
                    if kind > 2 {
                        group.addTask { _ = try? await Realm.open(configuration) }
                        group.addTask { try? await realm.close() }
                    }
                }
                realm.resume()
            }
            #expect(isOver, "round \(round) hangs")
            if !isOver { return }
            do {
                try await Self.add(1_000 + round, to: realm)
            } catch RealmError.closed {
                // With the last of them.
            }
            // Another store may have come to be at the path, which is as good.
            do { try await realm.reopen() } catch RealmError.alreadyOpen where kind > 2 { continue }
            try await Self.add(2_000 + round, to: realm)
        }
        try await realm.close()
    }

    /// A store that is suspended while it is being reopened is so afterwards, unless it was resumed
    /// meanwhile.
    @Test func resumingAndReopeningEndASuspension() async throws {
        let configuration = Self.onDisk()
        let realm = try await Realm.open(configuration)
        for round in 0..<20 {
            try await realm.suspend()
            async let reopened: Void = realm.reopen()
            async let suspended: Void = realm.suspend()
            _ = try await (reopened, suspended)
            realm.resume()
            #expect(await comesToAnEnd { try await Self.add(round, to: realm) })
        }
        #expect(realm.objects(LiveCat.self).count == 20)
        try await realm.close()
    }

    /// It got the turn before the store was closed, and threw that it was.
    @Test func aWriteThatNeedsTheLeaseBeforeAReopeningWaitsForThat() async throws {
        let realm = try await Realm.open(Self.onDisk())
        let open = realm.store.open
        try await open.turns.take("a test", timeout: nil)
        // Another process may have it now.
        await open.releaseLease()
        let writing = Task { try await Self.add(1, to: realm) }
        while open.turns.waiterCount < 1 { await Task.yield() }
        let reopening = Task { try await realm.reopen() }
        while open.turns.waiterCount < 2 { await Task.yield() }
        open.releaseTurn()
        try await reopening.value
        try await writing.value
        #expect(realm.objects(LiveCat.self).count == 1)
        try await realm.close()
    }

    /// It had been collected for the next writer, and was neither visible nor reported before the
    /// realm was resumed.
    @Test func aWriteBeforeASuspensionHasEndedWhenThatBegins() async throws {
        let realm = try await Realm.open(
            .init(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [LiveCat.self],
                writeTimeout: nil))
        let turns = realm.store.writer.turns
        try await turns.take("a test", timeout: nil)
        let writing = Task { try await Self.add(1, to: realm) }
        while turns.waiterCount < 1 { await Task.yield() }
        let suspending = Task { try await realm.suspend() }
        while turns.waiterCount < 2 { await Task.yield() }
        realm.store.releaseTurn()
        try await suspending.value
        #expect(realm.objects(LiveCat.self).count == 1)
        realm.resume()
        try await writing.value
        try await realm.close()
    }

    /// A wait for the turn, by upkeep or by a handover to another process, retained the store, and
    /// the next opening of the path waited for its end indefinitely.
    @Test func aSuspendedStoreThatIsLetGoCanBeOpenedAgain() async throws {
        let configuration = Self.onDisk()
        let upkeep = try await Self.suspendAndRelease(configuration)
        let isOpen = await comesToAnEnd {
            let realm = try await Realm.open(configuration)
            try await Self.add(1, to: realm)
            try await realm.close()
        }
        #expect(isOpen)
        if !isOpen { return }
        // It does not continue in a store without handles.
        await #expect(throws: StorageError.closed(path: "The store")) { try await upkeep.value }
        let realm = try await Realm.open(configuration)
        #expect(realm.objects(LiveCat.self).count == 1)
        try await realm.close()
    }

    /// Returns a task that waits for the store's write turn, as upkeep does.
    private static func suspendAndRelease(
        _ configuration: Realm.Configuration
    ) async throws -> Task<Void, any Error> {
        let realm = try await Realm.open(configuration)
        try await realm.suspend()
        let open = realm.store.open
        let upkeep = Task {
            try await open.freeMemory()
            try await open.compact(isFull: true)
        }
        while open.turns.waiterCount < 1 { await Task.yield() }
        return upkeep
    }

    /// The timer that syncs a relaxed store ended with the first close.
    @Test func aRelaxedStoreIsSyncedAfterReopening() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(
                .init(
                    path: path, objectTypes: [LiveCat.self],
                    durability: .relaxed(every: .milliseconds(5)), writeTimeout: nil))
            try await realm.close()
            try await realm.reopen()
            try await Self.add(1, to: realm)
            let engine = realm.store.engine
            #expect(await soon { engine.isSynced })
            try await realm.close()
        }
    }

    @Test @MainActor func aLiveRealmFollowsAfterReopening() async throws {
        let (disk, configuration) = Self.simulated()
        let realm = try await Realm.open(configuration)
        let live = try await realm.live()
        let cats = live.objects(LiveCat.self)
        try await realm.close()
        // One that begins while the store is closed does, too.
        try await realm.reopen()
        try await Self.add(1, to: realm)
        #expect(await soon { cats.count == 1 })
        disk.resetCalls()
        disk.inject(.init(.failedSync, call: 1, isLasting: true))
        await #expect(throws: RealmError.self) { try await Self.add(2, to: realm) }
        disk.resetCalls()
        try await realm.reopen()
        // What was replayed is shown without another commit.
        let found = realm.objects(LiveCat.self).count
        #expect(await soon { cats.count == found })
        try await Self.add(3, to: realm)
        #expect(await soon { cats.count == found + 1 })
        try await realm.close()
    }

    /// A handle that was closed could be reopened beside another store on the same files.
    @Test func aPathThatWasOpenedAgainIsNotReopened() async throws {
        let configuration = Self.onDisk()
        let first = try await Realm.open(configuration)
        try await Self.add(1, to: first)
        try await first.close()
        let second = try await Realm.open(configuration)
        #expect(first != second)
        do {
            try await first.reopen()
            Issue.record("Two stores have the files open")
        } catch RealmError.alreadyOpen(_, let difference) {
            #expect(difference.contains("opened again"))
        }
        await #expect(throws: RealmError.closed) { try await Self.add(2, to: first) }
        try await Self.add(3, to: second)
        try await second.close()
        try await first.reopen()
        #expect(try await Realm.open(configuration) == first)
        try await Self.add(4, to: first)
        #expect(first.objects(LiveCat.self).count == 3)
        await #expect(throws: RealmError.self) { try await second.reopen() }
        try await first.close()
    }

    /// Who waited for another task to open the path got its store although that was closed by then.
    @Test func whoWaitedForAnOpeningGetsAStoreThatIsOpen() async throws {
        let configuration = Self.onDisk()
        let first = try await Realm.open(configuration)
        let registry = StoreRegistry.shared
        let claim = try await registry.claim(first.store).get()
        let opener = Opener()
        let opening = Task { try await opener.open(configuration) }
        // The actor answers once its task waits.
        while await !opener.hasBegun { await Task.yield() }
        try await first.close()
        registry.end(claim, first.store)
        let second = try await opening.value
        #expect(second != first)
        try await Self.add(1, to: second)
        try await second.close()
    }

    /// A reopening continued with another database, using the class numbers of the previous one:
    /// objects were read from and written to wrong classes.
    @Test func whatTookTheRealmsPlaceIsNotReopened() async throws {
        var configuration = Self.onDisk()
        configuration.objectTypes = [LiveCat.self, Hydrant.self]
        let first = try await Realm.open(configuration)
        try await Self.add(1, to: first)
        let held = first.snapshot()
        try await first.close()
        try Realm.deleteFiles(for: configuration)
        configuration.objectTypes.reverse()
        let other = try await Realm.open(configuration)
        try await Self.add(2, to: other)
        try await other.write { tx in try tx.create(Hydrant.self) }
        try await other.close()
        let error = await #expect(throws: RealmError.self) { try await first.reopen() }
        #expect("\(error as Any)".contains("no longer the realm"))
        await #expect(throws: RealmError.closed) { try await Self.add(3, to: first) }
        #expect(held.objects(LiveCat.self).map(\.number) == [1])
        let again = try await Realm.open(configuration)
        #expect(again.objects(LiveCat.self).map(\.number) == [2])
        #expect(try await again.verify().isIntact)
        try await again.close()
    }

    /// The next object got its key, and the reference resolved to that.
    @Test func aReferenceFromAWriteThatCameToNothingLeadsNowhereAfterReopening() async throws {
        let realm = try await Realm.open(Self.onDisk())
        try await Self.add(1, to: realm)
        let error = await #expect(throws: WriteCancelled.self) {
            try await realm.write { tx in
                let cat = try tx.create(LiveCat.self, value: ["number": 2])
                throw WriteCancelled(reference: cat.reference)
            }
        }
        let reference = try #require(error?.reference)
        try await realm.reopen()
        try await Self.add(3, to: realm)
        let number = try await realm.write { tx in tx.resolve(reference)?.number }
        #expect(number == nil)
        try await realm.close()
    }

    @Test func aRealmThatWasDeletedIsNotMadeAnew() async throws {
        let configuration = Self.onDisk()
        let realm = try await Realm.open(configuration)
        try await Self.add(1, to: realm)
        try await realm.close()
        try Realm.deleteFiles(for: configuration)
        await #expect(throws: RealmError.self) { try await realm.reopen() }
        #expect(!Realm.exists(for: configuration))
        try await Realm.open(configuration).close()
    }

    /// A migration elsewhere gives the properties other numbers than the models have.
    @Test func aRealmThatWasMigratedIsNotReopened() async throws {
        var configuration = Self.onDisk()
        configuration.objectTypes = [LiveCat.self, Hydrant.self]
        let realm = try await Realm.open(configuration)
        try await Self.add(1, to: realm)
        try await realm.close()
        var newer = configuration
        newer.objectTypes = [Hydrant.self]
        newer.schemaVersion = 1
        newer.migration = { migration, _ in try migration.deleteData(forType: "LiveCat") }
        try await Realm.open(newer).close()
        await #expect(throws: RealmError.self) { try await realm.reopen() }
        let again = try await Realm.open(newer)
        #expect(try await again.verify().isIntact)
        try await again.close()
    }
}

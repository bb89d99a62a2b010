import StorageHarness
import Synchronization
import Testing

@testable import RealmActors
@testable import Storage

/// What the process knows of the realms that it had open.
@Suite struct ForgottenPathTests {
    /// A service that opened one realm for each of its users leaked an entry for each path.
    @Test func nothingIsKeptOfARealmThatWasClosed() async throws {
        let configuration = Realm.Configuration(
            path: TestFolder.path("forgotten"), objectTypes: [LiveCat.self])
        let path = try #require(configuration.path)
        let registry = StoreRegistry.shared
        let realm = try await Realm.open(configuration)
        #expect(registry.knows(path))
        try await realm.close()
        #expect(!registry.knows(path))

        try await realm.reopen()
        #expect(registry.knows(path))
        #expect(try await Realm.open(configuration) == realm)
        try await realm.close()
        #expect(!registry.knows(path))
    }

    /// The same when nobody closes it and the last handle goes.
    @Test func nothingIsKeptOfARealmThatWasLetGo() async throws {
        let configuration = Realm.Configuration(
            path: TestFolder.path("forgotten"), objectTypes: [LiveCat.self])
        let path = try #require(configuration.path)
        let closing = try await openAndLetGo(configuration)
        await closing.wait()
        #expect(!StoreRegistry.shared.knows(path))
    }

    /// It was refused until the files were closed, as if somebody had it open.
    @Test("Z15: a realm whose handles were released can be deleted as soon as it has closed")
    func aRealmThatWasLetGoIsDeleted() async throws {
        // Closing syncs what was written, which takes a while.
        let configuration = Realm.Configuration(
            path: TestFolder.path("forgotten"), objectTypes: [LiveCat.self],
            durability: .relaxed(every: .seconds(3_600)), writeTimeout: nil)
        for _ in 0..<10 {
            let store = try await fillAndLetGo(configuration)
            #expect(await soon { store.store == nil })
            #expect(try Realm.deleteFiles(for: configuration))
            #expect(!Realm.exists(for: configuration))
        }
    }

    /// It was waited for as well, on a thread that the write may need behind which it closes.
    @Test func aRealmThatItsHolderIsClosingIsInUse() async throws {
        let configuration = Realm.Configuration(
            path: TestFolder.path("forgotten"), objectTypes: [LiveCat.self], writeTimeout: nil)
        let realm = try await Realm.open(configuration)
        let open = realm.store.open
        try await open.turns.take("a test", timeout: nil)
        let closing = Task { try await realm.close() }
        while !open.isClosed { await Task.yield() }
        let isRefused = Mutex(false)
        // Only where that is waited for, the realm is closed before.
        let isRunning = Platform.runOnThread {
            for _ in 0..<8_000 where !isRefused.withLock({ $0 }) {
                Platform.pause(for: .milliseconds(1))
            }
            open.releaseTurn()
        }
        #expect(isRunning)
        #expect(throws: RealmError.self) { try Realm.deleteFiles(for: configuration) }
        isRefused.withLock { $0 = true }
        try await closing.value
        let isDeleted = try Realm.deleteFiles(for: configuration)
        #expect(isDeleted)
    }

    private func fillAndLetGo(_ configuration: Realm.Configuration) async throws -> WeakStore {
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": 1]) }
        return WeakStore(realm.store)
    }

    private func openAndLetGo(_ configuration: Realm.Configuration) async throws -> EndSignal {
        let realm = try await Realm.open(configuration)
        return realm.store.open.closing
    }
}

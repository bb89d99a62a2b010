import StorageHarness
import Testing

@testable import RealmActors
@testable import Storage

/// What the process knows of the realms that it had open.
@Suite struct ForgottenPathTests {
    /// A service that opened one realm for each of its users kept something of each path for ever.
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

    private func openAndLetGo(_ configuration: Realm.Configuration) async throws -> EndSignal {
        let realm = try await Realm.open(configuration)
        return realm.store.open.closing
    }
}

import Foundation
import RealmActors
import Storage
import Synchronization
import Testing

/// An actor with an executor of its own.
private actor Keeper {
    private let executor = ThreadExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }
    private var live: LiveRealm?

    func open(_ realm: Realm) async throws { live = try await realm.live() }
    func close() { live = nil }

    func names() -> [String] { live?.objects(LiveCat.self).map(\.name) ?? [] }

    func rename(_ name: String) async throws {
        let live = try #require(live)
        try await live.beginWrite()
        await Task.yield()
        for cat in live.objects(LiveCat.self) { cat.name = name }
        try await live.commitWrite()
    }
}

/// Live realms on actors of every kind.
@Suite struct LiveConcurrencyTests {
    @Test("Following: a live realm follows on an actor with an executor of its own")
    func customExecutors() async throws {
        try await withFreshRealm([LiveCat.self]) { realm in
            try await realm.write { tx in _ = try tx.create(LiveCat.self) }
            let keepers = [Keeper(), Keeper()]
            for keeper in keepers { try await keeper.open(realm) }
            try await keepers[0].rename("Tom")
            for _ in 0..<20_000 {
                if await keepers[1].names() == ["Tom"] { break }
                await Task.yield()
            }
            #expect(await keepers[1].names() == ["Tom"])
            #expect(await keepers[0].names() == ["Tom"])
        }
    }

    private final class Request: Sendable {
        @TaskLocal static var current: Request?
    }

    /// The task that follows kept the task-local values of the one that had opened the realm.
    @Test func nothingIsKeptOfWhoOpensALiveRealm() async throws {
        try await withFreshRealm([LiveCat.self]) { realm in
            let keeper = Keeper()
            weak var released: Request?
            do {
                let request = Request()
                released = request
                try await Request.$current.withValue(request) { try await keeper.open(realm) }
            }
            let isReleased = await soon { released == nil }
            #expect(isReleased)
            await keeper.close()
        }
    }

    @Test("Following: neither the actor nor its realm is kept alive by following")
    func nothingIsKeptAlive() async throws {
        try await withFreshRealm([LiveCat.self]) { realm in
            weak var released: Keeper?
            do {
                let keeper = Keeper()
                try await keeper.open(realm)
                released = keeper
            }
            let isReleased = await soon { released == nil }
            #expect(isReleased)
            try await realm.write { tx in _ = try tx.create(LiveCat.self) }
            #expect(realm.activeVersions.allSatisfy { $0.holders == 0 })
        }
    }
}

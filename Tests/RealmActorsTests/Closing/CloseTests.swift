import Foundation
import Testing

@testable import RealmActors

@Suite struct CloseTests {
    private static func path() -> String { TestFolder.path("close") }

    /// Closing stopped the log thread behind the group at the disk, so that writes collected for
    /// the next one failed although they had run before.
    @Test func writesThatHaveRunAreThereAfterClosing() async throws {
        let realm = try await freshRealm([LiveCat.self])
        let done = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    do {
                        try await realm.write { tx in
                            try tx.create(LiveCat.self, value: ["number": number])
                        }
                        return true
                    } catch RealmError.closed {
                        return false
                    } catch {
                        Issue.record(error)
                        return false
                    }
                }
            }
            group.addTask {
                while realm.objects(LiveCat.self).isEmpty { await Task.yield() }
                do { try await realm.close() } catch { Issue.record(error) }
                return false
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        try await realm.reopen()
        #expect(realm.objects(LiveCat.self).count == done)
    }

    @Test func aClosedRealmRefusesWritesAndKeepsItsSnapshots() async throws {
        let realm = try await freshRealm([LiveCat.self])
        try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": 1]) }
        let snapshot = realm.snapshot()
        try await realm.close()
        try await realm.close()
        await #expect(throws: RealmError.closed) {
            try await realm.write { tx in try tx.deleteAll() }
        }
        #expect(snapshot.objects(LiveCat.self).count == 1)
        try await realm.reopen()
        try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": 2]) }
        #expect(realm.objects(LiveCat.self).count == 2)
    }

    @Test func droppingTheLastHandleClosesTheStore() async throws {
        let path = Self.path()
        for number in 0..<5 {
            let realm = try await Realm.open(
                .init(path: path, objectTypes: [LiveCat.self], writeTimeout: nil))
            #expect(realm.objects(LiveCat.self).count == number)
            try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": number]) }
        }
    }

    /// The task of an opening could not be cancelled while the same store was being closed, which
    /// waits for its writes.
    @Test @MainActor func anOpeningThatWaitsForAClosingIsCancelled() async throws {
        let configuration = Realm.Configuration(
            path: Self.path(), objectTypes: [LiveCat.self], writeTimeout: nil)
        let realm = try await Realm.open(configuration)
        let live = try await realm.live()
        try await live.beginWrite()
        let closing = Task { try await realm.close() }
        #expect(await soon { realm.store.isClosed })
        let hasEnded = await comesToAnEnd {
            let opening = Task { try await Realm.open(configuration) }
            opening.cancel()
            await #expect(throws: CancellationError.self) { try await opening.value }
        }
        #expect(hasEnded)
        live.cancelWrite()
        try await closing.value
        let again = try await Realm.open(configuration)
        try await again.close()
    }

    @Test func twoHandlesShareOneStore() async throws {
        let path = Self.path()
        async let first = Realm.open(
            .init(path: path, objectTypes: [LiveCat.self], writeTimeout: nil))
        async let second = Realm.open(
            .init(path: path, objectTypes: [LiveCat.self], writeTimeout: nil))
        let (a, b) = try await (first, second)
        try await a.write { tx in try tx.create(LiveCat.self, value: ["number": 1]) }
        #expect(b.objects(LiveCat.self).count == 1)
        await #expect(throws: RealmError.self) {
            try await Realm.open(.init(path: path, objectTypes: [LiveCat.self], readOnly: true))
        }
    }

    @Test("Z4: realms in memory are shared by identifier, deleted with their handles")
    func realmsInMemoryAreSharedByIdentifierAndGoneWithTheirHandles() async throws {
        let name = UUID().uuidString
        let configuration = Realm.Configuration(
            inMemoryIdentifier: name, objectTypes: [LiveCat.self], writeTimeout: nil)
        do {
            let realm = try await Realm.open(configuration)
            try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": 1]) }
            let same = try await Realm.open(configuration)
            #expect(same.objects(LiveCat.self).count == 1)
        }
        let fresh = try await Realm.open(configuration)
        #expect(fresh.objects(LiveCat.self).isEmpty)
    }
}

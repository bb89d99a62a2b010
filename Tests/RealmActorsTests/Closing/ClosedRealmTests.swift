import Foundation
import RealmActors
import Storage
import Testing

/// Values that outlive the closing of their realm throw an error, or show their last state.
@Suite struct ClosedRealmTests {
    @Test("Closing: every call that needs the store throws that it is closed")
    func calls() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(.init(path: path, objectTypes: [LiveCat.self]))
            try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": 1]) }
            let (snapshot, version) = (realm.snapshot(), realm.latestVersion)
            let second = try await Realm.open(.init(path: path, objectTypes: [LiveCat.self]))
            try await second.close()
            let copy = path + ".copy"
            let calls: [@Sendable () async throws -> Void] = [
                { try await realm.write { _ in } },
                { try await realm.write(ifUnchangedSince: version) { _ in } },
                { try await realm.revert(to: snapshot) },
                { try await realm.compact() },
                { _ = try await realm.verify() },
                { try await realm.writeCopy(to: copy) },
                { try await realm.rekey(to: .random()) },
                { try await realm.suspend() },
                { try await Self.open(realm) },
            ]
            for (number, call) in calls.enumerated() {
                await #expect(throws: RealmError.closed, "call \(number)") { try await call() }
            }
            #expect(!FileManager.default.fileExists(atPath: copy))
            realm.resume()
            // Reading continues.
            #expect(snapshot.objects(LiveCat.self).count == 1)
            #expect(realm.objects(LiveCat.self).map(\.number) == [1])
            #expect(realm.latestVersion == version && realm.failure == nil)
            try await realm.reopen()
            try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": 2]) }
            #expect(second.objects(LiveCat.self).count == 2)
            try await realm.close()
        }
    }

    private static func open(_ realm: Realm) async throws { try await LiveHolder().begin(realm) }

    @Test("Closing: live realms keep their state, refuse writes, and continue when it is reopened")
    @MainActor
    func liveRealms() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(.init(path: path, objectTypes: [LiveCat.self]))
            try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": 1]) }
            let live = try await realm.live()
            let cat = try #require(live.object(LiveCat.self, forPrimaryKey: 1))
            try await realm.close()
            #expect(cat.number == 1 && !cat.isInvalidated)
            await #expect(throws: RealmError.closed) { try await live.write { cat.age = 2 } }
            await #expect(throws: RealmError.closed) { try await live.beginWrite() }
            #expect(!live.isInWriteTransaction && !live.refresh())
            try await realm.reopen()
            try await live.write { cat.age = 3 }
            #expect(realm.objects(LiveCat.self).first?.age == 3)
            try await realm.close()
        }
    }

    @Test("Closing: streams end, those that run and those that begin later")
    func streams() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(.init(path: path, objectTypes: [LiveCat.self]))
            try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": 1]) }
            let cats = realm.objects(LiveCat.self)
            var running = cats.changes().makeAsyncIterator()
            _ = try await running.next()
            try await realm.close()
            guard try await running.next() == nil else {
                Issue.record("The stream goes on")
                return
            }
            var count = 0
            for try await _ in cats.changes() { count += 1 }
            #expect(count <= 1)
            for try await _ in realm.commits() { Issue.record("A commit of a closed realm") }
        }
    }
}

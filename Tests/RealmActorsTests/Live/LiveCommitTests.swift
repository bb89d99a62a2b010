import Dispatch
import Foundation
import StorageHarness
import Testing

@testable import RealmActors
@testable import Storage

/// Commits beside live realms: those that come while one is made or waits, and those that fail.
@Suite @MainActor struct LiveCommitTests {
    private func add(_ number: Int, to realm: Realm) async throws {
        try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": number]) }
    }

    /// A live realm took its version and then began to follow: a commit in between was shown with
    /// the next one only.
    @Test func aCommitWhileALiveRealmIsMadeIsShown() async throws {
        let realm = try await Realm.open(
            .init(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [LiveCat.self],
                writeTimeout: nil))
        for round in 0..<2_000 {
            let writer = Task.detached {
                try await realm.write { tx in
                    try tx.create(LiveCat.self, value: ["number": round])
                }
            }
            for _ in 0..<round % 7 { await Task.yield() }
            let live = try await realm.live()
            let cats = live.objects(LiveCat.self)
            _ = try await writer.value
            #expect(await soon { cats.count == round + 1 }, "round \(round)")
        }
    }

    /// The realm was moved by its follower during the wait, and the answer was that it had not.
    @Test func waitingForAVersionSaysThatTheRealmMoved() async throws {
        let realm = try await Realm.open(
            .init(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [LiveCat.self],
                writeTimeout: nil))
        let live = try await realm.live()
        for round in 0..<200 {
            let next = Realm.Version(rawValue: realm.latestVersion.rawValue + 1)
            let writer = Task.detached {
                try await realm.write { tx in
                    try tx.create(LiveCat.self, value: ["number": round])
                }
            }
            #expect(await live.refreshed(toAtLeast: next), "round \(round)")
            #expect(live.objects(LiveCat.self).count == round + 1)
            _ = try await writer.value
            #expect(await live.refreshed(toAtLeast: next) == false, "it is there")
        }
    }

    /// Observers that had read inside a write continued to show its values after the disk had
    /// failed and the realm had rolled back.
    @Test(arguments: [false, true])
    func aCommitThatFailsTellsItsObservers(isInBlock: Bool) async throws {
        let disk = SimulatedDisk()
        let realm = try await Realm.open(
            disk.configuration([LiveCat.self], writeTimeout: nil))
        try await add(1, to: realm)
        let live = try await realm.live()
        let cat = try #require(live.object(LiveCat.self, forPrimaryKey: 1))
        var observers: [ReadObserver] = []
        func change() {
            cat.name = "Tom"
            observers = [ReadObserver { _ = cat.name }, ReadObserver { _ = cat.age }]
        }
        disk.resetCalls()
        disk.inject(.init(.failedSync, call: 1, isLasting: true))
        await #expect(throws: RealmError.self) {
            if isInBlock {
                try await live.write { change() }
            } else {
                try await live.beginWrite()
                change()
                try await live.commitWrite()
            }
        }
        #expect(cat.name == "" && observers.map(\.count) == [1, 0])
        disk.resetCalls()
        try await realm.close()
    }

    /// What was read of an object while the commit that makes it was on its way to the disk was not
    /// observed, and nobody was notified when the object came.
    @Test func aCommitThatBecomesDurableTellsWhoReadItsObjectsBefore() async throws {
        let disk = SimulatedDisk()
        let realm = try await Realm.open(
            disk.configuration([LiveCat.self], writeTimeout: nil))
        let live = try await realm.live()
        // One signal lets everybody through, who comes later too.
        let gate = DispatchSemaphore(value: 0)
        disk.observe { call in
            guard call.moment == .before, call.operation == .sync, call.path.hasSuffix(".log")
            else { return }
            gate.wait()
            gate.signal()
        }
        try await live.beginWrite()
        let cat = try live.create(LiveCat.self, value: ["number": 1])
        cat.name = "Tom"
        let commit = Task { @MainActor in try await live.commitWrite() }
        while live.isInWriteTransaction { await Task.yield() }
        let observer = ReadObserver { _ = cat.name }
        #expect(live.objects(LiveCat.self).isEmpty && observer.count == 0)
        gate.signal()
        try await commit.value
        #expect(cat.name == "Tom" && observer.count == 1)
        try await realm.close()
    }

    /// An object that a write had deleted passed for one that a commit may still bring, as long as
    /// the task of an earlier write had not continued.
    @Test func whatAWriteDeletesIsGoneWhileAnEarlierOneReturns() async throws {
        let realm = try await Realm.open(
            .init(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [LiveCat.self],
                writeTimeout: nil))
        try await add(1, to: realm)
        let live = try await realm.live()
        let cat = try #require(live.object(LiveCat.self, forPrimaryKey: 1))
        // As it is until the actor continues a task of lower priority.
        live.context.pendingCommits += 1
        try await live.write {
            try live.deleteAll(LiveCat.self)
            #expect(cat.isInvalidated)
        }
        live.context.pendingCommits -= 1
        #expect(cat.isInvalidated)
    }
}

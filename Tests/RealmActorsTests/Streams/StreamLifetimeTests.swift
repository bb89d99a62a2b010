import Foundation
import StorageHarness
import Synchronization
import Testing

@testable import RealmActors
@testable import Storage

/// Streams while the store ends: the last handle is released, the disk fails, the store is
/// reopened.
@Suite struct StreamLifetimeTests {
    /// The last handle was released while a consumer requested the next element: before the store
    /// reported its end, the stream took a version of it, and the process trapped.
    @Test(arguments: [false, true]) func theLastHandleGoesWhileStreamsAreRead(
        isCancelled: Bool
    ) async throws {
        for round in 0..<1_000 {
            try await Self.readWhileTheStoreGoes(
                .init(
                    inMemoryIdentifier: UUID().uuidString, objectTypes: [LiveCat.self],
                    writeTimeout: nil),
                round, isCancelled)
        }
    }

    @Test(arguments: [false, true]) func theLastHandleOfAStoreOnDiskGoes(
        isCancelled: Bool
    ) async throws {
        try await withStorePath { path in
            for round in 0..<40 {
                try await Self.readWhileTheStoreGoes(
                    .init(path: path, objectTypes: [LiveCat.self], writeTimeout: nil), round,
                    isCancelled)
            }
        }
    }

    private static func readWhileTheStoreGoes(
        _ configuration: Realm.Configuration, _ round: Int, _ isCancelled: Bool
    ) async throws {
        let readers: [Task<Void, any Error>]
        do {
            let realm = try await Realm.open(configuration)
            let cats = realm.objects(LiveCat.self).sorted(by: \.name).changes()
            let exact = cats.buffering(.everyVersion(bufferLimit: 3))
            readers = [cats, cats, exact].map { stream in
                Task { for try await _ in stream {} }
            }
            for number in 0..<round % 4 {
                try await realm.write { tx in
                    try tx.create(LiveCat.self, value: ["number": round * 4 + number])
                }
            }
        }
        if isCancelled { for reader in readers { reader.cancel() } }
        let isOver = await comesToAnEnd { for reader in readers { try await reader.value } }
        #expect(isOver, "round \(round)")
    }

    /// A sync failed, reopening replayed its commit, and the streams continued without it: they
    /// delivered collections that never existed and could not be read.
    @Test func streamsEndWithTheReasonWhenTheStoreFails() async throws {
        let disk = SimulatedDisk()
        let realm = try await Realm.open(
            disk.configuration([LiveCat.self], writeTimeout: nil))
        try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": 1]) }
        let cats = realm.objects(LiveCat.self).sorted(by: \.number)
        let cat = try #require(realm.object(LiveCat.self, forPrimaryKey: 1))
        var sorted = cats.changes().makeAsyncIterator()
        var exact = cats.changes().buffering(.everyVersion(bufferLimit: 5)).makeAsyncIterator()
        var object = cat.changes().makeAsyncIterator()
        var commits = realm.commits().makeAsyncIterator()
        _ = try await (sorted.next(), exact.next())
        let keeper = TokenKeeper()
        try await keeper.observe(cats)
        disk.resetCalls()
        disk.inject(.init(.failedSync, call: 1, isLasting: true))
        await #expect(throws: RealmError.self) {
            try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": 2]) }
        }
        let failure = try #require(realm.failure)
        await #expect(throws: failure) { try await sorted.next() }
        await #expect(throws: failure) { try await exact.next() }
        await #expect(throws: failure) { try await object.next() }
        await #expect(throws: failure) { try await commits.next() }
        // Once: that of the history threw it as often as it was asked.
        #expect(summary(try await sorted.next()) == "end")
        #expect(summary(try await exact.next()) == "end")
        #expect(summary(try await object.next()) == "end")
        #expect(try await commits.next() == nil)
        #expect(await soon { await keeper.failure == failure })
        disk.resetCalls()
        try await realm.reopen()
        try await Self.tellsExactly(realm)
        try await realm.close()
    }

    @Test func theTokenOfAnObjectsStreamSubscribesForItsFirstIterator() async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [LiveCat.self]))
        try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": 1]) }
        let hub = realm.snapshot().hub
        let cat = try #require(realm.object(LiveCat.self, forPrimaryKey: 1))
        do {
            let stream = cat.changes()
            #expect(hub.count == 0)
            #expect(stream.token == stream.token)
            #expect(hub.count == 1)
            let iterator = stream.makeAsyncIterator()
            // Nobody would take another one.
            #expect(stream.token == stream.token)
            #expect(hub.count == 1)
            withExtendedLifetime(iterator) {}
        }
        #expect(hub.count == 0)
        try await realm.close()
    }

    /// A consumer of the history that requested the next commit after the store was reopened got
    /// the end without the error, as if the store had been closed.
    @Test func theHistoryEndsWithTheReasonAlsoAfterReopening() async throws {
        let disk = SimulatedDisk()
        let realm = try await Realm.open(
            disk.configuration([LiveCat.self], writeTimeout: nil))
        var commits = realm.commits().makeAsyncIterator()
        disk.resetCalls()
        disk.inject(.init(.failedSync, call: 1, isLasting: true))
        await #expect(throws: RealmError.self) {
            try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": 1]) }
        }
        let failure = try #require(realm.failure)
        disk.resetCalls()
        try await realm.reopen()
        await #expect(throws: failure) { while try await commits.next() != nil {} }
        try await realm.close()
    }

    /// After reopening, a new stream begins with the replayed state and continues from there.
    private static func tellsExactly(_ realm: Realm) async throws {
        let cats = realm.objects(LiveCat.self).sorted(by: \.number)
        var stream = cats.changes().makeAsyncIterator()
        guard case .initial(let shown)? = try await stream.next() else {
            Issue.record("A stream begins with what there is")
            return
        }
        let found = shown.map(\.number)
        #expect(found == realm.objects(LiveCat.self).map(\.number))
        try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": 3]) }
        guard case .update(let next, [], [found.count], [])? = try await stream.next() else {
            Issue.record("The commit is not delivered")
            return
        }
        #expect(next.map(\.number) == found + [3])
    }

    /// Streams of a store that is reopened end as when it is closed: another process may have
    /// written in between.
    @Test func streamsEndWhenAHealthyStoreIsReopened() async throws {
        try await withFreshRealm([LiveCat.self]) { realm in
            var stream = realm.objects(LiveCat.self).changes().makeAsyncIterator()
            _ = try await stream.next()
            try await realm.reopen()
            guard try await stream.next() == nil else {
                Issue.record("The stream goes on")
                return
            }
            try await Self.tellsExactly(realm)
        }
    }
}

/// Keeps an observation.
private actor TokenKeeper {
    private var token: NotificationToken?
    var failure: RealmError? { token?.failure }

    func observe(_ cats: FrozenResults<LiveCat>) throws {
        token = try cats.observe(on: self) { _, _ in }
    }
}

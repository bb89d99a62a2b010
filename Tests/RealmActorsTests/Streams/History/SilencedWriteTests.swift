import Foundation
import RealmActors
import Testing

@Suite struct SilencedWriteTests {
    private typealias Dogs = CollectionChange<FrozenResults<HistoryDog>>

    private static func indices(_ change: Dogs?) -> [[Int]] {
        guard case .update(_, let deletions, let insertions, let modifications)? = change else {
            return []
        }
        return [deletions, insertions, modifications]
    }

    private static func addDog(
        _ id: Int, _ realm: Realm, silencing tokens: [ChangeStreamToken] = []
    ) async throws {
        try await realm.write(silencing: tokens) { tx in
            try tx.create(HistoryDog.self, value: ["id": id])
        }
    }

    @Test("T6: a silenced transaction is not in the next change either")
    func aSkippedTransactionIsNotInTheNextChangeEither() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let stream = realm.objects(HistoryDog.self).changes()
            var changes = stream.makeAsyncIterator()
            _ = try await changes.next()
            try await Self.addDog(0, realm, silencing: [stream.token])
            try await Self.addDog(1, realm)
            let first = try await changes.next()
            #expect(Self.indices(first) == [[], [1], []])
            #expect(first?.collection.map(\.id) == [0, 1])
            try await realm.write(silencing: [stream.token]) { tx in
                try tx.delete(#require(tx.object(HistoryDog.self, forPrimaryKey: 0)))
            }
            try await realm.editDog(1) { $0.name = "Rex" }
            #expect(Self.indices(try await changes.next()) == [[], [], [0]])
        }
    }

    @Test @MainActor func writesOfLiveRealmsAreSilencedToo() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let live = try await realm.live()
            let stream = live.objects(HistoryDog.self).changes()
            var changes = stream.makeAsyncIterator()
            _ = try await changes.next()
            try await live.write(silencing: [stream.token]) {
                _ = try live.create(HistoryDog.self, value: ["id": 0])
            }
            try await live.beginWrite()
            try live.create(HistoryDog.self, value: ["id": 1])
            try await live.commitWrite(silencing: [stream.token])
            try await live.write { _ = try live.create(HistoryDog.self, value: ["id": 2]) }
            let received = try await changes.next()
            #expect(Self.indices(received) == [[], [2], []])
            #expect(received?.collection.map(\.id) == [0, 1, 2])
        }
    }

    @Test func commitsBeforeASkippedTransactionAreAnElementOfTheirOwn() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let stream = realm.objects(HistoryDog.self).changes()
            var changes = stream.makeAsyncIterator()
            _ = try await changes.next()
            try await Self.addDog(0, realm)
            try await Self.addDog(1, realm, silencing: [stream.token])
            try await Self.addDog(2, realm, silencing: [stream.token])
            try await Self.addDog(3, realm)
            let before = try await changes.next()
            #expect(Self.indices(before) == [[], [0], []])
            #expect(before?.collection.count == 1)
            let after = try await changes.next()
            #expect(Self.indices(after) == [[], [3], []])
            #expect(after?.collection.count == 4)
        }
    }

    @Test func otherStreamsAndTheHistoryHearOfASilencedWrite() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let own = realm.objects(HistoryDog.self).changes()
            let others = realm.objects(HistoryDog.self).changes()
            #expect(own.token != others.token)
            var changes = others.makeAsyncIterator()
            var commits = realm.commits().makeAsyncIterator()
            _ = try await changes.next()
            try await Self.addDog(0, realm, silencing: [own.token])
            #expect(Self.indices(try await changes.next()) == [[], [0], []])
            #expect(try await commits.next()?.insertions(of: HistoryDog.self).count == 1)
        }
    }

    @Test func aSilencedWriteBeforeTheFirstElementIsPartOfThat() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let stream = realm.objects(HistoryDog.self).changes()
            var changes = stream.makeAsyncIterator()
            try await Self.addDog(0, realm, silencing: [stream.token])
            let first = try await changes.next()
            guard case .initial(let dogs)? = first else {
                Issue.record("expected the first element")
                return
            }
            #expect(dogs.count == 1)
        }
    }

    @Test func anObjectsStreamIsSilencedToo() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let rex = try await realm.addDog(1, "Rex", age: 1)
            let stream = rex.changes()
            var changes = stream.makeAsyncIterator()
            try await realm.write(silencing: [stream.token]) { tx in
                try #require(tx.resolve(rex)).age = 2
            }
            try await realm.editDog(1) { $0.age = 3 }
            guard case .change(_, let properties)? = try await changes.next() else {
                Issue.record("expected a change")
                return
            }
            #expect(properties.map(\.oldValue) == [2] && properties.map(\.newValue) == [3])
        }
    }

    /// The first iterator compared with the version in which the stream was made, and ignored the
    /// writes that were silenced before it.
    @Test(arguments: [ChangeBuffering.latest, .everyVersion(bufferLimit: 9)])
    func anObjectsStreamIsSilencedBeforeItIsIterated(buffering: ChangeBuffering) async throws {
        try await withFreshRealm(historyTypes) { realm in
            let rex = try await realm.addDog(1, "Rex", age: 1)
            let stream = rex.changes().buffering(buffering)
            try await realm.write(silencing: [stream.token]) { tx in
                try #require(tx.resolve(rex)).age = 2
            }
            try await realm.editDog(1) { $0.name = "Max" }
            var changes = stream.makeAsyncIterator()
            guard case .change(let dog, let properties)? = try await changes.next() else {
                Issue.record("expected a change")
                return
            }
            #expect(dog.age == 2 && properties.map(\.name) == ["name"])
        }
    }

    /// The end was dropped with the deletion: the stream waited, and with the next commit of the
    /// class it delivered the silenced deletion.
    @Test(arguments: [ChangeBuffering.latest, .everyVersion(bufferLimit: 9)])
    func aSilencedDeletionEndsTheStreamWithoutAnElement(buffering: ChangeBuffering) async throws {
        try await withFreshRealm(historyTypes) { realm in
            let rex = try await realm.addDog(1)
            let stream = rex.changes().buffering(buffering)
            var changes = stream.makeAsyncIterator()
            var others = rex.changes().makeAsyncIterator()
            try await realm.editDog(1) { $0.age = 2 }
            try await realm.write(silencing: [stream.token]) { tx in
                try tx.delete(#require(tx.resolve(rex)))
            }
            try await Self.addDog(2, realm)
            guard case .change(let dog, _)? = try await changes.next() else {
                Issue.record("expected what came before the deletion")
                return
            }
            #expect(dog.age == 2)
            #expect(try await changes.next() == nil)
            guard case .deleted? = try await others.next() else {
                Issue.record("expected the deletion where it is not silenced")
                return
            }
        }
    }

    /// What had changed before the subscription came together with the deletion, as `.deleted`.
    @Test(arguments: [ChangeBuffering.latest, .everyVersion(bufferLimit: 9)])
    func theFirstElementIsDeliveredWithoutASilencedDeletion(
        buffering: ChangeBuffering
    ) async throws {
        try await withFreshRealm(historyTypes) { realm in
            let rex = try await realm.addDog(1)
            try await realm.editDog(1) { $0.age = 2 }
            let stream = rex.changes().buffering(buffering)
            var changes = stream.makeAsyncIterator()
            try await realm.write(silencing: [stream.token]) { tx in
                try tx.delete(#require(tx.resolve(rex)))
            }
            guard case .change(let dog, let properties)? = try await changes.next() else {
                Issue.record("expected what came before the subscription")
                return
            }
            #expect(dog.age == 2 && properties.map(\.name) == ["age"])
            #expect(try await changes.next() == nil)
        }
    }

    @Test func aSilencedStreamThatWaitsHoldsNoVersion() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let stream = realm.objects(HistoryDog.self).changes()
            let (received, continuation) = AsyncStream.makeStream(of: Int.self)
            let watching = Task {
                for try await change in stream {
                    continuation.yield(change.collection.count)
                    if change.collection.count == 22 { break }
                }
                continuation.finish()
            }
            var counts = received.makeAsyncIterator()
            #expect(await counts.next() == 0)
            for id in 0..<20 { try await Self.addDog(id, realm, silencing: [stream.token]) }
            try await Self.addDog(20, realm)
            #expect(await counts.next() == 21)
            try await Self.addDog(21, realm)
            #expect(await counts.next() == 22)
            try await watching.value
            #expect(realm.activeVersions.count <= 2)
        }
    }
}

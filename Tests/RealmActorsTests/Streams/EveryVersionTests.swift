import Foundation
import RealmActors
import Testing

/// Streams that deliver every version separately, whatever their consumer does meanwhile.
@Suite struct EveryVersionTests {
    @Test("O4: with every version, each commit is an element of its own")
    func everyCommitIsAnElementOfItsOwn() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let stream = realm.objects(HistoryDog.self).changes()
                .buffering(.everyVersion(bufferLimit: 10))
            var changes = stream.makeAsyncIterator()
            try await realm.addDog(1, age: 0)
            try await realm.editDog(1) { $0.age = 1 }
            try await realm.write { tx in try tx.deleteAll(HistoryDog.self) }
            // Before the commits, although it was requested after them.
            #expect(summary(try await changes.next()) == "initial 0")
            let inserted = try await changes.next()
            #expect(summary(inserted) == "-[] +[0] ~[]" && inserted?.collection.first?.age == 0)
            let modified = try await changes.next()
            #expect(summary(modified) == "-[] +[] ~[0]" && modified?.collection.first?.age == 1)
            #expect(summary(try await changes.next()) == "-[0] +[] ~[]")
        }
    }

    @Test(arguments: [Realm.Configuration.Durability.fsync, .relaxed(every: .seconds(1))])
    func commitsThatBecameDurableTogetherAreDeliveredOneByOne(
        durability: Realm.Configuration.Durability
    ) async throws {
        let configure: (inout Realm.Configuration) -> Void = { $0.durability = durability }
        try await withFreshRealm(historyTypes, configure) { realm in
            let (writers, writes) = (8, 20)
            var exact = realm.objects(HistoryDog.self).where { $0.age < 1000 }.sorted(by: \.id)
                .changes().buffering(.everyVersion(bufferLimit: writers * writes))
                .makeAsyncIterator()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        for write in 0..<writes {
                            let id = write * writers + writer
                            if write % 3 == 2 {
                                try await realm.editDog(id - writers) { $0.age = 2000 }
                            } else {
                                try await realm.addDog(id, age: id)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            guard case .initial(let dogs)? = try await exact.next() else {
                Issue.record("expected the first element")
                return
            }
            var shown = dogs.map(\.id)
            var version = dogs.snapshot.version
            for _ in 0..<writers * writes {
                guard
                    case .update(let now, let deletions, let insertions, let modifications)? =
                        try await exact.next()
                else {
                    Issue.record("expected an update")
                    return
                }
                #expect(now.snapshot.version.rawValue == version.rawValue + 1)
                #expect(deletions.count + insertions.count + modifications.count == 1)
                for position in deletions.reversed() { shown.remove(at: position) }
                for position in insertions { shown.insert(now[position].id, at: position) }
                #expect(shown == now.map(\.id))
                version = now.snapshot.version
            }
            #expect(version == realm.latestVersion)
        }
    }

    @Test func anObjectsStreamDeliversEachValue() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let rex = try await realm.addDog(1, age: 0)
            try await realm.editDog(1) { $0.age = 10 }
            var changes = rex.changes().buffering(.everyVersion(bufferLimit: 5))
                .makeAsyncIterator()
            for age in [20, 30] { try await realm.editDog(1) { $0.age = age } }
            try await realm.write { tx in try tx.delete(#require(tx.resolve(rex))) }
            var values: [[FrozenValue?]] = []
            while case .change(let dog, let properties)? = try await changes.next() {
                #expect(properties.map(\.name) == ["age"])
                values.append(properties.map(\.oldValue) + [dog.age.map { .int($0) }])
            }
            #expect(values == [[0, 10], [10, 20], [20, 30]])
            #expect(summary(try await changes.next()) == "end")
        }
    }

    @Test("O4: a consumer that falls behind gets what was kept, and then the overflow")
    func aConsumerThatFallsBehindTooFarGetsWhatWasKeptAndThenTheOverflow() async throws {
        try await withFreshRealm(historyTypes) { realm in
            var changes = realm.objects(HistoryDog.self).changes()
                .buffering(.everyVersion(bufferLimit: 3)).makeAsyncIterator()
            #expect(summary(try await changes.next()) == "initial 0")
            for id in 0..<6 { try await realm.addDog(id) }
            let labels = realm.activeVersions.flatMap(\.labels)
            #expect(labels == Array(repeating: "the buffer of a change stream", count: 3))
            for count in 1...3 {
                let change = try await changes.next()
                #expect(change?.collection.count == count)
            }
            let error = await #expect(throws: RealmError.self) { try await changes.next() }
            guard case .streamOverflow(bufferLimit: 3)? = error else {
                Issue.record("expected an overflow, not \(String(describing: error))")
                return
            }
            #expect(error?.description.contains("Start a new stream") == true)
            #expect(summary(try await changes.next()) == "end")
            #expect(realm.activeVersions.count == 1)
        }
    }

    @Test func aWaitingConsumerHoldsNoVersion() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let stream = realm.objects(HistoryDog.self).changes()
                .buffering(.everyVersion(bufferLimit: 1))
            let (received, continuation) = AsyncStream.makeStream(of: Int.self)
            let watching = Task {
                for try await change in stream { continuation.yield(change.collection.count) }
            }
            var counts = received.makeAsyncIterator()
            #expect(await counts.next() == 0)
            for id in 0..<20 {
                try await realm.addDog(id)
                #expect(await counts.next() == id + 1)
            }
            // The consumer releases its element when it requests the next one.
            while realm.activeVersions.contains(where: { $0.holders > 0 }) { await Task.yield() }
            watching.cancel()
            try await watching.value
        }
    }

    @Test func aSilencedCommitIsNotDeliveredAndNotCounted() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let stream = realm.objects(HistoryDog.self).changes()
                .buffering(.everyVersion(bufferLimit: 2))
            var changes = stream.makeAsyncIterator()
            func add(_ id: Int, silencing tokens: [ChangeStreamToken] = []) async throws {
                try await realm.write(silencing: tokens) { tx in
                    try tx.create(HistoryDog.self, value: ["id": id])
                }
            }
            #expect(summary(try await changes.next()) == "initial 0")
            try await add(0, silencing: [stream.token])
            try await add(1)
            for id in 2..<5 { try await add(id, silencing: [stream.token]) }
            try await add(5)
            #expect(summary(try await changes.next()) == "-[] +[1] ~[]")
            #expect(summary(try await changes.next()) == "-[] +[5] ~[]")
            try await add(6, silencing: [stream.token])
            try await add(7)
            #expect(summary(try await changes.next()) == "-[] +[7] ~[]")
        }
    }

    @Test func closingDeliversWhatIsDue() async throws {
        try await withFreshRealm(historyTypes) { realm in
            var changes = realm.objects(HistoryDog.self).changes()
                .buffering(.everyVersion(bufferLimit: 9)).makeAsyncIterator()
            try await realm.addDog(1)
            try await realm.close()
            #expect(summary(try await changes.next()) == "initial 0")
            #expect(summary(try await changes.next()) == "-[] +[0] ~[]")
            #expect(summary(try await changes.next()) == "end")
        }
    }
}

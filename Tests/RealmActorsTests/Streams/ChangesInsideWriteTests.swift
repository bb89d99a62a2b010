import RealmActors
import Testing

/// Change streams that are requested inside a write.
@Suite struct ChangesInsideWriteTests {
    @MainActor private static func expectRefusal(
        _ changes: ObjectChanges<HistoryDog>.AsyncIterator
    ) async {
        var changes = changes
        let error = await #expect(throws: RealmError.self) { try await changes.next() }
        guard case .invalidObject(let text)? = error else {
            Issue.record("expected a refusal, not \(String(describing: error))")
            return
        }
        #expect(text.contains("inside a write"))
    }

    @Test("N6: the stream of an object throws inside the write that made it")
    @MainActor func anObjectsStreamInsideAWriteThrows() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let rex = try await realm.addDog(1)
            let live = try await realm.live()
            let dog = try #require(live.resolve(rex))
            let changes = try await live.write {
                let new = try live.create(HistoryDog.self, value: ["id": 2])
                return [dog, new].map { $0.changes().makeAsyncIterator() }
            }
            for iterator in changes { await Self.expectRefusal(iterator) }
        }
    }

    @Test @MainActor func soDoesOneOfACancelledWriteAndObserving() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let rex = try await realm.addDog(1)
            let live = try await realm.live()
            let dog = try #require(live.resolve(rex))
            try await live.beginWrite()
            dog.age = 2
            let changes = dog.changes().makeAsyncIterator()
            #expect(throws: RealmError.self) {
                try dog.observe(on: MainActor.shared) { _, _ in }
            }
            live.cancelWrite()
            await Self.expectRefusal(changes)
        }
    }

    @Test func whatAWriteReturnsIsWatchedFromItsStateOn() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let (rex, stream) = try await realm.write { tx in
                let dog = try tx.create(HistoryDog.self, value: ["id": 1, "age": 1])
                return (dog.freeze(), dog.changes())
            }
            var changes = [rex.changes().makeAsyncIterator(), stream.makeAsyncIterator()]
            try await realm.editDog(1) { $0.age = 2 }
            for index in changes.indices {
                guard case .change(_, let properties)? = try await changes[index].next() else {
                    Issue.record("expected a change")
                    return
                }
                #expect(properties.map(\.oldValue) == [1] && properties.map(\.newValue) == [2])
            }
        }
    }

    @Test @MainActor
    func aCollectionsStreamInsideAWriteBeginsWithWhatIsVisibleThen() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let live = try await realm.live()
            var changes = try await live.write {
                try live.create(HistoryDog.self, value: ["id": 1])
                return live.objects(HistoryDog.self).changes().makeAsyncIterator()
            }
            #expect(summary(try await changes.next()) == "initial 1")
            try await realm.addDog(2)
            #expect(summary(try await changes.next()) == "-[] +[1] ~[]")
        }
    }

    /// It had ended, or began behind the write, as chance had it.
    @Test("N6: the stream of a collection throws inside the write that made its object")
    @MainActor func aCollectionsStreamInsideTheWriteThatMadeItsObjectThrows() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let rex = try await realm.addDog(1)
            let live = try await realm.live()
            let dog = try #require(live.resolve(rex))
            var (old, tags, scores) = try await live.write {
                let new = try live.create(HistoryDog.self, value: ["id": 2])
                new.tags.append("a")
                return (
                    dog.tags.changes().makeAsyncIterator(),
                    new.tags.changes().makeAsyncIterator(),
                    new.scores.changes().makeAsyncIterator()
                )
            }
            #expect(summary(try await old.next()) == "initial 0")
            await #expect(throws: RealmError.self) { try await tags.next() }
            await #expect(throws: RealmError.self) { try await scores.next() }
            let new = try #require(live.object(HistoryDog.self, forPrimaryKey: 2))
            var changes = new.tags.changes().makeAsyncIterator()
            #expect(summary(try await changes.next()) == "initial 1")
        }
    }

    /// They stayed empty after the write: the object's list had not been written, but created.
    @Test("N28: results of a list begin empty inside the write that makes its object")
    @MainActor func resultsOfAListInsideTheWriteThatMakesItsObject() async throws {
        let live = try await RowWorld().realm.live()
        try await live.beginWrite()
        let owner = try live.create(RowOwner.self, value: ["id": 1])
        for dog in live.objects(RowDog.self) { owner.employees.append(dog) }
        var changes = owner.employees.sorted(by: \.id).changes().makeAsyncIterator()
        #expect(summary(try await changes.next()) == "initial 0")
        try await live.commitWrite()
        #expect(summary(try await changes.next()) == "-[] +[0, 1, 2] ~[]")
    }

    @Test("N6: so does that of a collection within a value which the write has made")
    @MainActor func aNestedCollectionsStreamInsideTheWriteThatMadeItThrows() async throws {
        let live = try await freshRealm(hostTypes).live()
        let host = try await live.write { try live.makeHost(1) }
        var changes = try await live.write {
            host.note = ["new": [1]]
            let list = try #require(host.note.dictionaryValue?["new"]?.listValue)
            return list.changes().makeAsyncIterator()
        }
        await #expect(throws: RealmError.self) { try await changes.next() }
        let list = try #require(host.note.dictionaryValue?["new"]?.listValue)
        var later = list.changes().makeAsyncIterator()
        #expect(summary(try await later.next()) == "initial 1")
    }
}

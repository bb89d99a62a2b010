import RealmActors
import Testing

/// Collections of an object that another writer has deleted.
@Suite struct LostCollectionTests {
    /// They were those of nothing, until something else had been asked of the object.
    @Test("D21, Q15: aggregates of a lost collection are those of the elements that it shows")
    @MainActor func aggregates() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in
            for (number, dog) in dogs.enumerated() { dog.age = number + 1 }
            owner.employees.append(objectsIn: dogs)
            owner.pack.insert(objectsIn: dogs)
            owner.byName["a"] = .some(dogs[2])
        }
        let live = try await world.realm.live()
        live.autorefresh = false
        // An accessor for each, as the first question tells it that its row is gone.
        let owners = try (0..<3).map { _ in
            try #require(live.object(RowOwner.self, forPrimaryKey: 0))
        }
        let (list, set, map) = (owners[0].employees, owners[1].pack, owners[2].byName)
        #expect(list.count == 3 && set.count == 3 && map.count == 1)
        try await world.deleteOwner()
        live.refresh()
        #expect(list.sum(of: \.age) == 6)
        #expect(set.max(of: \.age) == 3)
        #expect(map.average(of: \.age) == 3)
        #expect(list.count == 3 && list.average(of: \.age) == 2 && list.isInvalidated)
    }
}

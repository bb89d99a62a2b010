import RealmActors
import Storage
import StorageHarness
import Testing

/// Results of the collections of an object whose write was rolled back, once another host has given
/// its row key to another object: they showed the collections of that.
@Suite @MainActor struct UndoneCollectionTests {
    private static let types: [ObjectBase.Type] = [
        RowDog.self, RowOwner.self, RowTown.self, RowTag.self,
    ]

    private func withHosts(
        _ body: @MainActor (_ own: Realm, _ other: Realm) async throws -> Void
    ) async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let own = try await Realm.open(configuration(path + "-1", engine, Self.types))
            let other = try await Realm.open(configuration(path + "-2", engine, Self.types))
            try await body(own, other)
            try await own.close()
            try await other.close()
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    /// Adds an owner of one dog in one town.
    private func add(_ id: Int, on other: Realm) async throws {
        try await other.write { tx in
            let owner = try tx.create(RowOwner.self, value: ["id": id])
            owner.employees.append(try tx.create(RowDog.self, value: ["id": id]))
            try tx.create(RowTown.self, value: ["id": id]).owners.append(owner)
        }
    }

    @Test("D1: live results of the collections of an object that was rolled back stay empty")
    func liveResults() async throws {
        try await withHosts { own, other in
            let live = try await own.live()
            try await live.beginWrite()
            let owner = try live.create(RowOwner.self, value: ["id": 1])
            owner.employees.append(try live.create(RowDog.self, value: ["id": 1]))
            let dogs = owner.employees.where { $0.id > 0 }
            let towns = owner.town.sorted(by: \.id)
            #expect(dogs.count == 1 && towns.isEmpty)
            live.cancelWrite()
            #expect(dogs.isEmpty)
            try await add(2, on: other)
            _ = try await own.refreshed(.toNewest)
            live.refresh()
            let later = try #require(live.object(RowOwner.self, forPrimaryKey: 2))
            #expect(later.employees.count == 1 && later.town.count == 1)
            #expect(owner.isInvalidated && dogs.isEmpty && towns.isEmpty)
            #expect(dogs.freeze().isEmpty && dogs.sorted(by: \.id).isEmpty)
        }
    }

    @Test("D1: the stream of such results ends instead of following another object")
    func streams() async throws {
        try await withHosts { own, other in
            let live = try await own.live()
            try await live.beginWrite()
            let owner = try live.create(RowOwner.self, value: ["id": 1])
            owner.employees.append(try live.create(RowDog.self, value: ["id": 1]))
            let employees = owner.employees.sorted(by: \.id)
            var dogs = employees.changes().makeAsyncIterator()
            var towns = owner.town.sorted(by: \.id).changes().makeAsyncIterator()
            var sections = employees.sectioned(by: \.name).changes().makeAsyncIterator()
            var groups = employees.grouped(by: \.name).changes(.count).makeAsyncIterator()
            #expect(summary(try await dogs.next()) == "initial 0")
            #expect(summary(try await towns.next()) == "initial 0")
            #expect(try await sections.next()?.collection.isEmpty == true)
            #expect(try await groups.next()?.isEmpty == true)
            live.cancelWrite()
            try await add(2, on: other)
            _ = try await own.refreshed(.toNewest)
            #expect(summary(try await dogs.next()) == "end")
            #expect(summary(try await towns.next()) == "end")
            #expect(try await sections.next() == nil)
            #expect(try await groups.next() == nil)
        }
    }
}

import RealmActors
import Testing

/// Results and inverses beside objects whose deletion was rolled back: they stay invalidated,
/// though their rows are there again.
@Suite @MainActor struct UndoneResultsTests {
    private func withRows(_ body: @MainActor (LiveRealm) async throws -> Void) async throws {
        let types: [ObjectBase.Type] = [RowDog.self, RowOwner.self, RowTown.self, RowTag.self]
        try await withFreshRealm(types) { realm in
            let live = try await realm.live()
            try await live.write {
                let owner = try live.create(RowOwner.self, value: ["id": 2])
                try live.create(RowTown.self, value: ["id": 4]).owners.append(owner)
            }
            try await body(live)
        }
    }

    /// They had a position for what they did not contain.
    @Test("D1, L4: results do not contain an object whose deletion was rolled back")
    func positions() async throws {
        try await withRows { live in
            let owners = live.objects(RowOwner.self)
            let named = owners.where { $0.name == "" }
            let section = try #require(owners.sectioned(by: \.name).first)
            let owner = try #require(owners.first)
            #expect(owners.index(of: owner) == 0 && named.index(of: owner) == 0)
            #expect(section.index(of: owner) == 0)
            try await live.beginWrite()
            try live.deleteAll(RowOwner.self)
            live.cancelWrite()
            #expect(owners.count == 1 && !owners.contains(owner))
            #expect(owners.index(of: owner) == nil && named.index(of: owner) == nil)
            #expect(section.index(of: owner) == nil)
            let again = try #require(owners.first)
            #expect(owners.index(of: again) == 0 && section.index(of: again) == 0)
        }
    }

    /// They were there again with the row.
    @Test("D1, P7: an inverse of an object whose deletion was rolled back has no links")
    func inverses() async throws {
        try await withRows { live in
            let owner = try #require(live.object(RowOwner.self, forPrimaryKey: 2))
            let town = owner.town
            #expect(town.map(\.id) == [4])
            try await live.beginWrite()
            try live.deleteAll(RowOwner.self)
            live.cancelWrite()
            #expect(town.isEmpty && town.map(\.id) == [] && town.first == nil)
            #expect(town.isInvalidated && town.freeze().isEmpty)
            let again = try #require(live.object(RowOwner.self, forPrimaryKey: 2))
            #expect(again.town.map(\.id) == [4])
        }
    }

    /// They were filled again, although the list was not.
    @Test("D1: results of a collection of an object whose deletion was rolled back stay empty")
    func resultsOfCollections() async throws {
        try await withRows { live in
            let town = try #require(live.object(RowTown.self, forPrimaryKey: 4))
            let owner = try #require(live.object(RowOwner.self, forPrimaryKey: 2))
            let owners = town.owners.where { $0.id == 2 }
            let towns = owner.town.where { $0.id == 4 }
            #expect(owners.count == 1 && towns.count == 1)
            try await live.beginWrite()
            try live.deleteAll(RowTown.self)
            #expect(owners.isEmpty && towns.isEmpty)
            live.cancelWrite()
            #expect(town.isInvalidated && owners.isEmpty && owners.freeze().isEmpty)
            #expect(!owner.isInvalidated && towns.count == 1)
            let again = try #require(live.object(RowTown.self, forPrimaryKey: 4))
            #expect(again.owners.where { $0.id == 2 }.count == 1)
        }
    }
}

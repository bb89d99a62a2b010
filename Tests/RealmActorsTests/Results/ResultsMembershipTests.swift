import Foundation
import RealmActors
import Testing

private final class Crate: Object {
    @Persisted var name: String
    @Persisted var size: Int
}

private final class CrateView: Projection<Crate> {
    @Projected(\Crate.name) var title
}

private final class Bin: Object {
    @Persisted var lids: List<Lid>
}

private final class Lid: Object {
    @Persisted var size: Int
    @Persisted(originProperty: "lids") var bins: LinkingObjects<Bin>
}

/// Whether an object is among results, by any of the words that Swift's collections have.
@Suite struct ResultsMembershipTests {
    private func withCrates(_ body: (Realm) async throws -> Void) async throws {
        try await withFreshRealm([Crate.self]) { realm in
            try await realm.write { tx in
                for size in 0..<4 {
                    let crate = try tx.create(Crate.self)
                    crate.name = "crate \(size % 2)"
                    crate.size = size
                }
            }
            try await body(realm)
        }
    }

    /// Without a primary key, another object for the same row was not found.
    @Test func aLiveObjectIsAmongTheResultsThatHaveItsRow() async throws {
        try await withCrates { realm in
            try await realm.write { tx in
                let crates = tx.objects(Crate.self)
                let third = crates[2]
                #expect(crates.contains(third) && crates.firstIndex(of: third) == 2)
                let large = crates.where { $0.size > 2 }
                #expect(!large.contains(third) && large.firstIndex(of: third) == nil)
                let section = crates.sectioned(by: \.name)[0]
                #expect(section.contains(third) && section.firstIndex(of: third) == 1)
                #expect(!section.contains(crates[1]))
                let views = tx.objects(CrateView.self)
                #expect(views.contains(views[2]) && views.firstIndex(of: views[2]) == 2)
                #expect(views.lastIndex(of: views[2]) == 2)
                #expect(!crates.contains(Crate()))
            }
        }
    }

    /// It was that of an equal object, and an object without a primary key equals itself only.
    @Test func theLastPositionIsTheLastOfTheRow() async throws {
        try await withFreshRealm([Bin.self, Lid.self]) { realm in
            try await realm.write { tx in
                let bin = try tx.create(Bin.self, value: ["lids": [["size": 1], ["size": 2]]])
                let lid = bin.lids[0]
                bin.lids.append(lid)
                let lids = bin.lids.where { $0.size > 0 }
                #expect(lids.firstIndex(of: lid) == 0 && lids.lastIndex(of: lid) == 2)
                #expect(lids.lastIndex(of: bin.lids[1]) == 1)
                #expect(lids.lastIndex(of: Lid()) == nil)
                let section = lids.sectioned(by: \.size)[0]
                #expect(section.firstIndex(of: lid) == 0 && section.lastIndex(of: lid) == 1)
                let again = tx.objects(Bin.self)[0]
                #expect(lid.bins.firstIndex(of: again) == 0 && lid.bins.lastIndex(of: again) == 1)
                #expect(lid.bins.lastIndex(of: Bin()) == nil)
            }
        }
    }

    /// One of an older version was not found, as it is in lists.
    @Test func aFrozenObjectIsAmongTheResultsThatHaveItsRow() async throws {
        try await withCrates { realm in
            let old = realm.objects(Crate.self)
            let third = old[2]
            let view = realm.objects(CrateView.self)[2]
            try await realm.write { tx in tx.resolve(third)?.size = 7 }
            let now = realm.objects(Crate.self)
            #expect(now.contains(third) && now.firstIndex(of: third) == 2)
            #expect(now.where { $0.size == 7 }.contains(third))
            #expect(!now.where { $0.size < 7 }.contains(third))
            let section = now.sectioned(by: \.name)[0]
            #expect(section.contains(third) && section.firstIndex(of: third) == 1)
            let views = realm.objects(CrateView.self)
            #expect(views.contains(view) && views.firstIndex(of: view) == 2)
            #expect(views.lastIndex(of: view) == 2 && now.lastIndex(of: third) == 2)
            #expect(section.lastIndex(of: third) == 1)
            try await realm.write { tx in try tx.delete(third) }
            #expect(!realm.objects(Crate.self).contains(third) && old.contains(third))
        }
    }

    /// It was found in lists, and not among results.
    @Test func aFrozenObjectOfAnEarlierOpeningIsAmongTheResultsThatHaveItsRow() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(path: path, objectTypes: [Crate.self])
            let former = try await Realm.open(configuration)
            let crate = try await former.write { tx in try tx.create(Crate.self).freeze() }
            try await former.close()
            let realm = try await Realm.open(configuration)
            let crates = realm.objects(Crate.self)
            #expect(crates.contains(crate) && crates.index(of: crate) == 0)
            try await withCrates { other in
                #expect(!other.objects(Crate.self).contains(crate))
            }
            try await realm.close()
        }
    }
}

import RealmActors
import StorageHarness
import Testing

private final class Troupe: Object {
    @Persisted var number: Int
    @Persisted var chief: Troupe?
    @Persisted var branches: List<Troupe>
    @Persisted var guests: MutableSet<Troupe>
    @Persisted(originProperty: "branches") var parents: LinkingObjects<Troupe>
}

/// Whether any, all or none of the objects behind several collections are some of those given,
/// against plain Swift.
@Suite struct NestedMembershipTests {
    /// A troupe as numbers of others.
    private struct Plain: Sendable {
        let chief: Int?
        let branches: [Int]
        let guests: Set<Int>
    }

    private static let count = 12

    private static func plain(_ random: inout SeededGenerator) -> [Plain] {
        (0..<count).map { _ in
            Plain(
                chief: random.oneIn(3) ? nil : random.next(below: count),
                branches: (0..<random.next(below: 4)).map { _ in random.next(below: count) },
                guests: Set((0..<random.next(below: 3)).map { _ in random.next(below: count) }))
        }
    }

    /// A path, asked for all, any and none of what it leads to, and where it leads to.
    private struct Way {
        let name: String
        let all: (Query<Troupe>, [Frozen<Troupe>]) -> Query<Bool>
        let any: (Query<Troupe>, [Frozen<Troupe>]) -> Query<Bool>
        let none: (Query<Troupe>, [Frozen<Troupe>]) -> Query<Bool>
        /// A link to nobody, where the path ends with it, is none of the objects.
        let leaves: (Int, [Plain]) -> [Int]
    }

    private static func ways() -> [Way] {
        var ways: [Way] = []
        ways.append(
            Way(
                name: "branches",
                all: { $0.branches.all.in($1) }, any: { $0.branches.any.in($1) },
                none: { $0.branches.none.containsAny(in: $1) },
                leaves: { row, plain in plain[row].branches }))
        ways.append(
            Way(
                name: "branches.branches",
                all: { $0.branches.all.branches.in($1) },
                any: { $0.branches.branches.containsAny(in: $1) },
                none: { $0.branches.none.branches.in($1) },
                leaves: { row, plain in plain[row].branches.flatMap { plain[$0].branches } }))
        ways.append(
            Way(
                name: "guests.chief.branches",
                all: { $0.guests.all.chief.branches.containsAny(in: $1) },
                any: { $0.guests.any.chief.branches.in($1) },
                none: { $0.guests.none.chief.branches.in($1) },
                leaves: { row, plain in
                    let chiefs = plain[row].guests.compactMap { plain[$0].chief }
                    return chiefs.flatMap { plain[$0].branches }
                }))
        ways.append(
            Way(
                name: "branches.guests.chief",
                all: { $0.branches.all.guests.chief.in($1) },
                any: { $0.branches.guests.chief.in($1) },
                none: { $0.branches.none.guests.chief.in($1) },
                leaves: { row, plain in
                    let guests = plain[row].branches.flatMap { Array(plain[$0].guests) }
                    return guests.map { plain[$0].chief ?? -1 }
                }))
        ways.append(
            Way(
                name: "parents.branches.guests",
                all: { $0.parents.all.branches.guests.in($1) },
                any: { $0.parents.any.branches.guests.in($1) },
                none: { $0.parents.none.branches.guests.in($1) },
                leaves: { row, plain in
                    let parents = plain.filter { $0.branches.contains(row) }
                    let branches = parents.flatMap { $0.branches }
                    return branches.flatMap { Array(plain[$0].guests) }
                }))
        return ways
    }

    /// All of what two collections lead to was all of the first, each with any of its second.
    @Test("Q6: of the objects behind several collections, each is asked by itself")
    func leavesAreAskedAndNotTheFirstCollection() async throws {
        let start = SeededGenerator()
        let seed = start.seed
        try await withFreshRealm([Troupe.self]) { realm in
            var random = start
            let plain = Self.plain(&random)
            try await realm.write { tx in
                let troupes = try (0..<plain.count).map {
                    try tx.create(Troupe.self, value: ["number": $0])
                }
                for (troupe, plain) in zip(troupes, plain) {
                    troupe.chief = plain.chief.map { troupes[$0] }
                    troupe.branches.append(objectsIn: plain.branches.map { troupes[$0] })
                    troupe.guests.insert(objectsIn: plain.guests.map { troupes[$0] })
                }
            }
            let troupes = realm.objects(Troupe.self)
            for _ in 0..<40 {
                let picks = (0..<random.next(below: 14)).map { _ in
                    random.next(below: plain.count)
                }
                let chosen = Set(picks)
                let few = troupes.filter { chosen.contains($0.number) }
                for way in Self.ways() {
                    func expect(
                        _ condition: (Query<Troupe>, [Frozen<Troupe>]) -> Query<Bool>,
                        _ test: ([Int], (Int) -> Bool) -> Bool, _ quantifier: String
                    ) {
                        let found = troupes.where { condition($0, few) }.values(of: \.number)
                        let expected = plain.indices.filter { row in
                            test(way.leaves(row, plain)) { chosen.contains($0) }
                        }
                        let comment: Comment =
                            "SEED=\(seed): \(quantifier) \(way.name) IN \(chosen.sorted())"
                        #expect(found == expected, comment)
                    }
                    expect(way.all, { $0.allSatisfy($1) }, "ALL")
                    expect(way.any, { $0.contains(where: $1) }, "ANY")
                    expect(way.none, { !$0.contains(where: $1) }, "NONE")
                }
            }
        }
    }

    /// An object that is of no realm, or of another one, is none of the objects.
    @Test func objectsOfElsewhereAreNoneOfThem() async throws {
        try await withFreshRealm([Troupe.self]) { realm in
            try await realm.write { tx in
                let first = try tx.create(Troupe.self, value: ["number": 0])
                let second = try tx.create(Troupe.self, value: ["number": 1])
                first.branches.append(second)
                let troupes = tx.objects(Troupe.self)
                let elsewhere = troupes.where { $0.branches.all.in([Troupe()]) }
                #expect(elsewhere.values(of: \.number) == [1])
                let both = troupes.where { $0.branches.all.in([Troupe(), second]) }
                #expect(both.values(of: \.number) == [0, 1])
            }
        }
    }
}

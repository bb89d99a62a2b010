import Foundation
import Testing

@testable import RealmActors

/// Queries that nest or go on as deep as code and texts can make them, on small stacks.
@Suite struct QueryDepthTests {
    private func counts(
        _ bodies: [@Sendable (FrozenResults<Ship>) throws -> Int]
    ) async throws -> [Int?] {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: Ships.types))
        try await realm.write { tx in try Ships.fill(tx) }
        let ships = realm.objects(Ship.self)
        let found = await onSmallStack { bodies.map { try? $0(ships) } }
        try await realm.close()
        return found
    }

    /// Chains within chains, all of which come to whether there are three masts.
    private static func chains(
        of length: Int, nested: Int, _ ship: Query<Ship>
    ) -> Query<Bool> {
        var condition: Query<Bool> = ship.masts == 3
        for level in 0..<nested {
            for number in 9..<(9 + length) {
                if level % 2 == 0 {
                    condition = condition && ship.number != number
                } else {
                    condition = condition || ship.number == number
                }
            }
        }
        return condition
    }

    /// The masts, and as many ones as make so many terms.
    private static func sum(of terms: Int, _ ship: Query<Ship>) -> Query<Int> {
        var sum: Query<Int> = ship.masts
        for _ in 1..<terms { sum = sum + 1 }
        return sum
    }

    /// A chain of conditions was as deep as it was long: releasing one of 16,000 overflowed.
    @Test func chainsOfConditionsAreOfAnyLength() async throws {
        let found = try await counts([
            { ships in
                ships.where { ship in
                    (1..<16_000).reduce(ship.masts == 0) { $0 || ship.masts == $1 }
                }
                .count
            },
            { ships in
                ships.where { ship in
                    (10..<16_000).reduce(ship.masts == 3) { $0 && ship.masts != $1 }
                }.count
            },
            { ships in
                ships.where { ship in
                    (10..<16_000).reduce(ship.masts == 3) { ship.masts == $1 || $0 }
                }.count
            },
            { ships in
                ships.where { ship in (0..<16_001).reduce(ship.masts == 3) { not, _ in !not } }
                    .count
            },
            { ships in
                (10..<1_000).reduce(ships) { found, masts in found.where { $0.masts != masts } }
                    .count
            },
        ])
        #expect(found == [4, 2, 2, 2, 4])
    }

    /// As deep as conditions may nest.
    @Test func conditionsNestDeepOnASmallStack() async throws {
        let found = try await counts([
            { ships in
                ships.where { ship in
                    (0..<30).reduce(ship.masts == 3) { inner, level in
                        level % 2 == 0 ? inner && ship.number >= 0 : inner || ship.number < 0
                    }
                }.count
            },
            { ships in
                ships.where { ship in
                    (0..<14).reduce(ship.masts == 3) { inner, _ in !(inner && ship.number >= 0) }
                }.count
            },
            // Chains within chains, each of which was long before it became a part of another.
            { ships in ships.where { Self.chains(of: 70, nested: 28, $0) }.count },
            { ships in
                let opening = (0..<49).map { $0 % 2 == 0 ? "(masts < 9 AND " : "(masts > 9 OR " }
                return try ships.filter(
                    opening.joined() + "masts == 3" + String(repeating: ")", count: 49)
                ).count
            },
        ])
        #expect(found == [2, 2, 2, 2])
    }

    /// 50 factors of each of 50 terms within 50 parentheses were 5,000 levels.
    @Test func calculationsAreLimited() async throws {
        let terms = QueryOperand.termsMax
        let factors = Array(repeating: "masts", count: 50).joined(separator: " * ")
        let sum = Array(repeating: factors, count: 50).joined(separator: " + ")
        let nested =
            String(repeating: "\(sum) + (", count: 45) + "masts" + String(repeating: ")", count: 45)
        let long = Array(repeating: "masts", count: terms).joined(separator: " + ")
        let deep =
            String(repeating: "masts + (", count: 45) + "masts" + String(repeating: ")", count: 45)
        let constants = Array(repeating: "1", count: 20_000).joined(separator: " + ")
        let found = try await counts([
            { try $0.filter("\(nested) == 0").count }, { try $0.filter("\(sum) == 0").count },
            { try $0.filter("\(long) == \(3 * terms)").count },
            { try $0.filter("\(long) + masts == 0").count },
            { try $0.filter("\(deep) == 138").count },
            { try $0.filter("masts < \(constants)").count },
            { ships in ships.where { Self.sum(of: terms, $0) == 2 + terms }.count },
        ])
        #expect(found == [nil, nil, 2, nil, 2, 4, 2])
    }

    /// They ended the process. What cannot throw finds nothing, and what can says why.
    @Test func whatIsTooLargeIsRefusedWithAnError() async throws {
        let refused: [@Sendable (Query<Ship>) -> Query<Bool>] = [
            { ship in
                (0..<100).reduce(ship.masts == 3) { inner, level in
                    level % 2 == 0 ? inner && ship.number >= 0 : inner || ship.number < 0
                }
            },
            { ship in
                (0..<16_000).reduce(ship.masts == 3) { inner, _ in !(inner && ship.number >= 0) }
            },
            { Self.chains(of: 70, nested: 40, $0) && $0.masts == 3 },
            { Self.sum(of: QueryOperand.termsMax + 1, $0) == 2 },
            { Self.sum(of: 16_000, $0) + 1 == 2 && $0.masts == 3 },
            { 1 + Self.sum(of: 16_000, $0) == 2 },
        ]
        let found = try await counts(refused.map { condition in { $0.where(condition).count } })
        #expect(found == Array(repeating: 0, count: refused.count))
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: Ships.types))
        try await realm.write { tx in try Ships.fill(tx) }
        for condition in refused {
            let results = realm.objects(Ship.self).where(condition).sorted(by: \.number).limit(2)
            await #expect(throws: RealmError.self) { try await results.evaluated() }
            #expect(throws: RealmError.self) { try results.filter("masts == 3") }
            await #expect(throws: RealmError.self) {
                var changes = results.changes().makeAsyncIterator()
                _ = try await changes.next()
            }
            #expect(results.isEmpty && results.first == nil && results.sum(of: \.masts) == 0)
        }
        try await realm.close()
    }

    @Test @MainActor func whatIsTooLargeIsRefusedForLiveResultsToo() async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: Ships.types))
        try await realm.write { tx in
            try Ships.fill(tx)
            let large = tx.objects(Ship.self).where { Self.chains(of: 70, nested: 40, $0) }
            #expect(large.isEmpty)
            #expect(throws: RealmError.self) { try large.filter("masts == 3") }
        }
        let live = try await realm.live()
        let large = live.objects(Ship.self).where { Self.chains(of: 70, nested: 40, $0) }
        #expect(large.isEmpty && large.freeze().isEmpty)
        await #expect(throws: RealmError.self) { _ = try await large.evaluated() }
        try await realm.close()
    }

    @Test func listsInListsAreLimited() async throws {
        @Sendable func nested(_ depth: Int) -> [Any] {
            (0..<depth).reduce([1] as [Any]) { inner, _ in [inner] }
        }
        try await Ships.check { ships in
            for depth in [1, 90, 150] {
                #expect(throws: RealmError.self) {
                    try ships.find("masts IN %@", nested(depth))
                }
            }
        }
    }

    /// Eight collections, one in the other, lead in 25 to the eighth ways to values, which were all
    /// walked for one row before anybody asked whether to go on.
    @Test(
        arguments: [
            "@count == -1", "@sum.number == -1", "@max.number == number + 100",
        ])
    func walksThroughManyCollectionsCanBeCancelled(condition: String) async throws {
        try await withFreshRealm([HostileNode.self]) { realm in
            try await realm.write { tx in
                let nodes = try (0..<25).map {
                    try tx.create(HostileNode.self, value: ["number": $0])
                }
                for node in nodes { node.others.append(objectsIn: nodes) }
            }
            let path = Array(repeating: "others", count: 8).joined(separator: ".")
            let found = try realm.objects(HostileNode.self).filter("\(path).\(condition)")
            let task = Task { try await found.evaluated() }
            // Not from a task: each walk takes a thread of those that tasks have.
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: 0.1)
                task.cancel()
            }
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }
    }
}

import Foundation
import Testing

@testable import RealmActors

final class HostileNode: Object {
    @Persisted var number: Int
    @Persisted(indexed: true) var rank: Int
    @Persisted var text: String
    @Persisted var weight: Double
    @Persisted(indexed: true) var due: Date?
    @Persisted var numbers: List<Int>
    @Persisted var decimals: List<Decimal128>
    @Persisted var next: HostileNode?
    @Persisted var others: List<HostileNode>
    @Persisted(originProperty: "others") var backs: LinkingObjects<HostileNode>
}

/// Texts, arguments and data made to overflow, to trap or to take for ever.
@Suite struct QueryLimitTests {
    private func withNodes(
        _ count: Int, _ change: @escaping @Sendable ([HostileNode]) throws -> Void = { _ in },
        _ body: (FrozenResults<HostileNode>) async throws -> Void
    ) async throws {
        try await withFreshRealm([HostileNode.self]) { realm in
            try await realm.write { tx in
                let nodes = try (0..<count).map { number in
                    try tx.create(
                        HostileNode.self,
                        value: ["number": number, "rank": number, "text": "node \(number)"])
                }
                try change(nodes)
            }
            try await body(realm.objects(HostileNode.self))
        }
    }

    private func numbers(_ found: FrozenResults<HostileNode>) -> [Int] {
        found.values(of: \.number)
    }

    @Test func patternsOfManyStarsEnd() async throws {
        let long = String(repeating: "a", count: 20_000)
        try await withNodes(3, { $0[1].text = long }) { nodes async throws in
            let stars = String(repeating: "*a", count: 300)
            #expect(numbers(nodes.where { $0.text.like(stars + "*") }) == [1])
            #expect(numbers(nodes.where { $0.text.like(stars + "*b") }) == [])
            #expect(numbers(nodes.where { $0.text.like(stars + "b", caseInsensitive: true) }) == [])
            let many = String(repeating: "*", count: 100_000)
            #expect(numbers(nodes.where { $0.text.like(many) }) == [0, 1, 2])
            #expect(numbers(nodes.where { $0.text.like(many + "?1") }) == [])
            #expect(numbers(nodes.where { $0.text.contains(long + "a") }) == [])
        }
    }

    /// Everyone knows everyone: row by row there would be 60 to the eighth ways.
    @Test func collectionsInCollectionsEnd() async throws {
        try await withNodes(
            60, { nodes in for node in nodes { node.others.append(objectsIn: nodes) } }
        ) { nodes async throws in
            let path = Array(repeating: "others", count: 8).joined(separator: ".")
            #expect(try nodes.filter("ANY \(path).rank == -1").count == 0)
            #expect(try nodes.filter("ANY \(path).rank == 59").count == 60)
            #expect(try nodes.filter("NONE \(path).number == -1").count == 60)
            #expect(
                nodes.where { $0.others.backs.others.backs.number == -1 && $0.number < 5 }.isEmpty)
            #expect(
                nodes.where { (($0.others.backs.number < 0).count > 0).count == 0 }.count == 60)
            #expect(nodes.where { $0.rank == 3 && $0.others.others.others.number == -1 }.isEmpty)
            #expect(try nodes.filter("rank == 3 AND ANY \(path).number == -1").isEmpty)
            #expect(try nodes.filter("rank == 3 AND ANY \(path).number == 7").count == 1)
            let walked = try nodes.filter("ANY \(path).number == 7").sorted(by: \.rank).limit(2)
            #expect(numbers(walked) == [0, 1])
        }
    }

    @Test func longListsAndChainsAreQuick() async throws {
        try await withNodes(2000) { nodes async throws in
            let all = Array(0..<200_000)
            #expect(nodes.where { $0.number.in(all) }.count == 2000)
            #expect(nodes.where { $0.rank.in(all) }.count == 2000)
            #expect(nodes.where { $0.rank.in(all.reversed()) && $0.number == 7 }.count == 1)
            #expect(try nodes.filter("rank IN %@ OR number IN %@", all, all).count == 2000)
            let text = (0..<5000).map { "rank == \($0 * 3)" }.joined(separator: " OR ")
            #expect(try nodes.filter(text).count == 667)
            let refused = (0..<5000).map { "number != \($0 * 3)" }.joined(separator: " AND ")
            #expect(try nodes.filter(refused).count == 1333)
            #expect(
                nodes.where { node in
                    (1..<3000).reduce(node.rank == 0) { $0 || node.rank == $1 * 4 }
                }.count == 500)
        }
    }

    @Test func calculationsOverflowIntoNothing() async throws {
        let change: @Sendable ([HostileNode]) throws -> Void = { nodes in
            nodes[0].rank = .max
            nodes[1].rank = .min
            nodes[2].rank = -1
        }
        try await withNodes(4, change) { nodes async throws in
            #expect(numbers(nodes.where { $0.rank + 1 > 0 }) == [3])
            #expect(numbers(nodes.where { $0.rank - 1 < 0 }) == [2])
            #expect(numbers(nodes.where { $0.rank * 2 == 0 }) == [])
            #expect(numbers(nodes.where { $0.rank / 0 == 0 }) == [])
            #expect(numbers(nodes.where { $0.rank / -1 == .max }) == [])
            #expect(numbers(nodes.where { $0.number / ($0.rank - $0.rank) == 1 }) == [])
            #expect(try numbers(nodes.filter("rank + 1 != 5")) == [0, 1, 2, 3])
            #expect(try numbers(nodes.filter("rank * rank * rank * rank >= 0")) == [2, 3])
            #expect(
                try numbers(
                    nodes.filter("rank > 9223372036854775806 OR rank < -9223372036854775807"))
                    == [0, 1])
        }
    }

    @Test func sumsAreExactAndDoNotOverflow() async throws {
        let change: @Sendable ([HostileNode]) throws -> Void = { nodes in
            nodes[0].numbers.append(objectsIn: [.max, .max, .max])
            nodes[1].numbers.append(objectsIn: [9_007_199_254_740_992, 1])
            nodes[2].numbers.append(objectsIn: [.max, .min, 1])
            nodes[3].decimals.append(objectsIn: ["0.1", "0.2"])
        }
        try await withNodes(4, change) { nodes async throws in
            #expect(numbers(nodes.where { $0.numbers.sum > .max - 1 }) == [0])
            #expect(numbers(nodes.where { $0.numbers.sum == 9_007_199_254_740_993 }) == [1])
            #expect(numbers(nodes.where { $0.numbers.sum == 0 }) == [2, 3])
            #expect(numbers(nodes.where { $0.decimals.sum == "0.3" }) == [3])
            #expect(try numbers(nodes.filter("numbers.@avg > 9e18")) == [0])
        }
    }

    /// They were doubles, or stayed at the end of the range.
    @Test func sumsAreExactBeyond64Bits() async throws {
        let change: @Sendable ([HostileNode]) throws -> Void = { nodes in
            nodes[0].numbers.append(objectsIn: [.max, 1, 1])
            nodes[1].numbers.append(objectsIn: [.max, .max])
            nodes[2].numbers.append(objectsIn: [.min, -1])
        }
        try await withNodes(3, change) { nodes async throws in
            #expect(try numbers(nodes.filter("numbers.@sum == 9223372036854775808")) == [])
            #expect(try numbers(nodes.filter("numbers.@sum == 9223372036854775809")) == [0])
            #expect(try numbers(nodes.filter("numbers.@sum == 18446744073709551614")) == [1])
            #expect(try numbers(nodes.filter("numbers.@sum < -9223372036854775808")) == [2])
            #expect(numbers(nodes.where { $0.numbers.sum == .max || $0.numbers.sum == .min }) == [])
        }
    }

    /// Each collection more would multiply the combinations by its elements.
    @Test func calculationsGoThroughFewCollections() async throws {
        let change: @Sendable ([HostileNode]) throws -> Void = { nodes in
            for node in nodes { node.others.append(objectsIn: nodes) }
        }
        try await withNodes(40, change) { nodes async throws in
            let all = Array(0..<40)
            #expect(try numbers(nodes.filter("ANY others.rank - others.rank == -39")) == all)
            #expect(try numbers(nodes.filter("ANY others.rank == 2 * others.rank")) == all)
            let sums = "others.@max.rank + others.@max.rank + others.@sum.rank == 858"
            #expect(try numbers(nodes.filter(sums)) == all)
            for text in [
                "ANY others.rank - others.rank - others.rank == -1000",
                "ANY others.rank - others.rank > others.rank",
                "ANY others.rank\(String(repeating: " * others.rank", count: 20)) == -1",
            ] {
                let error = #expect(throws: RealmError.self) { try nodes.filter(text) }
                guard case .invalidQuery(let message, .some)? = error else {
                    Issue.record("\(text): \(String(describing: error))")
                    continue
                }
                #expect(message.contains("through 2 collections at most"))
            }
        }
    }

    @Test func rangesOfNothingFindNothing() async throws {
        let change: @Sendable ([HostileNode]) throws -> Void = { nodes in
            nodes[0].weight = .nan
            nodes[1].weight = .infinity
            nodes[2].due = Date(timeIntervalSinceReferenceDate: 0)
            nodes[3].due = .distantFuture
        }
        try await withNodes(5, change) { nodes async throws in
            let nan = Double.nan
            #expect(try numbers(nodes.filter("weight BETWEEN {%@, %@}", nan, nan)) == [])
            #expect(try numbers(nodes.filter("weight BETWEEN {%@, %@}", 0, nan)) == [])
            #expect(try numbers(nodes.filter("weight BETWEEN {%@, %@}", nan, 9)) == [])
            #expect(try numbers(nodes.filter("weight >= %@", nan)) == [])
            #expect(try numbers(nodes.filter("weight BETWEEN {9, 1}")) == [])
            #expect(try numbers(nodes.filter("rank BETWEEN {9, 1}")) == [])
            let (first, last) = (Date.distantPast, Date.distantFuture)
            #expect(try numbers(nodes.filter("due BETWEEN {%@, %@}", last, first)) == [])
            #expect(try numbers(nodes.filter("due BETWEEN {%@, %@}", first, last)) == [2, 3])
            #expect(numbers(nodes.where { $0.due.in([first, last]) }) == [3])
            #expect(numbers(nodes.where { $0.due > first && $0.due < last }) == [2])
            #expect(numbers(nodes.where { $0.rank.contains(3..<3) }) == [])
            #expect(numbers(nodes.where { $0.rank.contains(Int.min...Int.max) }).count == 5)
            #expect(numbers(nodes.where { $0.weight > 1 }.sorted(by: \.weight)) == [1])
            #expect(numbers(nodes.sorted(by: \.due).limit(2)).count == 2)
        }
    }

    /// Links to rows that are gone are nil, at either end.
    @Test func linksToTheDeletedAreNil() async throws {
        try await withFreshRealm([HostileNode.self]) { realm in
            try await realm.write { tx in
                let nodes = try (0..<600).map {
                    try tx.create(HostileNode.self, value: ["number": $0, "rank": $0])
                }
                for node in nodes {
                    node.next = nodes[(node.number + 1) % 600]
                    node.others.append(objectsIn: [nodes[(node.number + 2) % 600]])
                }
                try tx.delete(nodes.filter { $0.number % 3 == 0 })
                let left = tx.objects(HostileNode.self)
                #expect(left.where { $0.next == nil }.count == 200)
                #expect(left.where { $0.next.rank == 3 }.isEmpty)
                #expect(left.where { $0.next.rank != 5 }.count == 399)
                #expect(left.where { $0.others.count == 0 }.count == 200)
                #expect(left.where { $0.others.rank == 5 }.isEmpty)
                #expect(left.where { $0.others.rank == 4 }.values(of: \.number) == [2])
            }
            let left = realm.objects(HostileNode.self)
            #expect(left.where { $0.next.next.rank > 0 }.isEmpty)
            #expect(left.where { $0.next.rank == 5 }.values(of: \.number) == [4])
        }
    }
}

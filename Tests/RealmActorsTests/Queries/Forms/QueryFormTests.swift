import Foundation
import StorageHarness
import Testing

@testable import RealmActors

/// Random queries over random ships, and every operator at the edges of what it can be given, in
/// text and in the type-safe form, against an evaluator over plain Swift values: on frozen objects,
/// live ones, and those of a transaction: of its first rows, after changes that are not committed,
/// and of what was there before it was given up.
///
/// `QUERY_COUNT=200000 swift test --filter QueryForm` is the long form.
@Suite struct QueryFormTests {
    private static let longCount =
        ProcessInfo.processInfo.environment["QUERY_COUNT"].flatMap { Int($0) }

    /// Each state is asked a quarter of the queries, another one in each run; the long form
    /// asks all of them of each.
    private static let shares = longCount == nil ? 4 : 1

    /// A query, as both forms say it, and what it finds.
    private struct Example: Sendable {
        let condition: @Sendable (Query<Ship>) -> Query<Bool>
        let text: String
        // Unsafe: the arguments are values, and read only.
        nonisolated(unsafe) let arguments: QueryArguments
        let isMatching: @Sendable (PlainRow, PlainShips) -> Bool
        /// What stands behind the condition in text: an order of masts and a limit.
        let isDescending: Bool
        let limit: Int

        var tail: String { " SORT(masts \(isDescending ? "DESC" : "ASC")) LIMIT(\(limit))" }

        func expected(_ plain: PlainShips) -> [Int] { plain.numbers { isMatching($0, plain) } }

        /// What is left of the expected ships with the tail.
        func tailed(_ expected: [Int], _ plain: PlainShips) -> [Int] {
            let sorted = expected.sorted { a, b in
                let (x, y) = (plain.masts(a), plain.masts(b))
                if x != y { return isDescending ? x > y : x < y }
                return a < b
            }
            return Array(sorted.prefix(limit))
        }
    }

    @Test func formsAgreeWithTheNaiveEvaluator() async throws {
        let count = Self.longCount ?? 900
        var random = SeededGenerator()
        let seed = random.seed
        var matched = 0
        for start in stride(from: 0, to: count, by: 300) {
            let plain = random.plainShips()
            let examples = (0..<min(300, count - start)).map { number in
                let condition = random.condition(number % 4)
                return example(condition, &random)
            }
            matched += examples.count { (1..<50).contains($0.expected(plain).count) }
            random = try await check(
                examples, plain, random, "SEED=\(seed), queries from \(start)")
        }
        // Queries that find everything or nothing would agree by themselves.
        #expect(matched > count / 4)
    }

    @Test func everyOperatorAgreesAtTheEdges() async throws {
        var random = SeededGenerator()
        let seed = random.seed
        let examples = Condition.ofEveryOperator.map { example($0, &random) }
        #expect(examples.count > 3_000)
        _ = try await check(examples, .edges, random, "SEED=\(seed), at the edges")
    }

    private func example(
        _ condition: Condition, _ random: inout SeededGenerator
    ) -> Example {
        var writer = ConditionText(random)
        let text = writer.text(condition)
        random = writer.random
        return Example(
            condition: { condition.typed($0) }, text: text,
            arguments: QueryArguments(positional: writer.arguments),
            isMatching: { condition.holds($0, $1) }, isDescending: random.chance(2),
            limit: Int.random(in: 0...20, using: &random))
    }

    /// Why a write is given up.
    private struct GivenUp: Error {
        let random: SeededGenerator
    }

    private func check(
        _ examples: [Example], _ plain: PlainShips, _ random: SeededGenerator, _ comment: String
    ) async throws -> SeededGenerator {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: Ships.types))
        var random = random
        let first = Int.random(in: 0..<Self.shares, using: &random)
        func share(_ state: Int) -> [Example] {
            examples.enumerated().filter { ($0.offset + first + state) % Self.shares == 0 }
                .map(\.element)
        }
        let ofWrites = (share(1), share(2))
        try await realm.write { [asked = share(0)] tx in
            try plain.create(in: tx)
            try Self.check(tx.objects(Ship.self), asked, plain, comment)
        }
        try Self.check(realm.objects(Ship.self), share(1), plain, comment)
        try await Self.checkLive(realm, share(2), plain, comment)
        do {
            try await realm.write { tx in
                let random = try Self.checkChanges(tx, ofWrites, plain, random, comment).random
                throw GivenUp(random: random)
            }
        } catch let error as GivenUp {
            random = error.random
        }
        let comment = comment + ", after a write that was given up"
        try Self.check(realm.objects(Ship.self), share(3), plain, comment)
        let changed = try await realm.write { [random, asked = (share(3), share(0))] tx in
            try Self.checkChanges(tx, asked, plain, random, comment)
        }
        let committed = comment + " and one that was not"
        try Self.check(realm.objects(Ship.self), share(2), changed.plain, committed)
        try await Self.checkLive(realm, share(1), changed.plain, committed)
        try await realm.close()
        return changed.random
    }

    /// Changes rows twice, and asks after both; what was asked before is asked again as well.
    private static func checkChanges(
        _ tx: WriteTransaction, _ examples: ([Example], [Example]), _ plain: PlainShips,
        _ random: SeededGenerator, _ comment: String
    ) throws -> (plain: PlainShips, random: SeededGenerator) {
        var (plain, random) = (plain, random)
        let ships = tx.objects(Ship.self)
        let held = examples.0.prefix(20).map { ($0, ships.where($0.condition)) }
        for (round, asked) in [examples.0, examples.1].enumerated() {
            try plain.change(in: tx, &random)
            let comment = comment + ", uncommitted \(round)"
            try check(ships, asked, plain, comment)
            for (example, found) in held {
                #expect(
                    found.values(of: \.number) == example.expected(plain),
                    "\(comment), held: \(example.text)")
            }
        }
        return (plain, random)
    }

    @MainActor private static func checkLive(
        _ realm: Realm, _ examples: [Example], _ plain: PlainShips, _ comment: String
    ) async throws {
        let live = try await realm.live()
        try check(live.objects(Ship.self), examples, plain, comment + ", live")
    }

    private static func check<Found: ShipQueries>(
        _ ships: Found, _ examples: [Example], _ plain: PlainShips, _ comment: String
    ) throws {
        for (number, example) in examples.enumerated() {
            let typed = ships.numbers(example.condition)
            let text = try ships.numbers(example.text, example.arguments)
            let tailed = try ships.numbers(example.text + example.tail, example.arguments)
            let expected = example.expected(plain)
            let shortened = example.tailed(expected, plain)
            let agrees = typed == expected && text == expected && tailed == shortened
            guard !agrees else { continue }
            Issue.record(
                """
                \(comment), \(number): \(example.text)
                arguments \(example.arguments)
                typed \(typed == expected), text \(text == expected), \
                with \(example.tail) \(tailed == shortened)
                """)
            return
        }
    }
}

extension PlainShips {
    fileprivate func masts(_ ship: Int) -> Int {
        if case .int(let value) = ships[ship].values["masts"] { value } else { 0 }
    }
}

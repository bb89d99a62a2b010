import Foundation
import Testing

@testable import RealmActors

/// Random queries over random ships, in text and in the type-safe form, against an evaluator over
/// plain Swift values: on objects of a transaction, frozen and live ones.
///
/// `QUERY_COUNT=200000 swift test --filter QueryForm` is the long form.
@Suite struct QueryFormTests {
    /// A query, as both forms say it, and what it finds.
    private struct Example: Sendable {
        let condition: @Sendable (Query<Ship>) -> Query<Bool>
        let text: String
        // Unsafe: the arguments are values, and read only.
        nonisolated(unsafe) let arguments: QueryArguments
        let expected: [Int]
        /// What stands behind the condition in text, and what the query finds then.
        let tail: String
        let tailed: [Int]
    }

    @Test func formsAgreeWithTheNaiveEvaluator() async throws {
        let count =
            ProcessInfo.processInfo.environment["QUERY_COUNT"].flatMap { Int($0) } ?? 3_000
        var random = SeededGenerator()
        let seed = random.seed
        var matched = 0
        for start in stride(from: 0, to: count, by: 300) {
            let plain = random.plainShips()
            let examples = (0..<min(300, count - start)).map { number in
                example(number, plain, &random)
            }
            matched += examples.count { !$0.expected.isEmpty && $0.expected.count < 50 }
            try await check(examples, plain, "SEED=\(seed), queries from \(start)")
        }
        // Queries that find everything or nothing would agree by themselves.
        #expect(matched > count / 4)
    }

    private func example(
        _ number: Int, _ plain: PlainShips, _ random: inout SeededGenerator
    ) -> Example {
        let condition = random.condition(number % 4)
        var writer = ConditionText(random)
        let text = writer.text(condition)
        random = writer.random
        let expected = plain.ships.indices.filter { condition.holds(plain.ships[$0], plain) }
        let limit = Int.random(in: 0...20, using: &random)
        let isDescending = random.chance(2)
        let sorted = expected.sorted { a, b in
            let (x, y) = (plain.masts(a), plain.masts(b))
            if x != y { return isDescending ? x > y : x < y }
            return a < b
        }
        let order = isDescending ? "DESC" : "ASC"
        return Example(
            condition: { condition.typed($0) }, text: text,
            arguments: QueryArguments(positional: writer.arguments), expected: expected,
            tail: " SORT(masts \(order)) LIMIT(\(limit))", tailed: Array(sorted.prefix(limit)))
    }

    private func check(
        _ examples: [Example], _ plain: PlainShips, _ comment: String
    ) async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: Ships.types))
        try await realm.write { tx in
            try plain.create(in: tx)
            try Self.check(tx.objects(Ship.self), examples, comment)
        }
        try Self.check(realm.objects(Ship.self), examples, comment)
        try await Self.checkLive(realm, examples, comment)
        try await realm.close()
    }

    @MainActor private static func checkLive(
        _ realm: Realm, _ examples: [Example], _ comment: String
    ) async throws {
        let live = try await realm.live()
        try check(live.objects(Ship.self), examples, comment)
    }

    private static func check<Found: ShipQueries>(
        _ ships: Found, _ examples: [Example], _ comment: String
    ) throws {
        for (number, example) in examples.enumerated() {
            let typed = ships.numbers(example.condition)
            let text = try ships.numbers(example.text, example.arguments)
            let tailed = try ships.numbers(example.text + example.tail, example.arguments)
            let agrees =
                typed == example.expected && text == example.expected && tailed == example.tailed
            guard !agrees else { continue }
            Issue.record(
                """
                \(comment), \(number): \(example.text)
                arguments \(example.arguments)
                typed \(typed == example.expected), text \(text == example.expected), \
                with \(example.tail) \(tailed == example.tailed)
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

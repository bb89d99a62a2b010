import Storage
import StorageHarness
import Testing

@testable import RealmActors

private final class Choir: Object {
    @Persisted var number: Int
    @Persisted var voices: Map<String, Choir?>
}

/// One of many equalities, and what links count.
@Suite struct ManyEqualitiesTests {
    /// How many conditions rows are asked of which one has to hold.
    private static func alternatives(_ predicate: RowPredicate) -> Int {
        if case .or(let parts) = predicate { parts.count } else { 1 }
    }

    private static func equality(
        _ path: QueryPath, withAny values: [StoredValue]
    ) -> QueryExpression {
        .any(values.map { .comparison(path, .equal, $0) })
    }

    /// Each of them went over all rows by itself.
    @Test(
        "Q4, Q11: equalities with many values of one property are looked up together",
        arguments: ["short?", "word", "string?", "double", "date?", "decimal", "mixed"])
    func manyValuesOfOneProperty(_ name: String) throws {
        var random = RandomQueries()
        let seed = random.random.seed
        let (tree, rows) = random.fill(150)
        let schema = RowQuerySchema(store: random.schema)
        let column = try #require(random.columns.first { $0.name == name })
        var values = rows.prefix(100).map { $0.values[name] ?? .null }
        while values.count < 300 { values.append(random.value(column)) }
        let query = Self.equality(QueryPath(steps: [name]), withAny: values)
        let filter = try schema.bind(query, in: ClassID(0))
        #expect(Self.alternatives(filter.predicate) == 1)
        let found = ResultsQuery(all: ClassID(0)).adding(.filter(filter)).evaluate(in: tree.view)
        let expected = rows.indices.filter { rows[$0].matches(query, rows) }
        #expect(found.map { Int($0.rawValue) } == expected, "SEED=\(seed), \(name)")
        // Few are quicker one by one.
        let few = Self.equality(QueryPath(steps: [name]), withAny: Array(values.prefix(100)))
        let fewFilter = try schema.bind(few, in: ClassID(0))
        #expect(Self.alternatives(fewFilter.predicate) > 1)
        withExtendedLifetime(tree) {}
    }

    /// What an index knows of them was copied for each: a time that grew with the square of their
    /// number.
    @Test func manyRangesOfOneIndexedProperty() throws {
        var random = RandomQueries()
        let (tree, rows) = random.fill(100)
        let schema = RowQuerySchema(store: random.schema)
        let ranges = (0..<5_000).map { number in
            QueryExpression.comparison(
                QueryPath(steps: ["word indexed"]), .greater, .int(Int64(number) - 5_000))
        }
        let filter = try schema.bind(.all(ranges), in: ClassID(0))
        let conditions = filter.conditions.seeks.map(\.conditions.count)
        #expect(conditions == [ranges.count] && filter.conditions.isExact)
        let found = ResultsQuery(all: ClassID(0)).adding(.filter(filter)).evaluate(in: tree.view)
        let expected = rows.indices.filter { rows[$0].matches(ranges[ranges.count - 1], rows) }
        #expect(found.map { Int($0.rawValue) } == expected)
        withExtendedLifetime(tree) {}
    }

    /// The distance of the rows that a damaged index names may be more than any integer.
    @Test func rowsThatADamagedIndexNamesAreOrdered() {
        let rows = [RowKey(5), RowKey(.max), RowKey(.min)]
        #expect(IndexRuns(ColumnID(0), found: rows).keys() == [rows[2], rows[0], rows[1]])
    }

    /// Each of them followed all links by itself.
    @Test("Q11, Q20: equalities behind a link are asked together, nil among them")
    func valuesBehindALink() throws {
        var random = RandomQueries()
        let (tree, rows) = random.fill(300)
        let schema = RowQuerySchema(store: random.schema)
        let path = QueryPath(steps: ["owner", "short?"])
        let query = Self.equality(path, withAny: [.int(1), .null, .int(7)])
        let filter = try schema.bind(query, in: ClassID(0))
        #expect(Self.alternatives(filter.predicate) == 1)
        // No row has an owner, and behind a link that is nil there is nil.
        let found = ResultsQuery(all: ClassID(0)).adding(.filter(filter)).evaluate(in: tree.view)
        #expect(found.count == rows.count)
        withExtendedLifetime(tree) {}
    }

    @Test func namesAreSoughtBehindLinks() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("captain.name == 'Ann' OR captain.name == 'Eve'") == [0, 3])
            #expect(try ships.find("captain.name == 'Ann' OR captain.name == nil") == [0, 2])
            let ages = "ANY crew.age == 30 OR masts == 3 OR ANY crew.age == 50"
            #expect(try ships.find(ages) == [0, 1, 3])
            #expect(try ships.find("captain.age == 20.0 OR captain.age == 60") == [0, 3])
            #expect(try ships.find("NOT (captain.age == 20 OR captain.age == 60)") == [1, 2])
        }
    }

    /// The second was looked for under the first one's key.
    @Test("Q7, P10: keys that differ in their bytes are two, also of what is Unicode's same letter")
    func keysInTwoEncodings() async throws {
        try await withFreshRealm([Choir.self]) { realm in
            try await realm.write { tx in
                let choirs = try (0..<3).map { try tx.create(Choir.self, value: ["number": $0]) }
                choirs[0].voices["caf\u{E9}"] = choirs[1]
                choirs[1].voices["cafe\u{301}"] = choirs[2]
                choirs[2].voices["caf\u{E9}"] = choirs[2]
            }
            let choirs = realm.objects(Choir.self)
            let found = try choirs.filter(
                "voices['caf\u{E9}'] == %@ OR voices['cafe\u{301}'] == %@", choirs[1], choirs[2])
            #expect(found.values(of: \.number) == [0, 1])
        }
    }

    /// Each sailor counted, with a friend or without.
    @Test("Q6: a link that is nil counts for nothing")
    func countsOfLinks() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("crew.friend.@count == 2") == [0])
            #expect(try ships.find("crew.friend.@count == 0") == [1, 2, 3])
            #expect(try ships.find("crew.@count > crew.friend.@count") == [0, 1, 3])
            #expect(try ships.find("captain.ships.captain.@count == 2") == [3])
        }
    }
}

import RealmActors
import Storage
import StorageHarness
import Testing

@Suite struct RandomQueryTests {
    /// Predicates against the naive evaluator, on rows of which some were deleted again.
    @Test func predicatesAgreeWithTheNaiveEvaluator() throws {
        var random = RandomQueries()
        let seed = random.random.seed
        let account = NodeAccount()
        let tree = WorkingTree(schema: random.schema, account: account)
        let classID = ClassID(0)
        var rows: [NaiveRow] = []
        for index in 0..<700 {
            var row = random.row()
            if !random.chance(4) { row.owner = Int.random(in: 0..<700, using: &random.random) }
            let key = tree.createRow(classID)
            #expect(key.rawValue == Int64(index))
            rows.append(row)
        }
        for (index, row) in rows.enumerated() {
            for (number, column) in random.columns.enumerated() {
                let value =
                    column.kind == .link
                    ? row.owner.map { StoredValue.link(RowKey(Int64($0))) } ?? .null
                    : row.values[column.name] ?? .null
                tree.set(value, classID, RowKey(Int64(index)), ColumnID(number))
            }
        }
        let deleted = Set((0..<700).filter { _ in random.chance(3) })
        tree.delete(classID, deleted.map { RowKey(Int64($0)) })
        for index in rows.indices {
            if let owner = rows[index].owner, deleted.contains(owner) { rows[index].owner = nil }
        }
        let schema = RowQuerySchema(storeID: random.storeID, store: random.schema)
        let view = tree.view
        var seeks = 0
        for number in 0..<1_000 {
            let query =
                number % 2 == 0
                ? random.query(depth: number % 4)
                : random.indexedQuery(on: random.indexedColumn())
            let expected = rows.indices.filter {
                !deleted.contains($0) && rows[$0].matches(query, rows)
            }
            let filter = try schema.bind(query, in: classID)
            let results = ResultsQuery(all: classID).adding(.filter(filter))
            let found = results.evaluate(in: view).map { Int($0.rawValue) }
            #expect(found == expected, "SEED=\(seed), query \(number): \(query)")
            #expect(results.count(in: view) == expected.count)
            #expect(results.first(in: view)?.key == expected.first.map { RowKey(Int64($0)) })
            // Also where the query would rather scan than ask the index.
            if let runs = filter.conditions.best(view.classView(classID)) {
                let listed = runs.keys().map { Int($0.rawValue) }
                #expect(
                    runs.isExact ? listed == expected : Set(listed).isSuperset(of: expected),
                    "SEED=\(seed), index of query \(number): \(query)")
                seeks += 1
            }
            if found != expected { break }
        }
        #expect(seeks > 200)
        withExtendedLifetime(tree) {}
    }

    /// Sorts by one to three keys, with and without a limit, against a stable sort of plain values.
    @Test func sortsAgreeWithTheNaiveSort() throws {
        var random = RandomQueries()
        let seed = random.random.seed
        let (tree, rows) = random.fill(6_000)
        let classID = ClassID(0)
        let schema = RowQuerySchema(store: random.schema)
        for number in 0..<8 {
            let (keys, names) = try random.sortKeys(number % 3 + 1, schema)
            let expected = rows.indices.sorted { a, b in
                for (name, ascending) in names {
                    let x = rows[a].values[name] ?? .null
                    let y = rows[b].values[name] ?? .null
                    if x < y { return ascending }
                    if y < x { return !ascending }
                }
                return a < b
            }
            var query = ResultsQuery(all: classID).adding(.sort(keys))
            let limit = Int.random(in: 0...3_000, using: &random.random)
            let limited = query.adding(.limit(limit)).evaluate(in: tree.view)
            #expect(
                limited.map { Int($0.rawValue) } == Array(expected.prefix(limit)), "SEED=\(seed)")
            query = query.adding(.limit(.max))
            let all = query.evaluate(in: tree.view).map { Int($0.rawValue) }
            #expect(all == expected, "SEED=\(seed), \(names)")
        }
        withExtendedLifetime(tree) {}
    }

    /// Filter, sort and limit together: an index may serve either, or both.
    @Test func filteredSortsAgreeWithTheNaiveOnes() throws {
        var random = RandomQueries()
        let seed = random.random.seed
        let (tree, rows) = random.fill(900)
        let classID = ClassID(0)
        let schema = RowQuerySchema(store: random.schema)
        let view = tree.view
        for number in 0..<350 {
            let column = random.indexedColumn()
            let isSame = random.chance(2)
            let condition = random.indexedQuery(on: isSame ? column : random.indexedColumn())
            let ascending = random.chance(2)
            let path = try schema.bindSingle([column.name], in: classID)
            var query = ResultsQuery(all: classID)
                .adding(.sort([SortKey(path: path, ascending: ascending)]))
            if !random.chance(5) {
                query = query.adding(.filter(try schema.bind(condition, in: classID)))
            }
            let limit =
                random.chance(3) ? Int.max : Int.random(in: 0...40, using: &random.random)
            let isFiltered = query.stages.count > 1
            query = query.adding(.limit(limit))
            let expected = rows.indices
                .filter { !isFiltered || rows[$0].matches(condition, rows) }
                .sorted { a, b in
                    let x = rows[a].values[column.name] ?? .null
                    let y = rows[b].values[column.name] ?? .null
                    if x < y { return ascending }
                    return y < x ? !ascending : a < b
                }
                .prefix(limit)
            let comment: Comment = "SEED=\(seed), \(number): \(column.name), \(condition)"
            let found = query.evaluate(in: view).map { Int($0.rawValue) }
            #expect(found == Array(expected), comment)
            #expect(query.count(in: view) == expected.count, comment)
            if found != Array(expected) { break }
        }
        withExtendedLifetime(tree) {}
    }
}

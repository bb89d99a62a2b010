import Storage
import StorageHarness
import Testing

@testable import RealmActors

/// Indexes of several columns against the naive evaluator and a stable sort.
@Suite struct RandomCompositeTests {
    private typealias Order = (name: String, ascending: Bool)

    /// The order of an index behind its first columns, wholly reversed, or any other.
    private func order(
        _ parts: [(column: ColumnSchema, isDescending: Bool)], _ random: inout RandomQueries
    ) -> [Order] {
        let start = Int.random(in: 0..<parts.count, using: &random.random)
        let end = Int.random(in: start..<parts.count, using: &random.random)
        let isReversed = random.chance(2)
        let isMixed = random.chance(4)
        return parts[start...end].map { part in
            let ascending = part.isDescending == isReversed
            return (part.column.name, isMixed && random.chance(2) ? !ascending : ascending)
        }
    }

    private func sorted(
        _ rows: [Int], _ all: [NaiveRow], _ order: [Order]
    ) -> [Int] {
        rows.sorted { a, b in
            for (name, ascending) in order {
                let (x, y) = (all[a].values[name] ?? .null, all[b].values[name] ?? .null)
                if x < y { return ascending }
                if y < x { return !ascending }
            }
            return a < b
        }
    }

    @Test(arguments: [false, true]) func filtersAndSortsAgreeWithTheNaiveOnes(
        tying: Bool
    ) throws {
        var random = RandomQueries()
        let seed = random.random.seed
        let (tree, rows) = random.fill(1_200, tying: tying)
        let classID = ClassID(0)
        let schema = RowQuerySchema(store: random.schema)
        let view = tree.view
        var walks = 0
        var seeks = 0
        for number in 0..<150 {
            let parts = random.composite()
            let row = rows[Int.random(in: rows.indices, using: &random.random)]
            let condition = random.compositeQuery(parts.map(\.column), like: row)
            let order = order(parts, &random)
            let limit = random.chance(3) ? Int.max : Int.random(in: 0...30, using: &random.random)
            let filter = try schema.bind(condition, in: classID)
            let filtered = ResultsQuery(all: classID).adding(.filter(filter))
            let matching = rows.indices.filter { rows[$0].matches(condition, rows) }
            let comment: Comment = "SEED=\(seed), \(number): \(condition), \(order), \(limit)"
            let found = filtered.evaluate(in: view).map { Int($0.rawValue) }
            #expect(found == matching, comment)
            #expect(filtered.count(in: view) == matching.count, comment)
            #expect(filtered.first(in: view)?.key.rawValue == matching.first.map { Int64($0) })
            if let runs = filter.conditions.best(view.classView(classID)) {
                let listed = runs.keys().map { Int($0.rawValue) }
                #expect(
                    runs.isExact ? listed == matching : Set(listed).isSuperset(of: matching),
                    comment)
                seeks += runs.parts > 0 ? 1 : 0
            }
            let keys = try order.map {
                SortKey(
                    path: try schema.bindSingle([$0.name], in: classID), ascending: $0.ascending)
            }
            let query = filtered.adding(.sort(keys)).adding(.limit(limit))
            let expected = Array(sorted(matching, rows, order).prefix(limit))
            let walked = query.evaluate(in: view).map { Int($0.rawValue) }
            #expect(walked == expected, comment)
            if let walk = IndexScan(query, view), walk.composite != nil, walk.keys() != nil {
                walks += 1
            }
            if walked != expected || found != matching { break }
        }
        #expect(walks > 15, "SEED=\(seed)")
        #expect(seeks > 30, "SEED=\(seed)")
        withExtendedLifetime(tree) {}
    }
}

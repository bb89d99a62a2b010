import RealmActors
import Storage
import StorageHarness

/// A query: a condition, an order, one object of each value, and a limit.
struct FreightQuery: Sendable {
    let clause: FreightClause
    var order: [(column: String, ascending: Bool)] = []
    var distinct: String?
    var limit: Int?

    var text: String {
        var text = clause.text
        if !order.isEmpty {
            let keys = order.map { "\($0.column) \($0.ascending ? "ASC" : "DESC")" }
            text += " SORT(\(keys.joined(separator: ", ")))"
        }
        if let distinct { text += " DISTINCT(\(distinct))" }
        if let limit { text += " LIMIT(\(limit))" }
        return text
    }

    /// What the query finds, in the most obvious way.
    func naive(_ all: FreightRows) -> [FreightRow] {
        var found = all.all.filter { clause.holds($0, all) }
        found.sort { a, b in
            for (column, ascending) in order {
                let (x, y) = (a.value(column), b.value(column))
                if x < y { return ascending }
                if y < x { return !ascending }
            }
            return a.id < b.id
        }
        if let distinct {
            var seen: Set<StoredValue> = []
            found = found.filter { seen.insert($0.value(distinct)).inserted }
        }
        return Array(found.prefix(limit ?? .max))
    }

    func results<R: QueryableResults<Freight>>(in freights: R) throws -> R {
        try freights.filter(text, arguments: clause.dates.mapValues { $0 as Any? })
    }

    /// Throws unless results of whichever kind are those of plain values.
    func check<R: QueryableResults<Freight>>(
        _ freights: R, _ all: FreightRows, _ place: String
    ) throws {
        let found = try results(in: freights)
        let expected = naive(all)
        try require(found.values(of: \.id), expected.map(\.id), place)
        try require(found.count, expected.count, "count, \(place)")
        try require(
            found.limit(1).values(of: \.id).first, expected.first?.id, "first, \(place)")
        try require(found.sum(of: \.code), expected.reduce(0) { $0 + $1.code }, "sum, \(place)")
        let weights = expected.compactMap(\.weight)
        try require(found.min(of: \.weight), weights.min(), "least, \(place)")
        try require(found.max(of: \.weight), weights.max(), "greatest, \(place)")
        try require(found.average(of: \.weight), weights.mean, "average, \(place)")
        try require(
            found.grouped(by: \.port).measured, FreightGroup.naive(expected) { $0.port },
            "groups by port, \(place)")
        try require(
            found.grouped(by: \.name).measured, FreightGroup.naive(expected) { $0.name },
            "groups by name, \(place)")
    }

    /// Throws unless the pages behind cursors are the results, cut into pieces.
    func checkPages(_ freights: FrozenResults<Freight>, _ all: FreightRows, _ size: Int) throws {
        let found = try results(in: freights)
        var ids: [Int] = []
        var cursor: PageCursor?
        repeat {
            let page = try found.page(after: cursor, limit: size)
            ids += page.objects.map(\.id)
            cursor = page.next
            if ids.count > all.rows.count { break }
        } while cursor != nil
        try require(ids, naive(all).map(\.id), "pages of \(size)")
    }

    func require<T: Equatable>(_ found: T, _ expected: T, _ place: String) throws {
        guard found != expected else { return }
        throw Violation("\(text), \(place): found \(found), not \(expected)")
    }
}

extension [Double] {
    var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }
}

/// What is measured of groups of freights.
struct FreightGroup: Equatable, Sendable {
    var count: Int
    var seals: Int
    var lightest: Double?
    var mean: Double?
    var codes: Int
}

typealias FreightGroups = [String: FreightGroup]

extension FreightGroup {
    static func naive<Key>(_ rows: [FreightRow], by key: (FreightRow) -> Key) -> FreightGroups {
        Dictionary(grouping: rows) { "\(key($0))" }.mapValues { rows in
            let weights = rows.compactMap(\.weight)
            return FreightGroup(
                count: rows.count, seals: rows.reduce(0) { $0 + ($1.seal ?? 0) },
                lightest: weights.min(), mean: weights.mean, codes: Set(rows.map(\.code)).count)
        }
    }
}

extension GroupedResults where Base: QueryableResults<Freight> {
    var measured: FreightGroups {
        let groups = aggregates(
            .count, .sum(of: \.seal), .min(of: \.weight), .average(of: \.weight),
            .distinctCount(of: \.code))
        return Dictionary(
            uniqueKeysWithValues: groups.map { group in
                let (count, seals, lightest, mean, codes) = group.value
                return (
                    "\(group.key)",
                    FreightGroup(
                        count: count, seals: seals, lightest: lightest, mean: mean, codes: codes)
                )
            })
    }
}

extension SeededGenerator {
    mutating func freightQuery() -> FreightQuery {
        var query = FreightQuery(clause: freightClause(next(below: 4)))
        for _ in 0..<next(below: 4) where oneIn(2) {
            query.order.append((one(FreightRow.sortable), oneIn(2)))
        }
        // What an index of several columns has in its order.
        if oneIn(4) { query.order = [("due", oneIn(2))] }
        if oneIn(6) { query.distinct = one(FreightRow.sortable) }
        if oneIn(3) { query.limit = next(below: 30) }
        return query
    }
}

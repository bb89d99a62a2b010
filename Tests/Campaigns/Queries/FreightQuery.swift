import RealmActors
import Storage
import StorageHarness

/// What freights are sorted by: a column, or how far they are from a point.
struct FreightOrder: Sendable {
    var column: String
    var ascending: Bool
    var point: GeoPoint?

    private static let pointName = "here"

    var text: String {
        let direction = ascending ? "ASC" : "DESC"
        if point != nil { return "DISTANCE(place, $\(Self.pointName)) \(direction)" }
        return column == "title" ? "title COLLATED \(direction)" : "\(column) \(direction)"
    }

    var arguments: [String: any Sendable] { point.map { [Self.pointName: $0] } ?? [:] }

    /// What is compared. What is nowhere is farther than anything else.
    func value(_ row: FreightRow) -> StoredValue {
        guard let point else { return row.value(column) }
        return .double(row.place.map { $0.distance(to: point).radians } ?? .infinity)
    }
}

/// A query: a condition, orders, one object of each value, and a limit.
struct FreightQuery: Sendable {
    let clause: FreightClause
    var order: [FreightOrder] = []
    var rank: FreightRank?
    var distinct: String?
    var limit: Int?

    var text: String {
        var text = clause.text
        let sort =
            order.isEmpty ? "" : " SORT(\(order.map(\.text).joined(separator: ", ")))"
        let ranking = rank.map { " \($0.text)" } ?? ""
        // What comes last decides first.
        text += isByScoreFirst ? sort + ranking : ranking + sort
        if let distinct { text += " DISTINCT(\(distinct))" }
        if let limit { text += " LIMIT(\(limit))" }
        return text
    }

    private var isByScoreFirst: Bool { rank?.isFirst ?? false }

    /// Whether one freight stands before another by the sort; nil where it leaves them alike.
    private func bySort(_ a: FreightRow, _ b: FreightRow) -> Bool? {
        for order in order {
            let (x, y) = (order.value(a), order.value(b))
            if x < y { return order.ascending }
            if y < x { return !order.ascending }
        }
        return nil
    }

    /// What the query finds, in the most obvious way.
    func naive(_ all: FreightRows) -> [FreightRow] {
        var found = all.all.filter { clause.holds($0, all) }
        let scores = rank?.scores(all) ?? [:]
        func byScore(_ a: FreightRow, _ b: FreightRow) -> Bool? {
            let (x, y) = (scores[a.id] ?? 0, scores[b.id] ?? 0)
            return x == y ? nil : x > y
        }
        found.sort { a, b in
            let decided =
                isByScoreFirst ? byScore(a, b) ?? bySort(a, b) : bySort(a, b) ?? byScore(a, b)
            return decided ?? (a.id < b.id)
        }
        if let distinct {
            var seen: Set<StoredValue> = []
            found = found.filter { seen.insert($0.value(distinct)).inserted }
        }
        return Array(found.prefix(limit ?? .max))
    }

    func results<R: QueryableResults<Freight>>(in freights: R) throws -> R {
        let arguments = order.reduce(into: clause.arguments) { all, order in
            all.merge(order.arguments) { $1 }
        }
        return try freights.filter(text, arguments: arguments.mapValues { $0 as Any? })
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
        let clause = oneIn(6) ? freightLookUp() : freightClause(next(below: 4))
        var query = FreightQuery(clause: clause)
        for _ in 0..<next(below: 4) where oneIn(2) {
            query.order.append(
                FreightOrder(column: one(FreightRow.sortable + ["title"]), ascending: oneIn(2)))
        }
        // What an index of several columns has in its order.
        if oneIn(4) {
            query.order = [FreightOrder(column: one(["due", "title"]), ascending: oneIn(2))]
        }
        if oneIn(8) {
            let nearest = FreightOrder(column: "place", ascending: !oneIn(4), point: freightPoint())
            query.order = oneIn(3) ? query.order + [nearest] : [nearest]
        }
        if oneIn(4) { query.rank = FreightRank(&self) }
        if oneIn(6) { query.distinct = one(FreightRow.sortable) }
        if oneIn(3) { query.limit = next(below: 30) }
        return query
    }
}

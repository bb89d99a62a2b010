import RealmActors
import Storage
import StorageHarness

/// A sort criterion: a column of the freights or of the linked ones, or the distance from a point.
struct FreightOrder: Sendable {
    var column: String
    var ascending: Bool
    var point: GeoPoint?
    var isLinked = false

    private static let pointName = "here"

    var text: String {
        let direction = ascending ? "ASC" : "DESC"
        if point != nil { return "DISTANCE(place, $\(Self.pointName)) \(direction)" }
        if isLinked { return "next.\(column) \(direction)" }
        return column == "title" ? "title COLLATED \(direction)" : "\(column) \(direction)"
    }

    var arguments: [String: any Sendable] { point.map { [Self.pointName: $0] } ?? [:] }

    /// The compared value; nil, which sorts last, if a link is nil. Freights without a location
    /// sort after all distances.
    private func value(_ row: FreightRow, _ all: FreightRows) -> StoredValue? {
        if isLinked { return all[row.next]?.value(column) }
        guard let point else { return row.value(column) }
        return .double(row.place.map { $0.distance(to: point).radians } ?? .infinity)
    }

    /// Whether one freight precedes another; nil if they are equal.
    func decides(_ a: FreightRow, before b: FreightRow, _ all: FreightRows) -> Bool? {
        let (first, second) = (value(a, all), value(b, all))
        guard let x = first, let y = second else {
            if first == nil, second == nil { return nil }
            return (second == nil) == ascending
        }
        if x < y { return ascending }
        if y < x { return !ascending }
        return nil
    }
}

/// A query: a condition, sort criteria, distinct columns, and a limit.
struct FreightQuery: Sendable {
    let clause: FreightClause
    var order: [FreightOrder] = []
    var rank: FreightRank?
    /// The columns by which results are distinct.
    var distinct: [String] = []
    var limit: Int?

    var text: String {
        var text = clause.text
        let sort =
            order.isEmpty ? "" : " SORT(\(order.map(\.text).joined(separator: ", ")))"
        let ranking = rank.map { " \($0.text)" } ?? ""
        // The last criterion takes precedence.
        text += isByScoreFirst ? sort + ranking : ranking + sort
        if !distinct.isEmpty { text += " DISTINCT(\(distinct.joined(separator: ", ")))" }
        if let limit { text += " LIMIT(\(limit))" }
        return text
    }

    private var isByScoreFirst: Bool { rank?.isFirst ?? false }

    /// Whether one freight precedes another by the sort; nil if they are equal.
    private func bySort(_ a: FreightRow, _ b: FreightRow, _ all: FreightRows) -> Bool? {
        for order in order {
            if let decided = order.decides(a, before: b, all) { return decided }
        }
        return nil
    }

    /// The results of the query by a naive evaluation.
    func naive(_ all: FreightRows) -> [FreightRow] {
        var found = all.all.filter { clause.holds($0, all) }
        let scores = rank?.scores(all) ?? [:]
        func byScore(_ a: FreightRow, _ b: FreightRow) -> Bool? {
            let (x, y) = (scores[a.id] ?? 0, scores[b.id] ?? 0)
            return x == y ? nil : x > y
        }
        found.sort { a, b in
            let decided =
                isByScoreFirst
                ? byScore(a, b) ?? bySort(a, b, all) : bySort(a, b, all) ?? byScore(a, b)
            return decided ?? (a.id < b.id)
        }
        if !distinct.isEmpty {
            var seen: Set<[StoredValue]> = []
            found = found.filter { row in
                seen.insert(distinct.map { row.value($0) }).inserted
            }
        }
        return Array(found.prefix(limit ?? .max))
    }

    func results<R: QueryableResults<Freight>>(in freights: R) throws -> R {
        let values = order.reduce(into: clause.arguments) { all, order in
            all.merge(order.arguments) { $1 }
        }
        var arguments = values.mapValues { $0 as Any? }
        for (name, id) in clause.freights {
            let freight: Any? = freights.where { $0.id == id }.first.map { $0 as Any }
            arguments.updateValue(freight, forKey: name)
        }
        return try freights.filter(text, arguments: arguments)
    }

    /// Throws unless results of any kind are those of plain values.
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
        try require(
            found.grouped(by: \.name).count().map(\.key), FreightGroup.names(of: expected),
            "order of groups by name, \(place)")
        try require(
            found.grouped(by: \.next?.name).measured,
            FreightGroup.naive(expected) { all[$0.next]?.name }, "groups by next, \(place)")
        // The explanation is for people, but it evaluates the query in the same way.
        let isExplained = found.explain().contains("matched \(expected.count)")
        try require(isExplained, true, "explain, \(place)")
    }

    /// Throws unless the pages of cursors are the results, in consecutive pieces.
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
        let expected = naive(all).map(\.id)
        try require(ids, expected, "pages of \(size)")
        let numbered = try found.page(offset: size, limit: size).objects
        try require(
            numbered.values(of: \.id), Array(expected.dropFirst(size).prefix(size)),
            "the second page of \(size)")
    }

    func require<T: Equatable>(_ found: T, _ expected: T, _ place: String) throws {
        guard found != expected else { return }
        throw Violation("\(text), \(place): found \(found), not \(expected)")
    }
}

extension SeededGenerator {
    mutating func freightQuery() -> FreightQuery {
        let clause = oneIn(6) ? freightLookUp() : freightClause(next(below: 4))
        var query = FreightQuery(clause: clause)
        for _ in 0..<next(below: 4) where oneIn(2) {
            query.order.append(
                FreightOrder(
                    column: one(FreightRow.sortable + ["title", "extra"]), ascending: oneIn(2)))
        }
        if oneIn(6) {
            query.order.append(
                FreightOrder(
                    column: one(FreightRow.sortable), ascending: oneIn(2), isLinked: true))
        }
        // A sort in the order of an index of several columns.
        if oneIn(4) {
            query.order = [FreightOrder(column: one(["due", "title"]), ascending: oneIn(2))]
        }
        if oneIn(8) {
            let nearest = FreightOrder(column: "place", ascending: !oneIn(4), point: freightPoint())
            query.order = oneIn(3) ? query.order + [nearest] : [nearest]
        }
        if oneIn(4) { query.rank = FreightRank(&self) }
        if oneIn(6) {
            query.distinct = (0..<1 + next(below: 2)).map { _ in one(FreightRow.sortable) }
        }
        if oneIn(3) { query.limit = next(below: 30) }
        return query
    }
}

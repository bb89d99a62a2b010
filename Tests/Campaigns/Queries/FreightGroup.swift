import RealmActors

/// The aggregates of a group of freights.
struct FreightGroup: Equatable, Sendable {
    var count: Int
    var seals: Int
    var lightest: Double?
    var heaviest: Double?
    var mean: Double?
    var codes: Int
    var total: Int
}

/// By their keys as texts.
typealias FreightGroups = [String: FreightGroup]

extension FreightGroup {
    static func naive<Key>(_ rows: [FreightRow], by key: (FreightRow) -> Key) -> FreightGroups {
        Dictionary(grouping: rows) { "\(key($0))" }.mapValues { rows in
            let weights = rows.compactMap(\.weight)
            return FreightGroup(
                count: rows.count, seals: rows.reduce(0) { $0 + ($1.seal ?? 0) },
                lightest: weights.min(), heaviest: weights.max(), mean: weights.mean,
                codes: Set(rows.map(\.code)).count, total: rows.reduce(0) { $0 + $1.code })
        }
    }

    /// The names of freights in the order of their groups: nil first.
    static func names(of rows: [FreightRow]) -> [String?] {
        var names: [String?] = rows.contains { $0.name == nil } ? [nil] : []
        let given = Set(rows.compactMap(\.name))
        for name in given.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            names.append(name)
        }
        return names
    }

    /// Aggregates in the order of the arguments of ``GroupedResults/measured``.
    typealias Measures = (Int, Int, Double?, Double?, Double?, Int, Int)

    init(_ measures: Measures) {
        self.init(
            count: measures.0, seals: measures.1, lightest: measures.2, heaviest: measures.3,
            mean: measures.4, codes: measures.5, total: measures.6)
    }
}

extension GroupedResults where Base: QueryableResults<Freight> {
    var measured: FreightGroups {
        let groups = aggregates(
            .count, .sum(of: \.seal), .min(of: \.weight), .max(of: \.weight),
            .average(of: \.weight), .distinctCount(of: \.code), .sum(of: \.code))
        return Dictionary(
            uniqueKeysWithValues: groups.map { ("\($0.key)", FreightGroup($0.value)) })
    }
}

extension [Double] {
    var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }
}

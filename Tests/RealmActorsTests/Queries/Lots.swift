import RealmActors
import StorageHarness

/// Values that tie, are missing or no numbers, in indexes of several directions.
final class Lot: Object, IndexedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var area: String?
    @Persisted var kind: Int?
    @Persisted var weight: Double?
    @Persisted var mark: String?
    @Persisted var name: String?

    static var indexes: [Index<Lot>] {
        [
            Index(
                .ascending(\.area), .descending(\.kind), .ascending(\.weight), .descending(\.mark)),
            Index(.descending(\.weight), .ascending(\.kind), .descending(\.area)),
            Index(.ascending(\.mark), .descending(\.name, collation: .people), .ascending(\.kind)),
        ]
    }

    static let areas: [String?] = [nil, "north", "south", "so"]
    static let kinds: [Int?] = [nil, -1, 0, 300]
    static let weights: [Double?] = [nil, Double.nan, -Double.infinity, -0.0, 0, 1.5]
    static let marks: [String?] = [nil, "", "x", "x\u{0}"]
    static let names: [String?] = [
        nil, "", "Zoe", "zoe", "Asa", "\u{C5}sa", "e\u{301}", "\u{E9}", "Lodz",
    ]

    func vary(_ random: inout SeededGenerator) {
        area = one(of: Self.areas, &random)
        kind = one(of: Self.kinds, &random)
        weight = one(of: Self.weights, &random)
        mark = one(of: Self.marks, &random)
        name = one(of: Self.names, &random)
    }

    /// Fewer than 1,009 of them, whose keys are in another order than that of their creation.
    static func fill(_ count: Int, _ tx: WriteTransaction, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for number in 0..<count {
            let lot = Lot()
            lot.id = number * 7 % 1_009
            lot.vary(&random)
            try tx.add(lot)
        }
    }

    /// Deletes some and changes others.
    static func change(_ writing: some ObjectWriting, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &+ 1)
        for lot in Array(writing.objects(Lot.self)) {
            if lot.id % 7 == 3 {
                try writing.delete(lot)
            } else if lot.id % 3 == 0 {
                lot.vary(&random)
            }
        }
    }
}

/// A condition on the first properties of an index.
enum LotChoice {
    case area(String?)
    case areaAndKind(String?, Int?)
    case weight(Double?)
    case weightAndKind(Double?, Int?)
    case mark(String?)

    /// One of each, of any values.
    static func samples(_ random: inout SeededGenerator) -> [LotChoice] {
        [
            .area(one(of: Lot.areas, &random)),
            .areaAndKind(one(of: Lot.areas, &random), one(of: Lot.kinds, &random)),
            .weight(one(of: Lot.weights, &random)),
            .weightAndKind(one(of: Lot.weights, &random), one(of: Lot.kinds, &random)),
            .mark(one(of: Lot.marks, &random)),
        ]
    }

    /// Whether an index answers it: it does not where a value is null or no number.
    var isLookUp: Bool {
        func isNumber(_ weight: Double?) -> Bool { weight.map { !$0.isNaN } ?? false }
        return switch self {
        case .area(let area): area != nil
        case .areaAndKind(let area, let kind): area != nil && kind != nil
        case .weight(let weight): isNumber(weight)
        case .weightAndKind(let weight, let kind): isNumber(weight) && kind != nil
        case .mark(let mark): mark != nil
        }
    }

    /// The order of the index behind those properties, or its reverse.
    func order(_ isBackward: Bool) -> [RealmSortDescriptor] {
        func rising(_ name: String) -> RealmSortDescriptor {
            RealmSortDescriptor(keyPath: name, ascending: !isBackward)
        }
        func falling(_ name: String) -> RealmSortDescriptor {
            RealmSortDescriptor(keyPath: name, ascending: isBackward)
        }
        return switch self {
        case .area: [falling("kind"), rising("weight"), falling("mark")]
        case .areaAndKind: [rising("weight"), falling("mark")]
        case .weight: [rising("kind"), falling("area")]
        case .weightAndKind: [falling("area")]
        case .mark:
            [
                RealmSortDescriptor(keyPath: "name", collation: .people, ascending: isBackward),
                rising("kind"),
            ]
        }
    }

    func chosen<Found: QueryableResults<Lot>>(of all: Found) -> Found {
        switch self {
        case .area(let area): all.where { $0.area == area }
        case .areaAndKind(let area, let kind): all.where { $0.area == area && $0.kind == kind }
        case .weight(let weight): all.where { $0.weight == weight }
        case .weightAndKind(let weight, let kind):
            all.where { $0.kind == kind && $0.weight == weight }
        case .mark(let mark): all.where { $0.mark == mark }
        }
    }

    func holds(area: String?, kind: Int?, weight: Double?, mark: String?) -> Bool {
        switch self {
        case .area(let wanted): area == wanted
        case .areaAndKind(let wanted, let other): area == wanted && kind == other
        case .weight(let wanted): weight == wanted
        case .weightAndKind(let wanted, let other): weight == wanted && kind == other
        case .mark(let wanted): mark == wanted
        }
    }
}

private func one<Value>(of values: [Value], _ random: inout SeededGenerator) -> Value {
    values[random.next(below: values.count)]
}

import RealmActors

/// Ships and conditions at the edges: nothing, null, the largest, what is not a number, texts that
/// look alike, empty collections, links to nobody.
extension PlainShips {
    static let edges: PlainShips = {
        var plain = PlainShips()
        for (index, name) in Edges.texts.enumerated() {
            var sailor = PlainRow()
            sailor.values = [
                "name": .text(name), "age": .int(Edges.summands[index % Edges.summands.count]),
                "pay": index % 4 == 3 ? .null : .double(Edges.reals[index % Edges.reals.count]),
            ]
            // Some are nobody's friend, some their own friends' friends.
            if index % 3 > 0 { sailor.link["friend"] = index - 1 }
            plain.sailors.append(sailor)
        }
        let count = Edges.texts.count
        for number in 0..<3 * count { plain.ships.append(edge(number, count)) }
        return plain
    }()

    private static func edge(_ number: Int, _ count: Int) -> PlainRow {
        func cycled<T>(_ values: [T], _ step: Int = 1) -> T {
            values[(number / step) % values.count]
        }
        var ship = PlainRow()
        ship.values = [
            "number": .int(number), "name": .text(cycled(Edges.texts)),
            "masts": .int(cycled(Edges.integers)),
            "tons": number % 3 == 0 ? .null : .int(cycled(Edges.integers, 2)),
            "speed": .double(cycled(Edges.reals)), "fast": .bool(number % 2 == 0),
            "nickname": number % 4 == 0 ? .null : .text(cycled(Edges.texts, 2)),
        ]
        if number % 4 != 1 { ship.link["captain"] = number % count }
        let size = number % 4
        ship.links["crew"] = (0..<size).map { (number * 3 + $0 * $0) % count }
        ship.elements["marks"] = Set(Edges.summands.prefix(size)).map { .int($0) }
        ship.elements["ports"] = (0..<size).map { .text(Edges.texts[(number + $0) % count]) }
        ship.elements["draughts"] = (0..<size).map {
            $0 == 1 ? .null : .double(Edges.reals[(number + $0) % Edges.reals.count])
        }
        if size > 1 { ship.entries["cargo"] = ["tea": cycled(Edges.summands), "tin": 0] }
        ship.elements["cargo"] = (ship.entries["cargo"] ?? [:]).values.map { .int($0) }
        return ship
    }
}

/// The values at the edges of each kind.
enum Edges {
    static let integers = [Int.min, -1, 0, 1, 1 << 40, Int.max]
    /// Those whose sums are exact also as doubles, as the naive evaluator adds them.
    static let summands = [0, -1, 1, 1 << 40, -(1 << 40)]
    static let reals = [
        0, -0.0, .nan, .infinity, -.infinity, 1.5, .leastNonzeroMagnitude,
        -.greatestFiniteMagnitude,
    ]
    /// Empty, of one byte, composed and decomposed, beyond the basic plane, with a zero byte, alike
    /// in the first four, eight and twelve bytes, and too long for their places.
    static let texts = [
        "", "a", "A", "\u{E9}", "e\u{301}", "\u{1F436}", "\0", "a\0", "abcd", "abcdefgh",
        "abcdefghijkl", "abcdefghijklm", String(repeating: "abcdefgh", count: 40),
    ]
    static let arguments = ["", "a", "A", "e", "\u{E9}", "\0", "abcde", "abcdefghijklm", "h"]
    static let patterns = ["", "*", "?", "a*", "*h", "*\u{E9}*", "??", "A?*", "abcd?fgh*"]
}

extension Condition {
    /// Every operator, on every property that it is for, with every value at the edges.
    static let ofEveryOperator: [Condition] = {
        let places = Property.allCases.flatMap { property in
            property.isMany
                ? [Place(property: property), Place(property: property, isNone: true)]
                : [Place(property: property)]
        }
        return places.flatMap {
            comparisons($0) + members($0) + ranges($0) + remainders($0) + texts($0)
        }
            + counts + aggregates + keys + subqueries
    }()

    private static func constants(_ kind: Property.Kind) -> [PlainValue] {
        switch kind {
        case .bool: [.bool(false), .bool(true)]
        case .int: Edges.integers.map { .int($0) }
        case .double: Edges.reals.map { .double($0) }
        case .text: Edges.texts.map { .text($0) }
        }
    }

    private static func comparisons(_ place: Place) -> [Condition] {
        let kind = place.property.kind
        let all: [QueryComparison] = kind == .bool ? [.equal, .notEqual] : .allOperators
        let values = constants(kind) + (place.property.isOptional ? [.null] : [])
        return values.flatMap { value in all.map { .comparison(place, $0, value) } }
    }

    private static func members(_ place: Place) -> [Condition] {
        let kind = place.property.kind
        if kind == .bool { return [] }
        let values = constants(kind)
        return [.member(place, []), .member(place, [values[0]]), .member(place, values)]
    }

    private static func ranges(_ place: Place) -> [Condition] {
        let kind = place.property.kind
        if kind == .bool || place.property.isMany { return [] }
        let values = constants(kind)
        return values.flatMap { low in values.map { .between(place, low, $0) } }
    }

    private static func remainders(_ place: Place) -> [Condition] {
        guard place.property.kind == .int else { return [] }
        let numbers: [Remainders] = [
            .listed([]), .listed([-1]), .listed([0, 1]), .within(-1...0), .within(1...2),
        ]
        return [2, 3].flatMap { divisor in
            numbers.map { .remainder(place, by: divisor, $0) }
        }
    }

    private static func texts(_ place: Place) -> [Condition] {
        guard place.property.kind == .text else { return [] }
        return TextOperator.allCases.flatMap { kind in
            (kind == .like ? Edges.patterns : Edges.arguments).flatMap { argument in
                (0..<(kind == .like ? 2 : 4)).map { options in
                    .text(place, kind, argument, StringOptions(rawValue: options))
                }
            }
        }
    }

    private static var counts: [Condition] {
        Collection.allCases.flatMap { collection in
            [-1, 0, 1, 3, Int.max].flatMap { count in
                [QueryComparison].allOperators.map { .count(collection, $0, count) }
            }
        }
    }

    private static var aggregates: [Condition] {
        Property.numbers.flatMap { property in
            CollectionAggregate.allCases.flatMap { aggregate in
                constants(property.kind(of: aggregate)).flatMap { value in
                    [QueryComparison].allOperators.map {
                        .aggregate(Place(property: property), aggregate, $0, value)
                    }
                }
            }
        }
    }

    private static var keys: [Condition] {
        ["tea", "nothing"].flatMap { key in
            [-1, 0, Int.max].flatMap { value in
                [QueryComparison].allOperators.map { .key(key, $0, value) }
            }
        }
    }

    private static var subqueries: [Condition] {
        let sailors: [Condition] = [
            .comparison(Place(property: .crewAge), .greater, .int(0)),
            .comparison(Place(property: .crewPay), .equal, .null),
            .text(Place(property: .crewFriendName), .contains, "a", .caseInsensitive),
        ]
        return sailors.flatMap { sailor in
            [0, 1, Int.max].flatMap { count in
                [QueryComparison].allOperators.map { .subquery(sailor, $0, count) }
            }
        }
    }
}

extension [QueryComparison] {
    fileprivate static var allOperators: [QueryComparison] { QueryComparison.allCases }
}

import RealmActors
import StorageHarness

/// A condition that can be said in text and in the type-safe form, and evaluated naively.
indirect enum Condition: Sendable {
    case constant(Bool)
    case and([Condition])
    case or([Condition])
    case not(Condition)
    case comparison(Place, QueryComparison, PlainValue)
    case between(Place, PlainValue, PlainValue)
    case member(Place, [PlainValue])
    case text(Place, TextOperator, String, StringOptions)
    /// A text operator between two properties.
    case texts(Place, TextOperator, Property, StringOptions)
    /// The remainder of an integer, or of each of many, and where it must be.
    case remainder(Place, by: Int, Remainders)
    /// Two integers, or a calculation with them.
    case calculation(Calculation, QueryComparison, Calculation)
    case count(Collection, QueryComparison, Int)
    case aggregate(Place, CollectionAggregate, QueryComparison, PlainValue)
    case key(String, QueryComparison, Int)
    /// The number of sailors of the crew that meet a condition, whose places are the sailor's.
    case subquery(Condition, QueryComparison, Int)

    /// A property, and how many of its values are meant where there are many.
    struct Place: Sendable {
        let property: Property
        var isNone = false
    }

    enum Remainders: Sendable {
        case listed([Int])
        case within(ClosedRange<Int>)
    }

    enum Collection: String, CaseIterable, Sendable { case crew, marks, ports, draughts, cargo }

    indirect enum Calculation: Sendable {
        case constant(Int)
        case property(Property)
        case pair(Calculation, ArithmeticOperator, Calculation)
    }

    /// What a condition can be on. Those of `crew` are also those of sailors in a subquery.
    enum Property: String, CaseIterable, Sendable {
        case number, masts, tons, speed, name, nickname, fast
        case captainName = "captain.name"
        case captainAge = "captain.age"
        case captainPay = "captain.pay"
        case friendAge = "captain.friend.age"
        case crewName = "crew.name"
        case crewAge = "crew.age"
        case crewPay = "crew.pay"
        case crewFriendName = "crew.friend.name"
        case marks, ports, draughts, cargo

        var path: [String] { rawValue.split(separator: ".").map(String.init) }

        var isMany: Bool {
            switch self {
            case .crewName, .crewAge, .crewPay, .crewFriendName, .marks, .ports, .draughts, .cargo:
                true
            default: false
            }
        }

        static let singleTexts: [Property] = [.name, .nickname, .captainName]
        static let ofSailors: [Property] = [.crewName, .crewAge, .crewPay, .crewFriendName]
        static let integers: [Property] = [.number, .masts, .captainAge, .friendAge]
        static let numbers: [Property] = [.crewAge, .crewPay, .marks, .draughts, .cargo]
        static let allIntegers: [Property] = integers + [.tons, .crewAge, .marks, .cargo]

        enum Kind { case bool, int, double, text }

        var kind: Kind {
            switch self {
            case .fast: .bool
            case .speed, .captainPay, .crewPay, .draughts: .double
            case .name, .nickname, .captainName, .crewName, .crewFriendName, .ports: .text
            default: .int
            }
        }

        /// What an aggregate of it is compared with. The average of integers is no integer in the
        /// type-safe form.
        func kind(of aggregate: CollectionAggregate) -> Kind {
            switch aggregate {
            case .minimum, .maximum, .sum: kind
            case .average: .double
            case .distinctCount: .int
            }
        }

        /// Whether the type-safe form compares it with nil.
        var isOptional: Bool {
            switch self {
            case .tons, .nickname, .captainPay, .crewPay, .draughts: true
            default: false
            }
        }
    }
}

extension SeededGenerator {
    /// A random condition on ships, or on the sailors of a crew.
    mutating func condition(_ depth: Int, ofSailors: Bool = false) -> Condition {
        if depth > 0, !chance(4) {
            let parts = (0..<Int.random(in: 1...3, using: &self)).map { _ in
                condition(depth - 1, ofSailors: ofSailors)
            }
            switch Int.random(in: 0..<3, using: &self) {
            case 0: return .not(parts[0])
            case 1: return .or(parts)
            default: return .and(parts)
            }
        }
        return leaf(ofSailors: ofSailors)
    }

    private mutating func comparison() -> QueryComparison {
        QueryComparison.allCases.randomElement(using: &self) ?? .equal
    }

    private mutating func value(_ kind: Condition.Property.Kind) -> PlainValue {
        switch kind {
        case .bool: .bool(chance(2))
        case .int: .int(small())
        case .double: .double(real())
        case .text: .text(text())
        }
    }

    private mutating func leaf(ofSailors: Bool) -> Condition {
        if !ofSailors {
            switch Int.random(in: 0..<14, using: &self) {
            case 0: return .calculation(calculation(2), comparison(), calculation(1))
            case 1:
                return .count(
                    Condition.Collection.allCases.randomElement(using: &self) ?? .crew,
                    comparison(), Int.random(in: -1...4, using: &self))
            case 2:
                let property = Condition.Property.numbers.randomElement(using: &self) ?? .marks
                let aggregate = CollectionAggregate.allCases.randomElement(using: &self) ?? .sum
                return .aggregate(
                    Condition.Place(property: property), aggregate, comparison(),
                    value(property.kind(of: aggregate)))
            case 3: return .key(chance(2) ? "tea" : "tin", comparison(), small())
            case 4:
                return .subquery(
                    condition(Int.random(in: 0...2, using: &self), ofSailors: true), comparison(),
                    Int.random(in: -1...3, using: &self))
            case 5 where chance(4): return .constant(chance(2))
            case 6: return remainder()
            default: break
            }
        }
        let all = ofSailors ? Condition.Property.ofSailors : Condition.Property.allCases
        let property = all.randomElement(using: &self) ?? .crewAge
        let isNone = !ofSailors && property.isMany && chance(3)
        let place = Condition.Place(property: property, isNone: isNone)
        switch Int.random(in: 0..<6, using: &self) {
        case 0 where property.kind != .bool && property != .cargo:
            let bounds = (value(property.kind), value(property.kind))
            // The type-safe form has only ranges that Swift's order of texts allows, which is not
            // the order of queries; others would never match in it.
            if case (.text(let low), .text(let high)) = bounds, low > high {
                return .between(place, bounds.1, bounds.0)
            }
            return .between(place, bounds.0, bounds.1)
        case 1 where property.kind != .bool:
            let values = (0..<Int.random(in: 0...6, using: &self)).map { _ in value(property.kind) }
            return .member(place, values)
        case 2 where property.kind == .text, 3 where property.kind == .text:
            let kind = TextOperator.allCases.randomElement(using: &self) ?? .contains
            var options = StringOptions(rawValue: Int.random(in: 0...3, using: &self))
            var argument = String(text().prefix(2))
            if kind == .like {
                argument += chance(2) ? "*" : "?"
                options.remove(.diacriticInsensitive)
            }
            let others = ofSailors ? [.crewName] : Condition.Property.singleTexts
            if chance(3), let other = others.randomElement(using: &self) {
                return .texts(place, kind, other, options)
            }
            return .text(place, kind, argument, options)
        default:
            let isNull = property.isOptional && chance(6)
            let given = isNull ? PlainValue.null : value(property.kind)
            let isOrdered = property.kind != .bool
            let comparison = comparison()
            let equality: QueryComparison = chance(2) ? .equal : .notEqual
            return .comparison(place, isOrdered ? comparison : equality, given)
        }
    }

    private mutating func remainder() -> Condition {
        let property = Condition.Property.allIntegers.randomElement(using: &self) ?? .marks
        let place = Condition.Place(property: property, isNone: property.isMany && chance(3))
        let divisor = Int.random(in: 2...5, using: &self)
        if chance(2) {
            let low = Int.random(in: -2...3, using: &self)
            return .remainder(place, by: divisor, .within(low...low + 1))
        }
        let listed = (0..<Int.random(in: 0...3, using: &self)).map { _ in
            Int.random(in: -2...4, using: &self)
        }
        return .remainder(place, by: divisor, .listed(listed))
    }

    private mutating func calculation(_ depth: Int) -> Condition.Calculation {
        if depth > 0, chance(2) {
            return .pair(
                calculation(depth - 1),
                ArithmeticOperator.allCases.randomElement(using: &self) ?? .add,
                .constant(small()))
        }
        return .property(Condition.Property.integers.randomElement(using: &self) ?? .masts)
    }
}

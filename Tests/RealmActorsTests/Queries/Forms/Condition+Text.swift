import RealmActors
import StorageHarness

/// Says a condition in text, at random with literals or arguments, and in one spelling or another.
struct ConditionText {
    private(set) var arguments: [Any?] = []
    var random: SeededGenerator
    private var variables = 0

    init(_ random: SeededGenerator) { self.random = random }

    mutating func text(_ condition: Condition, _ prefix: String = "") -> String {
        switch condition {
        case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let parts): return joined(parts, [" AND ", " && ", " and "], prefix)
        case .or(let parts): return joined(parts, [" OR ", " || ", "\nor\t"], prefix)
        case .not(let part): return one(["NOT (", "!("]) + text(part, prefix) + ")"
        case .comparison(let place, let op, let value):
            // A constant may stand first.
            if !place.isNone, !place.property.isMany, random.chance(4) {
                let constant = constant(value)
                return "\(constant) \(sign(exchanged(op))) \(name(place, prefix))"
            }
            return "\(name(place, prefix)) \(sign(op)) \(constant(value))"
        case .between(let place, let low, let high):
            let name = name(place, prefix)
            let (low, high) = (constant(low), constant(high))
            return "\(name) BETWEEN {\(low), \(high)}"
        case .member(let place, let values):
            let name = name(place, prefix)
            if random.chance(2) {
                arguments.append(values.map(\.any))
                return "\(name) IN %@"
            }
            return "\(name) in {\(values.map { constant($0) }.joined(separator: ", "))}"
        case .text(let place, let kind, let argument, let options):
            return "\(name(place, prefix)) \(sign(kind, options)) \(constant(.text(argument)))"
        case .texts(let place, let kind, let other, let options):
            let path = prefix.isEmpty ? other.path : Array(other.path.dropFirst())
            let argument = prefix + path.joined(separator: ".")
            return "\(name(place, prefix)) \(sign(kind, options)) \(argument)"
        case .remainder(let place, let divisor, let numbers):
            let remainder = "\(name(place, prefix)) % \(divisor)"
            switch numbers {
            case .listed(let listed):
                let list = listed.map { constant(.int($0)) }.joined(separator: ", ")
                return "\(remainder) IN {\(list)}"
            case .within(let range):
                let (low, high) = (
                    constant(.int(range.lowerBound)), constant(.int(range.upperBound))
                )
                return "\(remainder) BETWEEN {\(low), \(high)}"
            }
        case .calculation(let a, let op, let b):
            return "\(calculation(a)) \(sign(op)) \(calculation(b))"
        case .count(let collection, let op, let count):
            return "\(collection.rawValue).@count \(sign(op)) \(constant(.int(count)))"
        case .aggregate(let place, let aggregate, let op, let value):
            var path = place.property.path
            path.insert(Self.word(aggregate), at: random.chance(2) ? 1 : path.count)
            return "\(path.joined(separator: ".")) \(sign(op)) \(constant(value))"
        case .key(let key, let op, let value):
            return "cargo[\(constant(.text(key)))] \(sign(op)) \(constant(.int(value)))"
        case .subquery(let condition, let op, let count):
            variables += 1
            let variable = "$x\(variables)"
            let inner = text(condition, variable + ".")
            return "SUBQUERY(crew, \(variable), \(inner)).@count \(sign(op)) \(count)"
        }
    }

    private mutating func one(_ spellings: [String]) -> String {
        spellings.randomElement(using: &random) ?? ""
    }

    private mutating func joined(
        _ parts: [Condition], _ words: [String], _ prefix: String
    ) -> String {
        var result = ""
        for (index, part) in parts.enumerated() {
            result += index > 0 ? one(words) : ""
            result += "(\(text(part, prefix)))"
        }
        return result
    }

    private mutating func name(_ place: Condition.Place, _ prefix: String) -> String {
        var path = place.property.path
        if !prefix.isEmpty { return prefix + path.dropFirst().joined(separator: ".") }
        if random.chance(6) {
            arguments.append(path.joined(separator: "."))
            path = ["%K"]
        }
        let quantifier =
            place.property.isMany ? (place.isNone ? "NONE " : one(["ANY ", "SOME "])) : ""
        return quantifier + path.joined(separator: ".")
    }

    private mutating func constant(_ value: PlainValue) -> String {
        let needsArgument: Bool
        if case .double(let number) = value {
            needsArgument = !number.isFinite
        } else {
            needsArgument = false
        }
        if needsArgument || random.chance(3) {
            arguments.append(value.any)
            return "%@"
        }
        switch value {
        case .null: return one(["NULL", "nil"])
        case .bool(let value):
            return value ? one(["YES", "true", "1"]) : one(["NO", "FALSE", "0"])
        case .int(let value):
            // The largest integer is no double.
            let isReal = random.chance(4) && Int(exactly: Double(value)) == value
            return isReal ? "\(Double(value))" : "\(value)"
        case .double(let value): return "\(value)"
        case .text(let text):
            let escaped = text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
            return "'\(escaped)'"
        }
    }

    private mutating func sign(_ comparison: QueryComparison) -> String {
        switch comparison {
        case .equal: one(["=", "=="])
        case .notEqual: one(["!=", "<>"])
        case .less: "<"
        case .lessOrEqual: one(["<=", "=<"])
        case .greater: ">"
        case .greaterOrEqual: one([">=", "=>"])
        }
    }

    private mutating func sign(_ kind: TextOperator, _ options: StringOptions) -> String {
        let sign =
            switch kind {
            case .contains: "CONTAINS"
            case .beginsWith: "BEGINSWITH"
            case .endsWith: one(["ENDSWITH", "endswith"])
            case .like: "LIKE"
            case .equals: "=="
            case .notEquals: "!="
            }
        var letters = options.contains(.caseInsensitive) ? "c" : ""
        letters += options.contains(.diacriticInsensitive) ? "d" : ""
        return letters.isEmpty ? sign : "\(sign)[\(letters)]"
    }

    private func exchanged(_ comparison: QueryComparison) -> QueryComparison {
        switch comparison {
        case .equal, .notEqual: comparison
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }

    private static func word(_ aggregate: CollectionAggregate) -> String {
        switch aggregate {
        case .minimum: "@min"
        case .maximum: "@max"
        case .sum: "@sum"
        case .average: "@avg"
        case .distinctCount: "@distinctCount"
        }
    }

    private mutating func calculation(_ calculation: Condition.Calculation) -> String {
        switch calculation {
        case .constant(let value): return "\(value)"
        case .property(let property): return property.rawValue
        case .pair(let a, let operation, let b):
            let sign =
                switch operation {
                case .add: "+"
                case .subtract: "-"
                case .multiply: "*"
                case .divide: "/"
                case .remainder: "%"
                }
            return "(\(self.calculation(a)) \(sign) \(self.calculation(b)))"
        }
    }
}

import Foundation
import RealmActors
import Storage
import StorageHarness

// The remaining operators: on texts with all options, bytes, two properties, objects, lists of
// objects, inverse links, calculations and values of any type.
extension SeededGenerator {
    mutating func operators() -> FreightClause {
        switch next(below: 10) {
        case 0: oneText()
        case 1: twoTexts()
        case 2: listedTexts()
        case 3: bytes()
        case 4: columns()
        case 5: objects()
        case 6: backwards()
        case 7: subqueries()
        case 8: aggregates()
        default: anyValues()
        }
    }

    /// A name for an argument.
    private mutating func argumentName() -> String { "a\(next(below: 1 << 40))" }

    private func written(_ kind: TextOperator, _ options: String) -> String {
        FreightText.symbol(kind) + (options.isEmpty ? "" : "[\(options)]")
    }

    private mutating func oneText() -> FreightClause {
        let (kind, options) = freightTextOperator()
        let (column, name) = (one(["name", "port", "title", "remark"]), argumentName())
        let argument = freightArgument(kind)
        var clause = FreightClause("\(column) \(written(kind, options)) $\(name)") { row, _ in
            FreightText.holds(row.text(column), kind, argument, options)
        }
        clause.arguments = [name: argument]
        return clause
    }

    private mutating func twoTexts() -> FreightClause {
        let (kind, options) = freightTextOperator()
        let texts = ["name", "port", "title", "remark"]
        let (column, other, isNext) = (one(texts), one(texts), oneIn(3))
        let sign = written(kind, options)
        let text = "\(column) \(sign) \(isNext ? "next." : "")\(other)"
        return FreightClause(text) { row, all in
            let argument = isNext ? all[row.next]?.text(other) : row.text(other)
            return FreightText.holds(row.text(column), kind, argument, options)
        }
    }

    private mutating func listedTexts() -> FreightClause {
        let (kind, options) = freightTextOperator()
        let (isNone, isTag, name) = (oneIn(3), oneIn(2), argumentName())
        let argument = freightArgument(kind)
        let path = "\(isNone ? "NONE" : "ANY") \(isTag ? "tags" : "parts.title")"
        var clause = FreightClause("\(path) \(written(kind, options)) $\(name)") { row, all in
            let texts: [String?] = isTag ? row.tags : all.parts(of: row).map(\.title)
            return isNone
                != texts.contains { FreightText.holds($0, kind, argument, options) }
        }
        clause.arguments = [name: argument]
        return clause
    }

    private mutating func bytes() -> FreightClause {
        let (kind, options) = freightTextOperator()
        // Patterns do not apply to bytes.
        if kind == .like { return bytes() }
        if oneIn(4) {
            let sign = written(kind, options)
            return FreightClause("stamp \(sign) next.stamp") { row, all in
                FreightText.holds(row.stampText, kind, all[row.next]?.stampText, options)
            }
        }
        let (word, name) = (freightWord(), argumentName())
        let part = oneIn(2) ? word : String(word.uppercased().prefix(2))
        var clause = FreightClause("stamp \(written(kind, options)) $\(name)") { row, _ in
            FreightText.holds(row.stampText, kind, part, options)
        }
        clause.arguments = [name: Data(part.utf8)]
        return clause
    }

    private mutating func columns() -> FreightClause {
        let comparison = one(FreightComparison.all)
        switch next(below: 5) {
        case 0:
            let holds = oneIn(2)
            return FreightClause(holds ? "TRUEPREDICATE" : "FALSEPREDICATE") { _, _ in holds }
        case 1:
            return FreightClause("seal \(comparison.sign) code") { row, _ in
                comparison.holds(row.seal, row.code)
            }
        case 2:
            return FreightClause("weight \(comparison.sign) code") { row, _ in
                comparison.holds(row.weight, Double(row.code))
            }
        case 3:
            return FreightClause("name \(comparison.sign) port") { row, _ in
                comparison.holds(row.name, row.port)
            }
        default:
            return FreightClause("next.code \(comparison.sign) code") { row, all in
                comparison.holds(all[row.next]?.code, row.code)
            }
        }
    }

    private mutating func objects() -> FreightClause {
        let (name, id, isEqual) = (argumentName(), 1 + next(below: 150), oneIn(2))
        var clause = FreightClause("next \(isEqual ? "==" : "!=") $\(name)") { row, all in
            (row.next == all[id]?.id) == isEqual
        }
        clause.freights = [name: id]
        return clause
    }

    /// A condition on the objects that link to it.
    private mutating func backwards() -> FreightClause {
        let comparison = one(FreightComparison.all)
        let path = one(["previous", "@links.Freight.next"])
        let number = next(below: 12)
        if oneIn(3) {
            return FreightClause("\(path).@count \(comparison.sign) \(number % 4)") { row, all in
                comparison.holds(all.rows.values.count { $0.next == row.id }, number % 4)
            }
        }
        let isNone = oneIn(3)
        let quantifier = isNone ? "NONE" : "ANY"
        return FreightClause("\(quantifier) \(path).code \(comparison.sign) \(number)") {
            row, all in
            isNone
                != all.rows.values.contains {
                    $0.next == row.id && comparison.holds($0.code, number)
                }
        }
    }

    private mutating func subqueries() -> FreightClause {
        let (inner, outer) = (one(FreightComparison.all), one(FreightComparison.all))
        let (number, count, word) = (next(below: 12), next(below: 3), freightWord())
        let condition = "$x.code \(inner.sign) \(number) OR $x.name == '\(word)'"
        let text = "SUBQUERY(parts, $x, \(condition)).@count \(outer.sign) \(count)"
        return FreightClause(text) { row, all in
            let found = all.parts(of: row).count {
                inner.holds($0.code, number) || $0.name == word
            }
            return outer.holds(found, count)
        }
    }

    private mutating func aggregates() -> FreightClause {
        let (aggregate, comparison) = (
            one(CollectionAggregate.allCases), one(FreightComparison.all)
        )
        let number = next(below: 12)
        // Halves only if the values may have some.
        let isHalf = oneIn(2) && aggregate == .average
        let constant = Double(number) + (isHalf ? 0.5 : 0)
        let literal = isHalf ? "\(constant)" : "\(number)"
        let symbol = Self.symbol(aggregate)
        if oneIn(3) {
            return FreightClause("counts.\(symbol) \(comparison.sign) \(literal)") { row, _ in
                let values = row.counts.values.map { Double($0) }
                return comparison.holds(Self.reduced(values, aggregate), constant)
            }
        }
        let column = one(["code", "seal", "weight"])
        let text = "parts.\(symbol).\(column) \(comparison.sign) \(literal)"
        return FreightClause(text) { row, all in
            let values = all.parts(of: row).compactMap { part -> Double? in
                switch column {
                case "code": Double(part.code)
                case "seal": part.seal.map { Double($0) }
                default: part.weight
                }
            }
            return comparison.holds(Self.reduced(values, aggregate), constant)
        }
    }

    private static func symbol(_ aggregate: CollectionAggregate) -> String {
        switch aggregate {
        case .minimum: "@min"
        case .maximum: "@max"
        case .sum: "@sum"
        case .average: "@avg"
        case .distinctCount: "@distinctCount"
        }
    }

    private static func reduced(
        _ values: [Double], _ aggregate: CollectionAggregate
    ) -> Double? {
        switch aggregate {
        case .minimum: values.min()
        case .maximum: values.max()
        case .sum: values.reduce(0, +)
        case .average: values.mean
        case .distinctCount: Double(Set(values).count)
        }
    }

    private mutating func anyValues() -> FreightClause {
        let comparison = one(FreightComparison.all)
        let (number, word) = (next(below: 6), freightWord())
        switch next(below: 6) {
        case 0:
            let key = one(["x", "y"])
            return FreightClause("ANY counts.@allKeys == '\(key)'") { row, _ in
                row.counts[key] != nil
            }
        case 1:
            return FreightClause("ANY counts.@allValues \(comparison.sign) \(number)") { row, _ in
                row.counts.values.contains { comparison.holds($0, number) }
            }
        case 2:
            let isNumber = oneIn(2)
            let type = isNumber ? "numeric" : "string"
            return FreightClause("extra.@type == '\(type)'") { row, _ in
                isNumber ? row.extra.number != nil : row.extra.heldText != nil
            }
        case 3:
            return FreightClause("extra == '\(word)'") { row, _ in row.extra.heldText == word }
        case 4:
            return FreightClause("extra BEGINSWITH[c] '\(word.prefix(2))'") { row, _ in
                FreightText.holds(row.extra.heldText, .beginsWith, String(word.prefix(2)), "c")
            }
        default:
            return FreightClause("extra \(comparison.sign) \(number)") { row, _ in
                comparison.holds(row.extra.number, Double(number))
            }
        }
    }
}

extension FreightRows {
    /// The elements of a freight's list.
    func parts(of row: FreightRow) -> [FreightRow] { row.parts.compactMap { self[$0] } }
}

import Foundation
import RealmActors
import Storage
import StorageHarness

/// A condition as text, and as a naive test of plain values.
struct FreightClause: Sendable {
    let text: String
    /// Values without a literal, by their names in the text.
    var arguments: [String: any Sendable] = [:]
    /// The freights among these arguments, by their ids; nil for one that does not exist.
    var freights: [String: Int] = [:]
    let holds: @Sendable (FreightRow, FreightRows) -> Bool

    init(_ text: String, _ holds: @escaping @Sendable (FreightRow, FreightRows) -> Bool) {
        self.text = text
        self.holds = holds
    }

    /// The conjunction or disjunction of two conditions.
    private init(_ a: FreightClause, _ word: String, _ b: FreightClause, isAnd: Bool) {
        text = "(\(a.text)) \(word) (\(b.text))"
        arguments = a.arguments.merging(b.arguments) { first, _ in first }
        freights = a.freights.merging(b.freights) { first, _ in first }
        let (x, y) = (a.holds, b.holds)
        holds = { row, all in
            isAnd ? x(row, all) && y(row, all) : x(row, all) || y(row, all)
        }
    }

    func and(_ other: FreightClause) -> FreightClause {
        FreightClause(self, "AND", other, isAnd: true)
    }

    func or(_ other: FreightClause) -> FreightClause {
        FreightClause(self, "OR", other, isAnd: false)
    }

    var negated: FreightClause {
        let holds = holds
        var negated = FreightClause("NOT (\(text))") { !holds($0, $1) }
        negated.arguments = arguments
        negated.freights = freights
        return negated
    }
}

/// A comparison of optional values.
struct FreightComparison: Sendable {
    let sign: String
    private let order: @Sendable (Int) -> Bool

    static let all: [FreightComparison] = [
        FreightComparison(sign: "==") { $0 == 0 }, FreightComparison(sign: "!=") { $0 != 0 },
        FreightComparison(sign: "<") { $0 < 0 }, FreightComparison(sign: "<=") { $0 <= 0 },
        FreightComparison(sign: ">") { $0 > 0 }, FreightComparison(sign: ">=") { $0 >= 0 },
    ]

    private init(sign: String, order: @escaping @Sendable (Int) -> Bool) {
        self.sign = sign
        self.order = order
    }

    /// Nil is neither less nor greater than any value, and differs from every value except nil.
    func holds<T: Comparable>(_ a: T?, _ b: T) -> Bool {
        guard let a else { return sign == "!=" }
        return order(a == b ? 0 : (a < b ? -1 : 1))
    }
}

extension SeededGenerator {
    /// A random condition, nested up to `depth`.
    mutating func freightClause(_ depth: Int) -> FreightClause {
        guard depth > 0, !oneIn(4) else { return freightLeaf() }
        let first = freightClause(depth - 1)
        switch next(below: 3) {
        case 0: return first.negated
        case 1: return first.or(freightClause(depth - 1))
        default: return first.and(freightClause(depth - 1))
        }
    }

    /// A condition that an index of several properties can look up.
    mutating func freightLookUp() -> FreightClause {
        func equal(_ column: String, _ value: StoredValue, _ text: String) -> FreightClause {
            FreightClause("\(column) == \(text)") { row, _ in row.value(column) == value }
        }
        let (port, seal) = (one(["aa", "ab", "b", "Bergen and Aalesund", ""]), next(below: 400))
        let (code, weight) = (next(below: 12), Double(next(below: 20)) / 2)
        let first = equal("port", .string(port), "'\(port)'")
        switch next(below: 4) {
        case 0: return equal("seal", .int(Int64(seal)), "\(seal)").and(first)
        case 1:
            let day = next(below: 60)
            let time = Double(day) * 20 * 86_400
            var due = equal("due", .date(time), "$d\(day)")
            due.arguments = ["d\(day)": Date(timeIntervalSinceReferenceDate: time)]
            return first.and(due)
        case 2:
            return equal("code", .int(Int64(code)), "\(code)")
                .and(equal("weight", .double(weight), "\(weight)"))
        default: return first
        }
    }

    private mutating func freightLeaf() -> FreightClause {
        switch next(below: 14) {
        case 0, 1: numbers()
        case 8: places()
        case 9...13: operators()
        case 2: calculations()
        case 3: texts()
        case 4: fullText()
        case 5: dates()
        case 6: links()
        default: collections()
        }
    }

    private mutating func numbers() -> FreightClause {
        let comparison = one(FreightComparison.all)
        let number = next(below: 12)
        switch next(below: 7) {
        case 0:
            let id = next(below: 250)
            return FreightClause("id \(comparison.sign) \(id)") { row, _ in
                comparison.holds(row.id, id)
            }
        case 1:
            return FreightClause("seal \(comparison.sign) \(number * 30)") { row, _ in
                comparison.holds(row.seal, number * 30)
            }
        case 2:
            return FreightClause("weight \(comparison.sign) \(Double(number) / 2)") { row, _ in
                comparison.holds(row.weight, Double(number) / 2)
            }
        case 3:
            let isNil = oneIn(2)
            let name = one(["weight", "seal", "name", "due"])
            return FreightClause("\(name) \(isNil ? "==" : "!=") nil") { row, _ in
                (row.value(name) == .null) == isNil
            }
        case 4:
            let high = number + next(below: 6)
            return FreightClause("code BETWEEN {\(number), \(high)}") { row, _ in
                row.code >= number && row.code <= high
            }
        case 5:
            let codes = (0..<next(below: 5)).map { _ in next(below: 14) }
            let list = codes.map { "\($0)" }.joined(separator: ", ")
            return FreightClause("code IN {\(list)}") { row, _ in codes.contains(row.code) }
        default:
            return FreightClause("code \(comparison.sign) \(number)") { row, _ in
                comparison.holds(row.code, number)
            }
        }
    }

    private mutating func calculations() -> FreightClause {
        let comparison = one(FreightComparison.all)
        let (a, b) = (1 + next(below: 5), next(below: 20))
        switch next(below: 7) {
        case 0:
            return FreightClause("code % \(a + 1) \(comparison.sign) \(b % 5)") { row, _ in
                comparison.holds(row.code % (a + 1), b % 5)
            }
        case 1:
            return FreightClause("seal % \(a) == 0") { row, _ in
                row.seal.map { $0 % a == 0 } ?? false
            }
        case 2:
            return FreightClause("code * \(a) - \(b) \(comparison.sign) id") { row, _ in
                comparison.holds(row.code * a - b, row.id)
            }
        case 3:
            return FreightClause("seal / \(a) + code \(comparison.sign) \(b * 5)") { row, _ in
                comparison.holds(row.seal.map { $0 / a + row.code }, b * 5)
            }
        case 4:
            // The result of a division by zero equals nothing.
            let sign = one(["/", "%"])
            let text = "(code + \(b)) \(sign) (id % 3) \(comparison.sign) \(a)"
            return FreightClause(text) { row, _ in
                let (number, divisor) = (row.code + b, row.id % 3)
                if divisor == 0 { return comparison.holds(nil, a) }
                return comparison.holds(sign == "/" ? number / divisor : number % divisor, a)
            }
        case 5:
            return FreightClause("code + \(a) IN {\(b), \(b + 2)}") { row, _ in
                [b, b + 2].contains(row.code + a)
            }
        default:
            return FreightClause("weight / \(a) \(comparison.sign) \(b)") { row, _ in
                comparison.holds(row.weight.map { $0 / Double(a) }, Double(b))
            }
        }
    }

    private mutating func texts() -> FreightClause {
        let isName = oneIn(2)
        let column = isName ? "name" : "port"
        let text: @Sendable (FreightRow) -> String? = { isName ? $0.name : $0.port }
        let given = isName ? freightWord() : one(["aa", "ab", "b", "Bergen and Aalesund"])
        let part = String(given.prefix(1 + next(below: 3)))
        switch next(below: 7) {
        case 0: return FreightClause("\(column) == '\(given)'") { row, _ in text(row) == given }
        case 1: return FreightClause("\(column) != '\(given)'") { row, _ in text(row) != given }
        case 2:
            return FreightClause("\(column) BEGINSWITH '\(part)'") { row, _ in
                text(row)?.hasPrefix(part) ?? false
            }
        case 3:
            return FreightClause("\(column) ENDSWITH '\(given.suffix(2))'") { row, _ in
                text(row)?.hasSuffix(given.suffix(2)) ?? false
            }
        case 4:
            return FreightClause("\(column) CONTAINS[c] '\(part)'") { row, _ in
                text(row)?.lowercased().contains(part.lowercased()) ?? false
            }
        case 5:
            return FreightClause("\(column) LIKE '\(part)*'") { row, _ in
                text(row)?.hasPrefix(part) ?? false
            }
        default:
            let values = [given, freightWord()]
            let list = values.map { "'\($0)'" }.joined(separator: ", ")
            return FreightClause("\(column) IN {\(list)}") { row, _ in
                text(row).map { values.contains($0) } ?? false
            }
        }
    }

    private mutating func fullText() -> FreightClause {
        let wanted = freightWord()
        let words: @Sendable (FreightRow) -> [String] = { $0.words("note") ?? [] }
        let word = wanted.lowercased()
        switch next(below: 5) {
        case 0:
            let other = freightWord()
            return FreightClause("note TEXT '\(wanted) -\(other)'") { row, _ in
                words(row).contains(word) && !words(row).contains(other.lowercased())
            }
        case 1:
            let part = String(word.prefix(2))
            return FreightClause("note TEXT '\(part)*'") { row, _ in
                words(row).contains { $0.hasPrefix(part) }
            }
        case 2:
            let behind = freightWord()
            return FreightClause("note TEXT '\"\(wanted) \(behind)\"'") { row, _ in
                let all = words(row)
                return zip(all, all.dropFirst()).contains {
                    $0 == word && $1 == behind.lowercased()
                }
            }
        case 3:
            let other = freightWord()
            return FreightClause("{note, remark} TEXT '\(wanted) \(other)'") { row, _ in
                let both = words(row) + (row.words("remark") ?? [])
                return both.contains(word) && both.contains(other.lowercased())
            }
        default:
            return FreightClause("note TEXT '\(wanted)'") { row, _ in words(row).contains(word) }
        }
    }

    private mutating func links() -> FreightClause {
        let comparison = one(FreightComparison.all)
        let code = next(below: 12)
        switch next(below: 4) {
        case 0: return FreightClause("next == nil") { row, _ in row.next == nil }
        case 1:
            let name = freightWord()
            return FreightClause("next.next.name == '\(name)'") { row, all in
                all[all[row.next]?.next]?.name == name
            }
        case 2:
            let word = freightWord()
            return FreightClause("next.note TEXT '\(word)'") { row, all in
                all[row.next]?.words("note")?.contains(word.lowercased()) ?? false
            }
        default:
            return FreightClause("next.code \(comparison.sign) \(code)") { row, all in
                comparison.holds(all[row.next]?.code, code)
            }
        }
    }

    private mutating func collections() -> FreightClause {
        let comparison = one(FreightComparison.all)
        let word = freightWord()
        let number = next(below: 5)
        switch next(below: 5) {
        case 0: return FreightClause("ANY tags == '\(word)'") { row, _ in row.tags.contains(word) }
        case 1:
            return FreightClause("NONE tags BEGINSWITH '\(word.prefix(2))'") { row, _ in
                !row.tags.contains { $0.hasPrefix(word.prefix(2)) }
            }
        case 2:
            return FreightClause("tags.@count \(comparison.sign) \(number)") { row, _ in
                comparison.holds(row.tags.count, number)
            }
        case 3:
            return FreightClause("counts.@sum \(comparison.sign) \(number)") { row, _ in
                comparison.holds(row.counts.values.reduce(0, +), number)
            }
        default:
            return FreightClause("counts['x'] \(comparison.sign) \(number)") { row, _ in
                comparison.holds(row.counts["x"], number)
            }
        }
    }
}

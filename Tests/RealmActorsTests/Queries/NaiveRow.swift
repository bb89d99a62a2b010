import Foundation
import RealmActors
import Storage

/// A row as plain Swift values, and queries over it in the most obvious way.
struct NaiveRow {
    var values: [String: StoredValue] = [:]
    var owner: Int?

    func value(_ path: [String], _ all: [NaiveRow]) -> StoredValue {
        var row = self
        for name in path.dropLast() {
            precondition(name == "owner")
            guard let next = row.owner else { return .null }
            row = all[next]
        }
        guard let last = path.last else { return .null }
        if last == "owner" { return row.owner.map { .link(RowKey(Int64($0))) } ?? .null }
        return row.values[last] ?? .null
    }

    func matches(_ query: QueryExpression, _ all: [NaiveRow]) -> Bool {
        switch query {
        case .constant(let value): value
        case .and(let a, let b): matches(a, all) && matches(b, all)
        case .or(let a, let b): matches(a, all) || matches(b, all)
        case .not(let a): !matches(a, all)
        case .comparison(let path, let op, let constant):
            NaiveRow.compare(value(path.steps, all), op, constant)
        case .columns(let a, let op, let b):
            NaiveRow.compare(value(a.steps, all), op, value(b.steps, all))
        case .member(let path, let values):
            values.contains { NaiveRow.compare(value(path.steps, all), .equal, $0) }
        case .between(let path, let low, let high, let includes):
            NaiveRow.compare(value(path.steps, all), .greaterOrEqual, low)
                && NaiveRow.compare(value(path.steps, all), includes ? .lessOrEqual : .less, high)
        case .text(let path, let kind, let argument, let options):
            NaiveRow.text(value(path.steps, all), kind, argument, options)
        case .texts(let a, let kind, let b, let options):
            NaiveRow.texts(value(a.steps, all), kind, value(b.steps, all), options)
        case .row(let path, let row, let isEqual):
            (value(path.steps, all) == .link(row.key)) == isEqual
        case .fullText(let path, let others, let search):
            NaiveSearch(search)
                .matches(
                    ([path.steps] + others.map { path.steps.dropLast() + [$0] }).compactMap {
                        if case .string(let text) = value($0, all) { text } else { nil }
                    })
        case .bytes, .count, .aggregate, .operands, .subquery, .geoWithin, .refused: false
        }
    }

    /// The order of sorts, below zero where `a` comes first: null, then by type, then by value.
    static func order(_ a: StoredValue, _ b: StoredValue) -> Int {
        func rank(_ value: StoredValue) -> Int {
            switch value {
            case .null: 0
            case .bool: 1
            case .int, .float, .double, .decimal: 2
            case .string: 3
            case .data: 4
            case .date: 5
            case .objectID: 6
            case .uuid: 7
            default: 8
            }
        }
        if rank(a) != rank(b) { return rank(a) - rank(b) }
        if let x = NaiveNumber(a), let y = NaiveNumber(b) { return x < y ? -1 : (y < x ? 1 : 0) }
        if case .date(let a) = a, case .date(let b) = b, a.isNaN || b.isNaN {
            return (b.isNaN ? 1 : 0) - (a.isNaN ? 1 : 0)
        }
        return compare(a, .less, b) ? -1 : (compare(b, .less, a) ? 1 : 0)
    }

    static func compare(_ a: StoredValue, _ op: QueryComparison, _ b: StoredValue) -> Bool {
        if a == .null || b == .null {
            let both = a == b
            switch op {
            case .equal, .lessOrEqual, .greaterOrEqual: return both
            case .notEqual: return !both
            case .less, .greater: return false
            }
        }
        if let x = NaiveNumber(a), let y = NaiveNumber(b) {
            return x.isNone || y.isNone ? op == .notEqual : op.holds(x, y)
        }
        switch (a, b) {
        case (.date(let a), .date(let b)): return op.holds(a, b)
        case (.bool(let a), .bool(let b)): return op.holds(a ? 1 : 0, b ? 1 : 0)
        case (.link(let a), .link(let b)): return op.holds(a, b)
        case (.uuid(let a), .uuid(let b)): return op.holds(a.uuidString, b.uuidString)
        case (.objectID(let a), .objectID(let b)):
            return op.holds(a.high << 8 | UInt64(a.low), b.high << 8 | UInt64(b.low))
        case (.string(let a), .string(let b)):
            let (x, y) = (Array(a.utf8), Array(b.utf8))
            let order = x == y ? 0 : (x.lexicographicallyPrecedes(y) ? -1 : 1)
            return op.holds(order, 0)
        default: return op == .notEqual
        }
    }

    static func text(
        _ value: StoredValue, _ kind: TextOperator, _ argument: String?, _ options: StringOptions
    ) -> Bool {
        guard let argument else {
            if kind == .equals || kind == .like { return value == .null }
            return kind == .notEquals && value != .null
        }
        guard case .string(let text) = value else { return kind == .notEquals }
        if kind == .like {
            return like(letters(text, options)[...], pattern(argument, options)[...])
        }
        let (a, b) = (letters(text, options), letters(argument, options))
        switch kind {
        case .equals: return a == b
        case .notEquals: return a != b
        case .beginsWith: return !b.isEmpty && a.starts(with: b)
        case .endsWith: return !b.isEmpty && a.reversed().starts(with: b.reversed())
        case .contains:
            guard !b.isEmpty, a.count >= b.count else { return false }
            return (0...(a.count - b.count)).contains { Array(a[$0..<($0 + b.count)]) == b }
        case .like: return false
        }
    }

    static func texts(
        _ value: StoredValue, _ kind: TextOperator, _ argument: StoredValue,
        _ options: StringOptions
    ) -> Bool {
        if case .string(let argument) = argument { return text(value, kind, argument, options) }
        return text(value, kind, nil, options)
    }

    /// What is compared of a text: its bytes, or its letters, each folded by itself.
    private static func letters(_ text: String, _ options: StringOptions) -> [String] {
        if options.isEmpty { return text.unicodeScalars.map { String($0) } }
        var comparing: String.CompareOptions = []
        if options.contains(.caseInsensitive) { comparing.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { comparing.insert(.diacriticInsensitive) }
        return text.map { String($0).folding(options: comparing, locale: nil) }
            .filter { !$0.isEmpty }
    }

    /// The letters of a pattern: nil for a star, and empty for a question mark.
    private static func pattern(_ text: String, _ options: StringOptions) -> [String?] {
        var pattern: [String?] = []
        var plain = ""
        func finish() {
            pattern += letters(plain, options)
            plain = ""
        }
        var rest = Array(text.unicodeScalars)[...]
        while let next = rest.popFirst() {
            if next == "\\", let escaped = rest.first, ["*", "?", "\\"].contains(escaped) {
                plain.unicodeScalars.append(escaped)
                rest = rest.dropFirst()
            } else if next == "*" || next == "?" {
                finish()
                pattern.append(next == "*" ? nil : "")
            } else {
                plain.unicodeScalars.append(next)
            }
        }
        finish()
        return pattern
    }

    private static func like(
        _ text: ArraySlice<String>, _ pattern: ArraySlice<String?>
    ) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        guard let letter = first else {
            return like(text, pattern.dropFirst())
                || (!text.isEmpty && like(text.dropFirst(), pattern))
        }
        guard let head = text.first, letter.isEmpty || head == letter else { return false }
        return like(text.dropFirst(), pattern.dropFirst())
    }
}

extension QueryComparison {
    /// Swift's own answer.
    func holds<V: Comparable>(_ a: V, _ b: V) -> Bool {
        switch self {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        }
    }
}

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
        case .row, .bytes, .count, .aggregate, .operands, .subquery, .geoWithin: false
        }
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
        func check<V: Comparable>(_ a: V, _ b: V) -> Bool {
            switch op {
            case .equal: a == b
            case .notEqual: a != b
            case .less: a < b
            case .lessOrEqual: a <= b
            case .greater: a > b
            case .greaterOrEqual: a >= b
            }
        }
        switch (a, b) {
        case (.int(let a), .int(let b)): return check(a, b)
        case (.double(let a), .double(let b)): return check(a, b)
        case (.float(let a), .float(let b)): return check(a, b)
        case (.date(let a), .date(let b)): return check(a, b)
        case (.bool(let a), .bool(let b)): return check(a ? 1 : 0, b ? 1 : 0)
        case (.link(let a), .link(let b)): return check(a, b)
        case (.uuid(let a), .uuid(let b)): return check(a.uuidString, b.uuidString)
        case (.objectID(let a), .objectID(let b)):
            return check(a.high << 8 | UInt64(a.low), b.high << 8 | UInt64(b.low))
        case (.decimal(let a), .decimal(let b)):
            func thousandths(_ value: DecimalBits) -> Int {
                var number = Int(value.coefficient) * (value.isNegative ? -1 : 1)
                for _ in 0..<(value.exponent + 3) { number *= 10 }
                return number
            }
            return check(thousandths(a), thousandths(b))
        case (.string(let a), .string(let b)):
            let (x, y) = (Array(a.utf8), Array(b.utf8))
            let order = x == y ? 0 : (x.lexicographicallyPrecedes(y) ? -1 : 1)
            return check(order, 0)
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
        func fold(_ text: String) -> [UInt8] {
            var comparing: String.CompareOptions = []
            if options.contains(.caseInsensitive) { comparing.insert(.caseInsensitive) }
            if options.contains(.diacriticInsensitive) { comparing.insert(.diacriticInsensitive) }
            if comparing.isEmpty { return Array(text.utf8) }
            return Array(
                text.folding(options: comparing, locale: nil)
                    .decomposedStringWithCanonicalMapping.utf8)
        }
        let (a, b) = (fold(text), fold(argument))
        switch kind {
        case .equals: return a == b
        case .notEquals: return a != b
        case .beginsWith: return !b.isEmpty && a.starts(with: b)
        case .endsWith: return !b.isEmpty && a.reversed().starts(with: b.reversed())
        case .contains:
            guard !b.isEmpty, a.count >= b.count else { return false }
            return (0...(a.count - b.count)).contains { Array(a[$0..<($0 + b.count)]) == b }
        case .like: return like(a[...], b[...])
        }
    }

    static func texts(
        _ value: StoredValue, _ kind: TextOperator, _ argument: StoredValue,
        _ options: StringOptions
    ) -> Bool {
        if case .string(let argument) = argument { return text(value, kind, argument, options) }
        return text(value, kind, nil, options)
    }

    private static func like(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == UInt8(ascii: "*") {
            return like(text, pattern.dropFirst())
                || (!text.isEmpty && like(text.dropFirst(), pattern))
        }
        guard let head = text.first else { return false }
        if first == UInt8(ascii: "?") {
            var rest = text.dropFirst()
            while let next = rest.first, next & 0xC0 == 0x80 { rest = rest.dropFirst() }
            return like(rest, pattern.dropFirst())
        }
        return head == first && like(text.dropFirst(), pattern.dropFirst())
    }
}

import Foundation
import RealmActors
import Storage

/// Random rows of every scalar kind, and random queries over them.
struct RandomQueries {
    var random = SeededGenerator()
    let schema: StoreSchema = {
        var columns: [ColumnSchema] = []
        let kinds: [(String, ValueKind)] = [
            ("bool", .bool), ("byte", .int), ("short", .int), ("word", .int), ("long", .int),
            ("float", .float), ("double", .double), ("string", .string), ("date", .date),
            ("uuid", .uuid), ("objectID", .objectID), ("decimal", .decimal),
        ]
        for (name, kind) in kinds {
            for isIndexed in kind == .decimal ? [false] : [false, true] {
                let name = isIndexed ? name + " indexed" : name
                columns.append(ColumnSchema(name: name, kind: kind, isIndexed: isIndexed))
                columns.append(
                    ColumnSchema(
                        name: name + "?", kind: kind, isNullable: true, isIndexed: isIndexed))
            }
        }
        columns.append(
            ColumnSchema(name: "owner", kind: .link, isNullable: true, target: ClassID(0)))
        return StoreSchema(classes: [ClassSchema(name: "Row", columns: columns)])
    }()

    var columns: [ColumnSchema] { schema[ClassID(0)].columns }

    /// A tree of so many random rows without owners, and the rows.
    mutating func fill(_ count: Int) -> (tree: WorkingTree, rows: [NaiveRow]) {
        let tree = WorkingTree(schema: schema, account: NodeAccount())
        let classID = ClassID(0)
        let rows = (0..<count).map { _ in
            let row = row()
            let key = tree.createRow(classID)
            for (number, column) in columns.enumerated() where column.kind != .link {
                tree.set(row.values[column.name] ?? .null, classID, key, ColumnID(number))
            }
            return row
        }
        return (tree, rows)
    }

    mutating func row() -> NaiveRow {
        var row = NaiveRow()
        for column in columns where column.kind != .link {
            row.values[column.name] = value(column)
        }
        return row
    }

    mutating func value(_ column: ColumnSchema) -> StoredValue {
        if column.isNullable, chance(4) { return .null }
        switch column.kind {
        case .bool: return .bool(chance(2))
        case .int: return .int(integer(column.name))
        case .float: return .float(Float(real()))
        case .double: return .double(real())
        case .date: return .date(real())
        case .uuid:
            let last = UInt8.random(in: 0...5, using: &random)
            let first: UInt8 = chance(2) ? 0 : 0xF0
            return .uuid(UUID(uuid: (first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last)))
        case .objectID:
            return .objectID(
                ObjectIDBits(
                    high: chance(2) ? 0 : 0xF0, low: UInt32.random(in: 0...5, using: &random)))
        case .decimal:
            return .decimal(
                DecimalBits(
                    isNegative: chance(2),
                    coefficient: UInt128(UInt.random(in: 0...500, using: &random)),
                    exponent: Int.random(in: -3...1, using: &random)))
        case .string: return .string(text())
        default: return .null
        }
    }

    mutating func integer(_ name: String) -> Int64 {
        if name.hasPrefix("byte") {
            return Int64.random(in: -3...20, using: &random)
        }
        if name.hasPrefix("short") { return Int64.random(in: -300...300, using: &random) }
        if name.hasPrefix("word") { return Int64.random(in: -70_000...70_000, using: &random) }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .min
        case 1: return .max
        case 2: return .min + 1
        default: return Int64.random(in: -10...10, using: &random) << 40
        }
    }

    mutating func real() -> Double {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: .nan
        case 1: .infinity
        case 2: -.infinity
        case 3: -0.0
        default: real0()
        }
    }

    private mutating func real0() -> Double { Double(Int.random(in: -8...8, using: &random)) / 2 }

    mutating func text() -> String {
        let letters = ["a", "b", "A", "ab", "\u{E9}", "e\u{301}", "E", "x", "\u{1F436}", "\0"]
        // An index key holds eight bytes: what differs behind them only must be told apart.
        let start = chance(3) ? "8 bytes:" : ""
        let count = chance(6) ? 300 : Int.random(in: 0...9, using: &random)
        return start
            + (0..<count).map { _ in letters.randomElement(using: &random) ?? "" }.joined()
    }

    mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }

    mutating func query(depth: Int) -> QueryExpression {
        if depth > 0, !chance(3) {
            let left = query(depth: depth - 1)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: return .not(left)
            case 1: return .or(left, query(depth: depth - 1))
            default: return .and(left, query(depth: depth - 1))
            }
        }
        return leaf()
    }

    mutating func indexedColumn() -> ColumnSchema {
        columns.filter(\.isIndexed).randomElement(using: &random) ?? columns[0]
    }

    /// One to three conditions on an indexed column, sometimes with one on any other.
    mutating func indexedQuery(on column: ColumnSchema) -> QueryExpression {
        var query = leaf(column)
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let other = leaf(chance(3) ? nil : column)
            query = chance(4) ? .or(query, other) : .and(query, other)
        }
        return query
    }

    private mutating func leaf(_ given: ColumnSchema? = nil) -> QueryExpression {
        let column = given ?? columns.randomElement(using: &random) ?? columns[0]
        let prefix = (0..<Int.random(in: 0...2, using: &random)).map { _ in "owner" }
        let path = QueryPath(steps: (given == nil && chance(3) ? prefix : []) + [column.name])
        let comparison = QueryComparison.allCases.randomElement(using: &random) ?? .equal
        if column.kind == .link {
            let target = StoredValue.link(RowKey(Int64.random(in: 0..<50, using: &random)))
            return .comparison(path, chance(2) ? .equal : .notEqual, chance(2) ? .null : target)
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            return .member(
                path, (0..<Int.random(in: 0...8, using: &random)).map { _ in value(column) })
        case 1 where column.kind != .bool:
            return .between(path, value(column), value(column), includesUpper: chance(2))
        case 2 where column.kind == .string:
            let kind = TextOperator.allCases.randomElement(using: &random) ?? .contains
            let options = StringOptions(
                rawValue: chance(2) ? 0 : Int.random(in: 0...3, using: &random))
            var argument = String(text().prefix(Int.random(in: 0...10, using: &random)))
            if chance(2) { argument = String(argument.prefix(2)) }
            if kind == .like { argument += chance(2) ? "*" : "?" }
            return .text(path, kind, chance(20) ? nil : argument, options)
        case 3:
            let others = columns.filter { $0.kind == column.kind }
            let other = others.randomElement(using: &random) ?? column
            if column.kind == .string, chance(2) {
                let kind = TextOperator.allCases.randomElement(using: &random) ?? .contains
                return .texts(
                    path, kind, QueryPath(steps: prefix + [other.name]),
                    StringOptions(rawValue: Int.random(in: 0...3, using: &random)))
            }
            return .columns(path, comparison, QueryPath(steps: [other.name]))
        default:
            return .comparison(
                path, comparison, column.isNullable && chance(6) ? .null : value(column))
        }
    }
}

import Foundation
import RealmActors
import Storage
import StorageHarness

/// Random rows of every scalar kind, and random queries over them.
struct RandomQueries {
    var random = SeededGenerator()
    let storeID = UUID()
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
        columns.append(ColumnSchema(name: "words", kind: .string, isFullText: true))
        columns.append(
            ColumnSchema(name: "words?", kind: .string, isNullable: true, isFullText: true))
        columns.append(ColumnSchema(name: "mixed", kind: .mixed, isNullable: true))
        columns.append(
            ColumnSchema(name: "mixed indexed", kind: .mixed, isNullable: true, isIndexed: true))
        columns.append(
            ColumnSchema(name: "owner", kind: .link, isNullable: true, target: ClassID(0)))
        return StoreSchema(classes: [
            ClassSchema(name: "Row", columns: columns + composites(of: columns))
        ])
    }()

    var columns: [ColumnSchema] { schema[ClassID(0)].columns.filter { !$0.isComposite } }

    /// Indexes of several columns: of those with few values, with nulls, of long texts, of columns
    /// that have an index of their own, and in every direction.
    private static func composites(of columns: [ColumnSchema]) -> [ColumnSchema] {
        let names = [
            ["bool", "-byte", "string"], ["byte?", "bool?", "-double?"], ["-string?", "-date"],
            ["short", "float?", "uuid?"], ["byte indexed", "short indexed?"],
            ["-bool indexed?", "string indexed?", "-word", "objectID?"], ["double", "byte"],
        ]
        return names.map { names in
            var parts = IndexParts(isUnique: false)
            for name in names {
                let isDescending = name.hasPrefix("-")
                let plain = isDescending ? String(name.dropFirst()) : name
                let number = columns.firstIndex { $0.name == plain } ?? 0
                parts.append(ColumnID(number), columns[number], isDescending: isDescending)
            }
            return ColumnSchema(parts)
        }
    }

    /// An index of several columns, by the columns and their directions.
    mutating func composite() -> [(column: ColumnSchema, isDescending: Bool)] {
        let all = schema[ClassID(0)].columns
        let index = all.filter(\.isComposite).randomElement(using: &random)
        return index?.parts.all.map { (all[$0.column.rawValue], $0.isDescending) } ?? []
    }

    /// Conditions on the first columns of an index of several: values of rows, then anything.
    mutating func compositeQuery(
        _ parts: [ColumnSchema], like row: NaiveRow
    ) -> QueryExpression {
        var query = QueryExpression.constant(true)
        let count = Int.random(in: 0...parts.count, using: &random)
        for column in parts.prefix(count) {
            let path = QueryPath(steps: [column.name])
            let value = row.values[column.name] ?? .null
            let values = (0..<Int.random(in: 1...3, using: &random)).map { _ in self.value(column) }
            let next =
                chance(4)
                ? QueryExpression.member(path, values + [value])
                : .comparison(path, .equal, value)
            query = .and(query, next)
        }
        if count < parts.count, !chance(3) { query = .and(query, leaf(parts[count])) }
        if count < parts.count, chance(3) { query = .and(query, leaf(parts[count])) }
        if chance(3) { query = .and(query, leaf(nil)) }
        return query
    }

    /// The keys of a random sort, for a query and by name.
    mutating func sortKeys(
        _ count: Int, _ schema: RowQuerySchema
    ) throws -> (keys: [SortKey], names: [(String, Bool)]) {
        var keys: [SortKey] = []
        var names: [(String, Bool)] = []
        for _ in 0..<count {
            let column =
                columns.filter { $0.kind != .link }.randomElement(using: &random) ?? columns[0]
            let ascending = chance(2)
            names.append((column.name, ascending))
            let path = try schema.bindSingle([column.name], in: ClassID(0))
            keys.append(SortKey(path: path, ascending: ascending))
        }
        return (keys, names)
    }

    /// A tree of so many random rows without owners, and the rows; few different values in each
    /// column if they tie.
    mutating func fill(
        _ count: Int, tying: Bool = false
    ) -> (tree: WorkingTree, rows: [NaiveRow]) {
        let tree = WorkingTree(schema: schema, account: NodeAccount())
        let classID = ClassID(0)
        let few = (0..<4).map { _ in row() }
        let rows = (0..<count).map { _ in
            var row = row()
            for column in columns where tying && column.kind != .link && !chance(50) {
                row.values[column.name] = few.randomElement(using: &random)?.values[column.name]
            }
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
            if chance(6) { return .decimal(edges.randomElement(using: &random) ?? .zero) }
            return .decimal(
                DecimalBits(
                    isNegative: chance(2),
                    coefficient: UInt128(UInt.random(in: 0...500, using: &random)),
                    exponent: Int.random(in: -3...1, using: &random)))
        case .string:
            return .string(column.isFullText ? SearchText.make(&random) ?? "" : text())
        case .mixed:
            let columns = columns.filter { $0.kind != .link && $0.kind != .mixed }
            let numbers = columns.filter { Self.isNumber($0.kind) }
            return (chance(2) ? numbers : columns).randomElement(using: &random)
                .map { value($0) } ?? .null
        default: return .null
        }
    }

    private static func isNumber(_ kind: ValueKind) -> Bool {
        switch kind {
        case .int, .float, .double, .decimal: true
        default: false
        }
    }

    /// Decimals where doubles have no integers between each other any more.
    private let edges: [DecimalBits] = ["9007199254740993", "9223372036854775807"].flatMap { text in
        (0...1).map { more in
            DecimalBits(
                isNegative: false, coefficient: (UInt128(text) ?? 0) + UInt128(more), exponent: 0)
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
        case 3: return 1 << 53 + Int64.random(in: -1...2, using: &random)
        default: return Int64.random(in: -10...10, using: &random) << 40
        }
    }

    mutating func real() -> Double {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: .nan
        case 1: .infinity
        case 2: -.infinity
        case 3: -0.0
        case 4: [0x1p53, 0x1p53 + 2, 0x1p63, -0x1p63, 0x1p24].randomElement(using: &random) ?? 0
        default: real0()
        }
    }

    private mutating func real0() -> Double { Double(Int.random(in: -8...8, using: &random)) / 2 }

    mutating func text() -> String {
        let letters = [
            "a", "b", "A", "ab", "\u{E9}", "e\u{301}", "E", "x", "\u{1F436}", "\0", "\u{C9}", "*",
        ]
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

    mutating func leaf(_ given: ColumnSchema? = nil) -> QueryExpression {
        let column = given ?? columns.randomElement(using: &random) ?? columns[0]
        let prefix = (0..<Int.random(in: 0...2, using: &random)).map { _ in "owner" }
        let path = QueryPath(steps: (given == nil && chance(3) ? prefix : []) + [column.name])
        let comparison = QueryComparison.allCases.randomElement(using: &random) ?? .equal
        if column.kind == .link {
            let target = StoredValue.link(RowKey(Int64.random(in: 0..<50, using: &random)))
            if chance(2) {
                return (0..<Int.random(in: 1...9, using: &random)).map { _ in
                    let key = RowKey(Int64.random(in: 0..<50, using: &random))
                    return .row(path, QueryRow(storeID: storeID, key: key), isEqual: true)
                }
                .reduce(.constant(false)) { .or($0, $1) }
            }
            return .comparison(path, chance(2) ? .equal : .notEqual, chance(2) ? .null : target)
        }
        if column.isFullText, !chance(4) {
            let others = columns.filter { $0.isFullText && $0.name != column.name }
            return .fullText(
                path, alsoIn: chance(2) ? others.map(\.name) : [], SearchText.search(&random))
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            return .member(
                path, (0..<Int.random(in: 0...8, using: &random)).map { _ in constant(column) })
        case 1 where column.kind != .bool:
            return .between(path, value(column), value(column), includesUpper: chance(2))
        case 2 where column.kind == .string:
            let kind = TextOperator.allCases.randomElement(using: &random) ?? .contains
            let options = StringOptions(
                rawValue: chance(2) ? 0 : Int.random(in: 0...3, using: &random))
            var argument = String(text().prefix(Int.random(in: 0...10, using: &random)))
            if chance(2) { argument = String(argument.prefix(2)) }
            if kind == .like { argument += ["*", "?", "\\*"].randomElement(using: &random) ?? "*" }
            return .text(path, kind, chance(20) ? nil : argument, options)
        case 3:
            func isLike(_ kind: ValueKind) -> Bool {
                kind == column.kind || Self.isNumber(kind) && Self.isNumber(column.kind)
            }
            let others = columns.filter { isLike($0.kind) }
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
                path, comparison, column.isNullable && chance(6) ? .null : constant(column))
        }
    }

    /// A value that the column has, or may be compared with: a number of another kind.
    private mutating func constant(_ column: ColumnSchema) -> StoredValue {
        guard Self.isNumber(column.kind), chance(4) else { return value(column) }
        let others = columns.filter { Self.isNumber($0.kind) }
        return value(others.randomElement(using: &random) ?? column)
    }
}

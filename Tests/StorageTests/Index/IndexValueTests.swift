import Foundation
import StorageHarness
import Testing

@testable import Storage

/// Indexes of columns of every kind, compared with sorted values: ties within a key, null, the
/// ends.
@Suite struct IndexValueTests {
    static let kinds: [ValueKind] = [
        .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectID, .mixed,
    ]

    static let schema = StoreSchema(classes: [
        ClassSchema(
            name: "Row",
            columns: kinds.flatMap { kind in
                [false, true].map {
                    ColumnSchema(
                        name: "\(kind) \($0)", kind: kind, isNullable: $0 || kind == .mixed,
                        isIndexed: true)
                }
            })
    ])

    private let row = ClassID(0)

    static func value(
        _ column: ColumnSchema, _ generator: inout SeededGenerator
    ) -> StoredValue {
        func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
        if column.isNullable, random(4) == 0 { return .null }
        let numbers = [0, -0.0, 1, -1, 2.5, .infinity, -.infinity, .nan, 1e300]
        let real = random(3) == 0 ? numbers[random(numbers.count)] : Double(random(40)) / 4
        switch column.kind {
        case .bool: return .bool(random(2) == 0)
        case .int: return .int([.min, .max, 0, -1, Int64(random(300))][random(5)])
        case .float: return .float(Float(real))
        case .double: return .double(real)
        case .date: return .date(real)
        case .string: return .string(text(random(12), &generator))
        case .data: return .data(Data([UInt8](repeating: 0xFF, count: random(12))))
        case .uuid:
            let last = UInt8(random(5))
            let first = UInt8(random(2) * 255)
            return .uuid(UUID(uuid: (first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last)))
        case .objectID:
            return .objectID(ObjectIDBits(high: UInt64(random(2)), low: UInt32(random(4))))
        case .decimal:
            return .decimal(
                DecimalBits(
                    isNegative: random(2) == 0, coefficient: UInt128(random(40)),
                    exponent: random(3) - 2))
        case .link: return .null
        case .mixed:
            let other = kinds[random(kinds.count - 1)]
            if random(6) == 0 { return .object(ClassID(random(3)), RowKey(Int64(random(5)))) }
            return value(ColumnSchema(name: "", kind: other), &generator)
        }
    }

    /// Texts that are equal in their first eight bytes, end there, or contain zeros.
    private static func text(_ kind: Int, _ generator: inout SeededGenerator) -> String {
        let letters = ["a", "b", "\0", "\u{E9}", "\u{1F436}"]
        let count = Int.random(in: 0...3, using: &generator)
        let tail = (0..<count).map { _ in letters.randomElement(using: &generator) ?? "" }.joined()
        switch kind {
        case 0: return ""
        case 1...4: return "equal to eight bytes" + tail
        case 5: return "eight by" + tail
        case 6: return String(repeating: "long ", count: 80) + tail
        default: return tail
        }
    }

    @Test(arguments: testSeeds(3)) func rangesAgreeWithSortedValues(_ seed: UInt64) {
        let account = NodeAccount()
        do {
            var generator = SeededGenerator(seed: seed)
            let tree = WorkingTree(schema: Self.schema, account: account)
            var values: [[StoredValue]] = []
            let columns = Self.schema[row].columns
            for number in 0..<300 {
                let key = tree.createRow(row)
                values.append(columns.map { Self.value($0, &generator) })
                for (column, value) in values[number].enumerated() {
                    tree.set(value, row, key, ColumnID(column))
                }
            }
            check(tree.view.classView(row), values, Array(values.indices), &generator, seed)
            let snapshot = tree.capture(version: .zero)
            let before = values
            for _ in 0..<200 {
                let (number, column) = (
                    Int.random(in: 0..<300, using: &generator),
                    columns.indices.randomElement(using: &generator) ?? 0
                )
                values[number][column] = Self.value(columns[column], &generator)
                tree.set(
                    values[number][column], row, RowKey(Int64(number)), ColumnID(column))
            }
            let deleted = Set((0..<100).map { _ in Int.random(in: 0..<300, using: &generator) })
            tree.delete(row, deleted.map { RowKey(Int64($0)) })
            let live = values.indices.filter { !deleted.contains($0) }
            // Links to deleted rows are null in values of any type.
            for number in live {
                for case (let column, .object(row, let key)) in values[number].enumerated()
                where deleted.contains(Int(key.rawValue)) { values[number][column] = .null }
            }
            check(tree.view.classView(row), values, live, &generator, seed)
            check(snapshot.view.classView(row), before, Array(0..<300), &generator, seed)
        }
        #expect(account.nodeCount == 0)
        #expect(account.byteCount == 0)
    }

    private func check(
        _ view: ClassView, _ values: [[StoredValue]], _ live: [Int],
        _ generator: inout SeededGenerator, _ seed: UInt64
    ) {
        for (number, column) in Self.schema[row].columns.enumerated() {
            let id = ColumnID(number)
            let comment: Comment = "SEED=\(seed), \(column.name)"
            let ascending = live.sorted { a, b in
                let (x, y) = (values[a][number], values[b][number])
                return x < y || (!(y < x) && a < b)
            }
            let all = view.range(id, from: .start, to: .end)
            #expect(rows(all) == ascending, comment)
            let descending = live.sorted { a, b in
                let (x, y) = (values[a][number], values[b][number])
                return y < x || (!(x < y) && a < b)
            }
            var walked: [Int] = []
            all.forEachDescending {
                walked.append(Int($0.rawValue))
                return true
            }
            #expect(walked == descending, comment)
            for _ in 0..<10 {
                let low = Self.value(column, &generator)
                let high = Self.value(column, &generator)
                let isLess = { (row: Int, bound: StoredValue) in values[row][number] < bound }
                let isGreater = { (row: Int, bound: StoredValue) in bound < values[row][number] }
                #expect(
                    rows(view.range(id, from: .before(low), to: .after(high)))
                        == ascending.filter { !isLess($0, low) && !isGreater($0, high) }, comment)
                #expect(
                    rows(view.range(id, from: .after(low), to: .before(high)))
                        == ascending.filter { isGreater($0, low) && isLess($0, high) }, comment)
                let equal = ascending.filter { !isLess($0, low) && !isGreater($0, low) }
                #expect(view.rows(id, equalTo: low).map { Int($0.rawValue) } == equal, comment)
                #expect(
                    view.first(id, equalTo: low) == equal.first.map { RowKey(Int64($0)) }, comment)
            }
            checkPrefixes(view, id, column, ascending.map { ($0, values[$0][number]) }, comment)
        }
    }

    private func checkPrefixes(
        _ view: ClassView, _ id: ColumnID, _ column: ColumnSchema,
        _ ascending: [(row: Int, value: StoredValue)], _ comment: Comment
    ) {
        if column.kind == .string {
            for prefix in ["a", "\u{E9}", "eight", "eight by", "eight bya", "equal to e", "long "] {
                let found = view.range(
                    id, from: .before(.string(prefix)), to: .afterPrefix(.string(prefix)))
                let expected = ascending.filter {
                    if case .string(let text) = $0.value {
                        text.utf8.starts(with: prefix.utf8)
                    } else {
                        false
                    }
                }
                #expect(rows(found) == expected.map(\.row), comment)
            }
        }
        if column.kind == .data {
            let prefix = Data([0xFF, 0xFF])
            let found = view.range(
                id, from: .before(.data(prefix)), to: .afterPrefix(.data(prefix)))
            let expected = ascending.filter {
                if case .data(let data) = $0.value { data.starts(with: prefix) } else { false }
            }
            #expect(rows(found) == expected.map(\.row), comment)
        }
    }

    private func rows(_ range: IndexRange) -> [Int] {
        var rows: [Int] = []
        range.forEach { rows.append(Int($0.rawValue)) }
        #expect(rows.count == range.count)
        if let last = rows.last { #expect(range[range.count - 1].rawValue == Int64(last)) }
        return rows
    }

    /// Keys of another kind, and null in a required column, have no accidental matches.
    @Test func valuesOfAnotherKindAreNotFound() {
        let tree = WorkingTree(schema: Self.schema, account: NodeAccount())
        let integers = ColumnID(2)
        tree.set(.int(.min), row, tree.createRow(row), integers)
        let view = tree.view.classView(row)
        #expect(view.first(integers, equalTo: .null) == nil)
        #expect(view.rows(integers, equalTo: .null) == [])
        #expect(view.first(integers, equalTo: .string("")) == nil)
        #expect(view.first(integers, equalTo: .int(.min)) == RowKey(0))
        #expect(view.range(integers, from: .first(of: .int), to: .end).count == 1)
        withExtendedLifetime(tree) {}
    }
}

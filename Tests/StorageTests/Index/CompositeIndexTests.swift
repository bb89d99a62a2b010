import Foundation
import StorageHarness
import Testing

@testable import Storage

/// Indexes of several columns, compared with sorted rows: ties, nulls, texts with zeros, the ends.
@Suite struct CompositeIndexTests {
    private static let row = ClassID(0)

    /// Columns of every kind that can be part of such an index, required and optional.
    private static let plain = IndexValueTests.schema[row].columns.map { column in
        ColumnSchema(name: column.name, kind: column.kind, isNullable: column.isNullable)
    }

    private static func schema(_ generator: inout SeededGenerator, unique: Bool) -> StoreSchema {
        let usable = plain.indices.filter { plain[$0].canBeIndexPart }
        let indexes = (0..<12).map { _ in
            var parts = IndexParts(isUnique: unique)
            let count = Int.random(in: 1...IndexParts.countMax, using: &generator)
            for column in usable.shuffled(using: &generator).prefix(count) {
                parts.append(
                    ColumnID(column), plain[column],
                    isDescending: Bool.random(using: &generator))
            }
            return ColumnSchema(parts)
        }
        return StoreSchema(classes: [ClassSchema(name: "Row", columns: plain + indexes)])
    }

    /// Negative if the first `count` values of `a` precede those of `b`.
    private static func compare(
        _ a: [StoredValue], _ b: [StoredValue], _ parts: [IndexPart]
    ) -> Int {
        for part in parts {
            let (x, y) = (a[part.column.rawValue], b[part.column.rawValue])
            if x < y { return part.isDescending ? 1 : -1 }
            if y < x { return part.isDescending ? -1 : 1 }
        }
        return 0
    }

    @Test(arguments: testSeeds(4, debug: 1)) func rangesAgreeWithSortedRows(_ seed: UInt64) {
        let account = NodeAccount()
        do {
            var generator = SeededGenerator(seed: seed)
            let schema = Self.schema(&generator, unique: false)
            let tree = WorkingTree(schema: schema, account: account)
            let few = (0..<5).map { _ in Self.values(&generator) }
            func next() -> [StoredValue] {
                var values = Self.values(&generator)
                for column in values.indices where Int.random(in: 0..<3, using: &generator) > 0 {
                    values[column] = few[Int.random(in: 0..<5, using: &generator)][column]
                }
                return values
            }
            var values: [[StoredValue]] = []
            for number in 0..<400 {
                let key = tree.createRow(Self.row)
                values.append(next())
                for (column, value) in values[number].enumerated() {
                    tree.set(value, Self.row, key, ColumnID(column))
                }
            }
            check(tree.view.classView(Self.row), values, Array(values.indices), &generator, seed)
            let snapshot = tree.capture(version: .zero)
            let before = values
            for _ in 0..<300 {
                let number = Int.random(in: 0..<400, using: &generator)
                let column = Int.random(in: 0..<Self.plain.count, using: &generator)
                values[number][column] = next()[column]
                tree.set(
                    values[number][column], Self.row, RowKey(Int64(number)), ColumnID(column))
            }
            let deleted = Set((0..<130).map { _ in Int.random(in: 0..<400, using: &generator) })
            tree.delete(Self.row, deleted.map { RowKey(Int64($0)) })
            let live = values.indices.filter { !deleted.contains($0) }
            check(tree.view.classView(Self.row), values, live, &generator, seed)
            check(
                snapshot.view.classView(Self.row), before, Array(0..<400), &generator, seed)
            let verifier = StoreVerifier(tree.capture(version: .zero), isShared: false)
            do { try verifier.verify() } catch { Issue.record("\(error)") }
            #expect(verifier.problems.isEmpty, "SEED=\(seed): \(verifier.problems)")
        }
        #expect(account.nodeCount == 0)
        #expect(account.byteCount == 0)
    }

    private static func values(_ generator: inout SeededGenerator) -> [StoredValue] {
        plain.map { column in
            // Links are not covered by these tests.
            column.kind == .mixed ? .null : IndexValueTests.value(column, &generator)
        }
    }

    private func check(
        _ view: ClassView, _ values: [[StoredValue]], _ live: [Int],
        _ generator: inout SeededGenerator, _ seed: UInt64
    ) {
        for index in view.classSchema.composites {
            let parts = view.classSchema.columns[index.rawValue].parts.all
            let comment: Comment = "SEED=\(seed), \(parts)"
            for count in 1...parts.count {
                let (first, reversed) = (Array(parts.prefix(count)), Bool.random(using: &generator))
                let expected = live.sorted { a, b in
                    let order = Self.compare(values[a], values[b], first)
                    return order == 0 ? a < b : (order < 0) != reversed
                }
                var walked: [Int] = []
                view.range(index, equalTo: []).forEach(parts: count, ascending: !reversed) {
                    walked.append(Int($0.rawValue))
                    return true
                }
                #expect(walked == expected, comment)
            }
            for _ in 0..<20 {
                let like = values[live.randomElement(using: &generator) ?? 0]
                let count = Int.random(in: 0..<parts.count, using: &generator)
                checkRange(view, index, parts, count, like, values, live, &generator, comment)
            }
        }
    }

    private func checkRange(
        _ view: ClassView, _ index: ColumnID, _ parts: [IndexPart], _ count: Int,
        _ like: [StoredValue], _ values: [[StoredValue]], _ live: [Int],
        _ generator: inout SeededGenerator, _ comment: Comment
    ) {
        let fixed = parts.prefix(count).map { like[$0.column.rawValue] }
        let column = parts[count].column.rawValue
        let low = IndexValueTests.value(Self.plain[column], &generator)
        let high = values[live.randomElement(using: &generator) ?? 0][column]
        let same = live.filter {
            Self.compare(values[$0], like, Array(parts.prefix(count))) == 0
        }
        func rows(_ lower: IndexBound, _ upper: IndexBound) -> [Int] {
            var rows: [Int] = []
            view.range(index, equalTo: Array(fixed), from: lower, to: upper)
                .forEach { rows.append(Int($0.rawValue)) }
            return rows.sorted()
        }
        #expect(rows(.start, .end) == same, comment)
        #expect(
            rows(.before(low), .after(high))
                == same.filter { !(values[$0][column] < low) && !(high < values[$0][column]) },
            comment)
        #expect(
            rows(.after(low), .before(high))
                == same.filter { low < values[$0][column] && values[$0][column] < high }, comment)
        #expect(rows(.after(.null), .end) == same.filter { !values[$0][column].isNull }, comment)
        if Self.plain[column].kind == .string {
            for prefix in ["a", "a\0", "equal to eight", "\u{E9}"] {
                let expected = same.filter {
                    guard case .string(let text) = values[$0][column] else { return false }
                    return text.utf8.starts(with: prefix.utf8)
                }
                let found = rows(.before(.string(prefix)), .afterPrefix(.string(prefix)))
                #expect(found == expected, comment)
            }
        }
    }

    /// Rows that were equal before ended the search for equal rows of the transaction.
    @Test func olderDuplicatesHideNoNewOnes() throws {
        let plain = [ColumnSchema(name: "text", kind: .string)]
        var parts = IndexParts(isUnique: true)
        parts.append(ColumnID(0), plain[0], isDescending: false)
        let schema = StoreSchema(classes: [
            ClassSchema(name: "Row", columns: plain + [ColumnSchema(parts)])
        ])
        let tree = WorkingTree(schema: schema, account: NodeAccount())
        func add(_ text: String) {
            tree.set(.string(text), Self.row, tree.createRow(Self.row), ColumnID(0))
        }
        for _ in 0..<2 { add("a") }
        _ = tree.takeDelta()
        for number in 0..<100 { add("\(number)") }
        #expect(tree.duplicateValues() == nil)
        add("7")
        #expect(tree.duplicateValues()?.values == ["\"7\""])
    }

    /// Random commits on a unique index, compared with a model: which of them fail, and that failed
    /// ones leave nothing behind.
    @Test(arguments: testSeeds(4)) func duplicatesAreFoundWhereTheyAre(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let few: [StoredValue] = [
            .null, .double(.nan), .double(-0.0), .double(0), .double(1), .double(2),
        ]
        let texts: [StoredValue] = [
            .string(""), .string("\0"), .string("a"), .string("a\0"), .string("a\u{1}"),
            .string("eight by"), .string("eight by\0"),
        ]
        let plain = [
            ColumnSchema(name: "number", kind: .double, isNullable: true),
            ColumnSchema(name: "text", kind: .string),
        ]
        var parts = IndexParts(isUnique: true)
        parts.append(ColumnID(0), plain[0], isDescending: true)
        parts.append(ColumnID(1), plain[1], isDescending: false)
        let schema = StoreSchema(classes: [
            ClassSchema(name: "Row", columns: plain + [ColumnSchema(parts)])
        ])
        let tree = WorkingTree(schema: schema, account: NodeAccount())
        var rows: [RowKey: [StoredValue]] = [:]
        var failures = 0
        for number in 0..<600 {
            let before = tree.capture(version: .zero)
            let rowsBefore = rows
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let values = [
                    few.randomElement(using: &generator) ?? .null,
                    texts.randomElement(using: &generator) ?? .null,
                ]
                let known = rows.keys.sorted().randomElement(using: &generator)
                let choice = Int.random(in: 0..<6, using: &generator)
                if choice == 0, let known {
                    tree.delete(Self.row, [known])
                    rows[known] = nil
                    continue
                }
                let key = choice < 4 ? known ?? tree.createRow(Self.row) : tree.createRow(Self.row)
                rows[key] = values
                for column in 0..<2 {
                    tree.set(values[column], Self.row, key, ColumnID(column))
                }
            }
            let keys = rows.values.filter { !$0[0].isNull }.map { "\($0[0].orderedKey) \($0[1])" }
            let isTwice = Set(keys).count < keys.count
            let found = tree.duplicateValues()
            #expect((found != nil) == isTwice, "SEED=\(seed), \(number)")
            if let found {
                failures += 1
                let pair = [found.existing.row, found.rejected.row].compactMap {
                    rows[RowKey($0)]
                }
                #expect(pair.count == 2 && pair[0][1] == pair[1][1])
                #expect(found.columns == ["number", "text"] && found.className == "Row")
                tree.reset(to: before)
                rows = rowsBefore
            }
            _ = tree.takeDelta()
            #expect(tree.duplicateValues() == nil)
            let entries = tree.view.classView(Self.row).range(ColumnID(2), equalTo: [])
            #expect(entries.count == rows.count)
        }
        #expect(failures > 20, "SEED=\(seed)")
    }
}

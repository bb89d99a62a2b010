import Foundation
import RealmActors
import Storage
import StorageHarness
import Testing

/// Sorts whose first digits say nothing, or whose texts are alike for long.
@Suite struct SortTieTests {
    /// The first of a class were looked for by discarding rows whose first eight bytes came too
    /// late. Where all tied, as URLs do, none were discarded, and all were sorted again for each
    /// row: 100,000 rows took 12 seconds.
    @Test(.timeLimit(.minutes(10))) func theFirstOfManyThatTieAreFoundInOnePass() throws {
        let schema = StoreSchema(classes: [
            ClassSchema(
                name: "Row",
                columns: [
                    ColumnSchema(name: "url", kind: .string),
                    ColumnSchema(name: "flag", kind: .bool),
                    ColumnSchema(name: "nothing", kind: .int, isNullable: true),
                    ColumnSchema(name: "price", kind: .decimal),
                ])
        ])
        let (id, count) = (ClassID(0), 60_000)
        let tree = WorkingTree(schema: schema, account: NodeAccount())
        for number in 0..<count {
            let key = tree.createRow(id)
            let place = number * 7919 % count
            tree.set(.string("https://example.com/\(1_000_000 + place)"), id, key, ColumnID(0))
            tree.set(
                .decimal(
                    DecimalBits(
                        isNegative: false, coefficient: UInt128(1000 + place), exponent: -2)),
                id, key, ColumnID(3))
        }
        let binding = RowQuerySchema(store: schema)
        func first(_ name: String, _ ascending: Bool, _ limit: Int) throws -> [Int] {
            let path = try binding.bindSingle([name], in: id)
            return ResultsQuery(all: id)
                .adding(.sort([SortKey(path: path, ascending: ascending)]))
                .adding(.limit(limit)).evaluate(in: tree.view).map { Int($0.rawValue) }
        }
        let byPlace = (0..<count).sorted { $0 * 7919 % count < $1 * 7919 % count }
        for name in ["url", "price"] {
            #expect(try first(name, true, 20) == Array(byPlace.prefix(20)))
            #expect(try first(name, false, 1) == Array(byPlace.suffix(1)))
            #expect(try first(name, false, 3000) == Array(byPlace.reversed().prefix(3000)))
        }
        for name in ["flag", "nothing"] {
            for ascending in [true, false] {
                #expect(try first(name, ascending, 20) == Array(0..<20))
            }
        }
        withExtendedLifetime(tree) {}
    }

    /// A run of ties was sorted by a call for each eight bytes of the texts in it: two equal texts
    /// of 6 KB overflowed a small stack.
    @Test func longEqualTextsNeedNoStack() async throws {
        let found = await onSmallStack { () -> [[Int]] in
            let schema = StoreSchema(classes: [
                ClassSchema(
                    name: "Row",
                    columns: [
                        ColumnSchema(name: "text", kind: .string, isNullable: true),
                        ColumnSchema(name: "data", kind: .data),
                        ColumnSchema(name: "number", kind: .int),
                    ])
            ])
            let tree = WorkingTree(schema: schema, account: NodeAccount())
            let long = String(repeating: "0123456789abcdef", count: 20_000)
            let texts: [String?] = [
                long + "b", long, long + "a", nil, long, long + "\0", String(long.dropLast()),
                long + "b", "x" + long, long + "0123456\0",
            ]
            for (number, text) in texts.enumerated() {
                let key = tree.createRow(ClassID(0))
                let value = text.map { StoredValue.string($0) } ?? .null
                tree.set(value, ClassID(0), key, ColumnID(0))
                tree.set(.data(Data((text ?? "").utf8)), ClassID(0), key, ColumnID(1))
                tree.set(.int(Int64(-number)), ClassID(0), key, ColumnID(2))
            }
            let binding = RowQuerySchema(store: schema)
            return ["text", "data"].flatMap { name in
                [true, false].compactMap { ascending in
                    guard let path = try? binding.bindSingle([name], in: ClassID(0)),
                        let number = try? binding.bindSingle(["number"], in: ClassID(0))
                    else { return nil }
                    let keys = [
                        SortKey(path: path, ascending: ascending),
                        SortKey(path: number, ascending: true),
                    ]
                    return ResultsQuery(all: ClassID(0)).adding(.sort(keys))
                        .evaluate(in: tree.view).map { Int($0.rawValue) }
                }
            }
        }
        let ascending = [3, 6, 4, 1, 5, 9, 2, 7, 0, 8]
        let descending = [8, 7, 0, 2, 9, 5, 4, 1, 6, 3]
        #expect(found == [ascending, descending, ascending, descending])
    }

    /// Each key was one call within the one before it.
    @Test func manyKeysNeedNoStack() async throws {
        let found = await onSmallStack { () -> [Int] in
            let columns = (0..<300).map { ColumnSchema(name: "c\($0)", kind: .int) }
            let schema = StoreSchema(classes: [
                ClassSchema(
                    name: "Row", columns: columns + [ColumnSchema(name: "mixed", kind: .mixed)])
            ])
            let tree = WorkingTree(schema: schema, account: NodeAccount())
            for number in 0..<5 {
                let key = tree.createRow(ClassID(0))
                tree.set(.int(Int64(-number)), ClassID(0), key, ColumnID(299))
                tree.set(.int(7), ClassID(0), key, ColumnID(300))
            }
            let binding = RowQuerySchema(store: schema)
            let names = ["mixed"] + columns.map(\.name) + ["mixed", "c0"]
            let keys = names.compactMap { name in
                (try? binding.bindSingle([name], in: ClassID(0))).map {
                    SortKey(path: $0, ascending: true)
                }
            }
            return ResultsQuery(all: ClassID(0)).adding(.sort(keys)).evaluate(in: tree.view)
                .map { Int($0.rawValue) }
        }
        #expect(found == [4, 3, 2, 1, 0])
    }

    @Test func keysOfAQueryAreLimited() async throws {
        try await Ships.check { ships in
            let names = Array(repeating: "name", count: 10_000).joined(separator: ",")
            for text in ["TRUEPREDICATE SORT(\(names))", "TRUEPREDICATE DISTINCT(\(names))"] {
                #expect(throws: RealmError.self) { try ships.find(text) }
            }
        }
        try await withFreshRealm(Ships.types) { realm in
            try await realm.write { tx in try Ships.fill(tx) }
            let descriptors = (0..<20_000).map {
                SortDescriptor(keyPath: $0 % 2 == 0 ? "masts" : "number", ascending: $0 == 0)
            }
            let sorted = try realm.objects(Ship.self).sorted(by: descriptors)
            #expect(sorted.map(\.number) == [2, 0, 3, 1])
        }
    }

    /// Random sorts, where few different values make most rows tie, against a stable sort.
    @Test func sortsOfTiesAgreeWithTheNaiveOnes() throws {
        var random = RandomQueries()
        let seed = random.random.seed
        let (tree, rows) = random.fill(9_000, tying: true)
        let schema = RowQuerySchema(store: random.schema)
        for number in 0..<6 {
            let (keys, names) = try random.sortKeys(number % 3 + 1, schema)
            let expected = rows.indices.sorted { a, b in
                for (name, ascending) in names {
                    let order = NaiveRow.order(
                        rows[a].values[name] ?? .null, rows[b].values[name] ?? .null)
                    if order != 0 { return (order < 0) == ascending }
                }
                return a < b
            }
            let limit = [1, 20, 900, 3_000, 9_000][number % 5]
            let found = ResultsQuery(all: ClassID(0)).adding(.sort(keys)).adding(.limit(limit))
                .evaluate(in: tree.view).map { Int($0.rawValue) }
            #expect(found == Array(expected.prefix(limit)), "SEED=\(seed), \(names), \(limit)")
            if found != Array(expected.prefix(limit)) { break }
        }
        withExtendedLifetime(tree) {}
    }
}

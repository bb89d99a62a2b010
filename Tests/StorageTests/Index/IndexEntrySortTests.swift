import StorageHarness
import Testing

@testable import Storage

/// Any number of pending index entries is sorted in the order of the index.
@Suite struct IndexEntrySortTests {
    /// Keys with one to eight differing bytes and many duplicates, below and above the size from
    /// which the radix sort is used, with rows in any order.
    @Test(arguments: [2, 511, 512, 513, 5000]) func entriesAscendByKeyValueAndRow(_ count: Int) {
        for seed in 0..<20 {
            var random = SeededGenerator(seed: UInt64(seed))
            let spans: [UInt64] = [0, 1, 200, 70_000, 1 << 40, .max]
            let span = spans[seed % spans.count]
            var rows = (0..<count).map { Int64($0) << Int64(seed % 3 * 20) }
            if seed % 2 == 1 { rows.shuffle(using: &random) }
            // For ambiguous keys, the values decide before the rows.
            let values = Dictionary(
                uniqueKeysWithValues: rows.map { ($0, Int.random(in: 0...4, using: &random)) })
            let isExact = { (key: UInt64) in key % 2 == 0 }
            let tie = { (a: IndexEntry, b: IndexEntry) in
                (values[a.row] ?? 0) - (values[b.row] ?? 0)
            }
            var entries = rows.map { row in
                IndexEntry(key: UInt64.random(in: 0...span, using: &random), row: row)
            }
            var expected = entries
            expected.sort { a, b in
                if a.key != b.key { return a.key < b.key }
                let difference = isExact(a.key) ? 0 : tie(a, b)
                return difference == 0 ? a.row < b.row : difference < 0
            }
            entries.sort(exact: isExact, tie: tie)
            #expect(entries == expected, "seed \(seed)")
        }
    }

    @Test func nothingAndOneAreInOrder() {
        var none: [IndexEntry] = []
        none.sort(exact: { _ in true }, tie: { _, _ in 0 })
        #expect(none.isEmpty)
        var one = [IndexEntry(key: 7, row: 3)]
        one.sort(exact: { _ in false }, tie: { _, _ in 0 })
        #expect(one == [IndexEntry(key: 7, row: 3)])
    }
}

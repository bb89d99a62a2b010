import Storage
import StorageHarness
import Testing

@Suite("Sorting by bytes")
struct RadixSortTests {
    private struct Entry: BitwiseCopyable, Equatable {
        let key: UInt64
        let row: Int
    }

    /// Keys whose highest byte is nearly always the same, and keys that differ in every byte; fewer
    /// than fit into a cache, and more.
    @Test(
        "Entries of one key stay in their order",
        arguments: [3, 700, 40_000, 100_000], [UInt64.max, 0xFF00_0000_0000_001F, 0x3, 0x0101_0100])
    func stable(count: Int, bits: UInt64) {
        var generator = SeededGenerator(seed: UInt64(count) ^ bits)
        var entries = (0..<count).map { row in
            let key = UInt64.random(in: 0...(.max), using: &generator) & bits
            return Entry(key: row % 50 == 0 ? key : key & 0x00FF_FFFF_FFFF_FFFF, row: row)
        }
        let expected = entries.sorted { ($0.key, $0.row) < ($1.key, $1.row) }
        // Unsafe: lent for the call, which leaves every entry initialized.
        entries.withUnsafeMutableBufferPointer { RadixSort.sort($0) { $0.key } }
        #expect(entries == expected)
    }
}

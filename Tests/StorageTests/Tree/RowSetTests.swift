import StorageHarness
import Testing

@testable import Storage

@Suite struct RowSetTests {
    /// Close and distant keys, in any order, including rows that the set was not created for.
    @Test func holdsWhatASetWould() {
        var random = SeededGenerator(seed: 7)
        for spread in [1, 50, 1 << 40, Int64.max] {
            let base = Int64.random(in: 0...(Int64.max - spread), using: &random)
            let rows = (0..<500).map { _ in
                RowKey(base + Int64.random(in: 0...spread, using: &random))
            }
            var set = RowSet(expecting: Array(rows.prefix(300)))
            var model: Set<RowKey> = []
            #expect(set.isEmpty)
            for row in rows + rows.prefix(50) {
                #expect(set.insert(row) == model.insert(row).inserted)
            }
            for row in rows { #expect(set.contains(row)) }
            for _ in 0..<500 {
                let row = RowKey(Int64.random(in: 0...Int64.max, using: &random))
                let near = RowKey((rows.randomElement(using: &random) ?? row).rawValue ^ 1)
                #expect(set.contains(row) == model.contains(row))
                #expect(set.contains(near) == model.contains(near))
            }
            #expect(!set.isEmpty)
        }
        #expect(!RowSet([]).contains(RowKey(0)))
        #expect(RowSet([RowKey(.min), RowKey(.max)]).contains(RowKey(.max)))
    }

    @Test func deletedRowsInAnyOrder() {
        var random = SeededGenerator(seed: 8)
        for isShuffled in [false, true] {
            var keys = (0..<300).map { Int64($0) * 3 }
            if isShuffled { keys.shuffle(using: &random) }
            var rows = DeletedRows()
            for key in keys {
                rows.insert(key)
                rows.insert(key)
            }
            #expect(rows.count == 300 && !rows.isEmpty)
            #expect(rows.sorted() == keys.sorted())
            for key in Int64(0)..<900 { #expect(rows.contains(key) == (key % 3 == 0)) }
        }
        #expect(DeletedRows().isEmpty && !DeletedRows().contains(0))
    }
}

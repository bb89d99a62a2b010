import StorageHarness
import Testing

@testable import Storage

@Suite struct SortedTableTests {
    /// Compared with a dictionary that gets the same changes.
    @Test func isADictionary() {
        for seed in testSeeds(20) {
            var generator = SeededGenerator(seed: seed)
            var table = SortedTable<Int, Int>()
            var model: [Int: Int] = [:]
            for step in 0..<300 {
                let key = Int.random(in: 0..<40, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0:
                    table[key] = nil
                    model[key] = nil
                case 1:
                    table[key, default: 100] += step
                    model[key, default: 100] += step
                case 2:
                    let updated = table.update(key) { value in
                        value += step
                        return value
                    }
                    if let old = model[key] { model[key] = old + step }
                    #expect(updated == model[key], "SEED=\(seed)")
                default:
                    table[key] = step
                    model[key] = step
                }
                #expect(table[key] == model[key], "SEED=\(seed)")
            }
            #expect(table.keys == model.keys.sorted(), "SEED=\(seed)")
            #expect(table.values == table.keys.map { model[$0] }, "SEED=\(seed)")
            #expect(table.first?.key == model.keys.min(), "SEED=\(seed)")
            #expect(table.last?.key == model.keys.max(), "SEED=\(seed)")
            #expect(table.count == model.count && table.isEmpty == model.isEmpty)
        }
    }
}

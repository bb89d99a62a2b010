import StorageHarness
import Testing

@testable import Storage

@Suite struct TouchedRowsTests {
    @Test(arguments: [true, false])
    func rowsAreReturnedInAscendingOrder(ascending: Bool) {
        for seed in testSeeds(20) {
            var random = SeededGenerator(seed: seed)
            var keys = (0..<300).map { _ in Int64(random.next(below: 5000)) }
            if ascending { keys.sort() }
            var touched = TouchedRows(columns: 3)
            var expected: [Set<Int64>] = [[], [], []]
            for key in keys {
                let column = random.next(below: 2)
                touched.insert(key, column)
                expected[column].insert(key)
            }
            for column in 0..<3 {
                let rows = touched.rows(column).map(\.rawValue)
                #expect(rows == expected[column].sorted(), "SEED=\(seed)")
                #expect(touched.count(column: column) == rows.count)
            }
        }
    }
}

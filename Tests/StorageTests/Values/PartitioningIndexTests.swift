import Storage
import Testing

@Suite struct PartitioningIndexTests {
    /// Every partition of every short range, including those with an empty part.
    @Test(arguments: 0..<9) func theFirstIndexOfTheSecondPartIsFound(count: Int) {
        for first in 0...count {
            let range = 3..<3 + count
            #expect(range.partitioningIndex { $0 >= 3 + first } == 3 + first)
        }
    }
}

import StorageHarness
import Testing

@testable import Storage

/// Positions as runs of neighbours.
@Suite struct PositionRunsTests {
    @Test func runsHaveThePositionsThatAnArrayHas() {
        for seed in testSeeds(40) {
            var random = SeededGenerator(seed: seed)
            var plain: [Int] = []
            var runs = PositionRuns()
            for _ in 0..<60 {
                let position = random.next(below: 20)
                switch random.next(below: 4) {
                case 0:
                    runs.add(position)
                    if !plain.contains(position) { plain.append(position) }
                case 1:
                    runs.insert(position)
                    plain = plain.map { $0 < position ? $0 : $0 + 1 } + [position]
                case 2:
                    runs.openGap(at: position)
                    plain = plain.map { $0 < position ? $0 : $0 + 1 }
                default:
                    runs.closeGap(at: position)
                    plain = plain.filter { $0 != position }.map { $0 < position ? $0 : $0 - 1 }
                }
                plain.sort()
                #expect(runs.positions == plain, "SEED=\(seed)")
                // Neighbours are in one run, whatever the order in which they came.
                #expect(runs == PositionRuns(plain), "SEED=\(seed)")
                let sought = random.next(below: 20)
                #expect(runs.contains(sought) == plain.contains(sought), "SEED=\(seed)")
                let below = plain.filter { $0 < sought }
                #expect(runs.count(below: sought) == below.count, "SEED=\(seed)")
                let absent = (0..<20 + plain.count).filter { !plain.contains($0) }
                #expect(runs.position(ofAbsent: sought) == absent[sought], "SEED=\(seed)")
            }
        }
    }

    /// A damaged record may have any positions.
    @Test func positionsThatNoEditHasStayWhatTheyAre() {
        for positions: [Int] in [[5, 3, 3], [.max, .min], [.min, .max]] {
            #expect(PositionRuns(positions).positions == positions)
        }
    }
}

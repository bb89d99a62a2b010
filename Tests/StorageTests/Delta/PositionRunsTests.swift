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
                // Neighbours are in one run, in whatever order they were added.
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

    /// Each change visited all later runs, which took minutes for a map that gets hundreds of
    /// thousands of keys in one write. Runs are in blocks; here there are several.
    @Test func manyRunsHaveThePositionsThatAnArrayHas() {
        for seed in testSeeds(2) {
            var random = SeededGenerator(seed: seed)
            var plain: [Int] = []
            var runs = PositionRuns()
            for step in 0..<2_600 {
                var position = random.next(below: 8_000)
                let change = random.next(below: step < 1_600 ? 3 : 5)
                if change == 4, !plain.isEmpty { position = plain[position % plain.count] }
                let place = plain.firstIndex { $0 >= position } ?? plain.count
                let isThere = place < plain.count && plain[place] == position
                switch change {
                case 0:
                    runs.add(position)
                    if !isThere { plain.insert(position, at: place) }
                case 1:
                    runs.insert(position)
                    for later in place..<plain.count { plain[later] += 1 }
                    plain.insert(position, at: place)
                case 2:
                    runs.openGap(at: position)
                    for later in place..<plain.count { plain[later] += 1 }
                default:
                    runs.closeGap(at: position)
                    if isThere { plain.remove(at: place) }
                    for later in place..<plain.count { plain[later] -= 1 }
                }
                #expect(runs.contains(position) == plain.contains(position), "SEED=\(seed)")
                #expect(runs.count(below: position) == place, "SEED=\(seed)")
                if step % 50 > 0 { continue }
                #expect(runs.positions == plain, "SEED=\(seed)")
                #expect(runs == PositionRuns(plain), "SEED=\(seed)")
            }
            while let position = plain.popLast() { runs.closeGap(at: position) }
            #expect(runs.isEmpty && runs == PositionRuns())
        }
    }

    /// A damaged record may have any positions.
    @Test func outOfRangePositionsAreUnchanged() {
        for positions: [Int] in [[5, 3, 3], [.max, .min], [.min, .max]] {
            #expect(PositionRuns(positions).positions == positions)
        }
    }
}

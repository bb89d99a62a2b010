import Foundation
import Testing

/// Random work of several processes with handovers, in each of which calls of the disk fail.
@Suite struct HandoverModelTests {
    /// `HANDOVER_SEEDS` in the environment sets the number of seeds, `SEED` the first one.
    @Test func nothingIsLostBetweenProcesses() async {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["HANDOVER_SEEDS"].flatMap { UInt64($0) } ?? 10
        let first = environment["SEED"].flatMap { UInt64($0) } ?? 1
        let (faults, handovers) = await withTaskGroup(of: (Int, Int).self) { group in
            for seed in first..<first + count {
                group.addTask {
                    var model = HandoverModel(seed: seed)
                    await model.run(steps: 150)
                    for problem in model.problems { Issue.record("seed \(seed), \(problem)") }
                    return (model.faultCount, model.handoverCount)
                }
            }
            return await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.0, $0.1 + $1.1) }
        }
        #expect(faults > count)
        #expect(handovers > count)
    }
}

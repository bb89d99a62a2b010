import Storage
import StorageHarness

extension Campaign {
    /// The power fails after every single call of the fixed work.
    static let crashPoints = Campaign(
        id: "C1", title: "crash after every call", unit: "recoveries",
        seeds: { try FixedWork.countCalls(rounds: 3) }, shortCount: { Int.max }
    ) { seed, options in
        let disk = SimulatedDisk()
        // A disk that answers nothing any more is as it was after the last call that it answered.
        disk.inject(.init(.inputOutput, call: Int(seed) + 2, isLasting: true))
        let store = CrashStore(disk, seed: FixedWork.seed)
        try FixedWork.runToFailure(store, rounds: 3)
        for number in 0..<options.images {
            let policy: CrashPolicy =
                number == 0 ? .nothing : number == 1 ? .everything : .random
            let imageSeed = seed &* 1_000 &+ UInt64(number)
            do {
                try Recovery.check(
                    disk.crashImage(seed: imageSeed, policy), store.oracle, seed: imageSeed)
            } catch {
                throw Violation("image \(number), \(policy): \(error)")
            }
        }
        return options.images
    }
}

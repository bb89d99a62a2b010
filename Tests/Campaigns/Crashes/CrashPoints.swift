import Storage
import StorageHarness

extension Campaign {
    /// The power fails after every single call of the fixed works that modifies the disk.
    static let crashPoints = Campaign(
        id: "C1", title: "crash after every call", unit: "recoveries",
        shortCount: { try await crashPlaces.count(works: 1) }
    ) { seed, options in
        let (work, call) = try await crashPlaces.find(Int(seed))
        let disk = SimulatedDisk()
        // A disk that fails from a call on has the state after the previous call.
        disk.inject(.init(.inputOutput, call: call + 1, isLasting: true))
        let store = try await work.runToFailure(disk)
        for number in 0..<options.images {
            let policy: CrashPolicy =
                number == 0 ? .nothing : number == 1 ? .everything : .random
            let imageSeed = seed &* 1_000 &+ UInt64(number)
            do {
                try await Recovery.check(
                    disk.crashImage(seed: imageSeed, policy), store.oracle, seed: imageSeed,
                    options: work.options)
            } catch {
                throw Violation("image \(number), \(policy): \(error)")
            }
        }
        return options.images
    }

    /// Calls, counted from 1, after which the disk has another state than before.
    private static let crashPlaces = WorkPlaces<Int> { calls in
        calls.indices.filter { calls[$0].changesDisk }.map { $0 + 1 }
    }
}

extension IOOperation {
    fileprivate var changesDisk: Bool {
        switch self {
        case .open, .write, .allocate, .truncate, .sync, .createDirectory, .rename, .link,
            .remove, .syncDirectory:
            true
        case .size, .read, .list, .lock: false
        }
    }
}

import Storage
import StorageHarness

extension Campaign {
    /// Every call of the fixed works fails, once and permanently, in every possible way.
    static let diskFailures = Campaign(
        id: "C3", title: "an error at every call", unit: "runs",
        shortCount: { try await failurePlaces.count(works: 1) }
    ) { seed, _ in
        // Some runs use real files, with interrupted and short system calls.
        if seed % 40 == 39 {
            return try await withTemporaryDirectory { root in
                _ = try await UneasyCalls.run(seed: seed, in: root)
                return 1
            }
        }
        let (work, fault) = try await failurePlaces.find(Int(seed))
        let disk = SimulatedDisk()
        disk.inject(fault)
        let store = try await work.runToFailure(disk)
        // Opened again at once, or after a power failure as well.
        disk.resetCalls()
        if (fault.call + Int(work.seed)).isMultiple(of: 2) { disk.crash(seed: seed) }
        let oracle = try await Recovery.check(
            disk, store.oracle, seed: seed, options: work.options)
        // Everything that the second opening has reported is on the disk, not only in its cache.
        disk.crash(seed: seed, .nothing)
        try await Recovery.check(disk, oracle, seed: seed, options: work.options)
        return 1
    }

    /// Every fault that has an effect.
    private static let failurePlaces = WorkPlaces<SimulatedDisk.Fault> { calls in
        calls.indices.flatMap { index in
            SimulatedDisk.Fault.Kind.allCases.filter { $0.harms(calls[index]) }.flatMap { kind in
                [false, true].map { .init(kind, call: index + 1, isLasting: $0) }
            }
        }
    }
}

extension SimulatedDisk.Fault.Kind {
    /// Whether a call with the fault fails.
    fileprivate func harms(_ operation: IOOperation) -> Bool {
        switch self {
        case .inputOutput: true
        case .noSpace: operation.takesSpace
        case .shortWrite: operation == .write
        case .failedSync: operation == .sync
        }
    }
}

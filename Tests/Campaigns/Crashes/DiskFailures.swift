import Storage
import StorageHarness

/// A way for a call to fail.
private struct FailureKind {
    var fault: SimulatedDisk.Fault.Kind
    var isLasting: Bool

    static let all = SimulatedDisk.Fault.Kind.allCases.flatMap { kind in
        [false, true].map { FailureKind(fault: kind, isLasting: $0) }
    }
}

extension Campaign {
    /// Every call of the fixed work fails, once and for ever, in every way; then, in further
    /// rounds, every call of work like it.
    static let diskFailures = Campaign(
        id: "C3", title: "an error at every call", unit: "runs",
        shortCount: { try tableCount.get() }
    ) { seed, _ in
        // Some runs go to real files, with system calls that are interrupted and cut short.
        if seed % 40 == 39 {
            return try await withTemporaryDirectory { root in
                _ = try UneasyCalls.run(seed: seed, in: root)
                return 1
            }
        }
        let (round, entry) = (
            Int(seed) / (try tableCount.get()), Int(seed) % (try tableCount.get())
        )
        let kind = FailureKind.all[entry % FailureKind.all.count]
        let call = entry / FailureKind.all.count + 1
        let disk = SimulatedDisk()
        disk.inject(.init(kind.fault, call: call, isLasting: kind.isLasting))
        let store = CrashStore(disk, seed: FixedWork.seed + UInt64(round))
        try FixedWork.runToFailure(store, rounds: 1)
        // Opened again at once, or after the machine stopped as well.
        disk.resetCalls()
        if (call + round).isMultiple(of: 2) { disk.crash(seed: seed) }
        let oracle = try Recovery.check(disk, store.oracle, seed: seed)
        // What the second opening promised is on the disk, not only in its cache.
        disk.crash(seed: seed, .nothing)
        try Recovery.check(disk, oracle, seed: seed)
        return 1
    }

    /// Calls of the fixed work, times the ways for each to fail.
    private static let tableCount = Result {
        try FixedWork.countCalls(rounds: 1) * FailureKind.all.count
    }
}

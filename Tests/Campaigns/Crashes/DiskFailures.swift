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
    /// Every call of the fixed work fails, once and for ever, in every way.
    static let diskFailures = Campaign(
        id: "C3", title: "an error at every call", unit: "runs",
        seeds: { try tableCount.get() + uneasyCount }, shortCount: .max
    ) { seed, _ in
        if Int(seed) >= (try tableCount.get()) {
            return try await withTemporaryDirectory { root in
                _ = try UneasyCalls.run(seed: seed, in: root)
                return 1
            }
        }
        let kind = FailureKind.all[Int(seed) % FailureKind.all.count]
        let call = Int(seed) / FailureKind.all.count + 1
        let disk = SimulatedDisk()
        disk.fail(kind.fault, call: call, isLasting: kind.isLasting)
        let store = CrashStore(disk, seed: FixedWork.seed)
        try FixedWork.runToFailure(store)
        // Opened again at once, or after the machine stopped as well.
        disk.resetCalls()
        if call.isMultiple(of: 2) { disk.crash(seed: seed) }
        let oracle = try Recovery.check(disk, store.oracle, seed: seed)
        // What the second opening promised is on the disk, not only in its cache.
        disk.crash(seed: seed, .nothing)
        try Recovery.check(disk, oracle, seed: seed)
        return 1
    }

    /// Calls of the fixed work, times the ways for each to fail.
    private static let tableCount = Result {
        try FixedWork.countCalls() * FailureKind.all.count
    }
    /// Behind those: runs on real files, with system calls interrupted and cut short.
    private static let uneasyCount = 200
}

package import Storage

/// Random work on the simulated disk, cut off at a random call, more than once. What is left after
/// each cut must be what the oracle allows.
package struct PowerLoss: Sendable {
    /// What stands between the store and the disk; a canary puts a liar there.
    package var files: @Sendable (SimulatedDisk) -> any FileSystem = { $0 }
    package var options = CrashStore.smallSegments
    /// Whether some seeds run a relaxed store.
    package var includesRelaxed = true
    /// Whether commits count as stored when they are only written: a canary.
    package var acknowledgesEarly = false
    /// Whether too early calls are violations; a canary can be left to the crashes alone.
    package var checksOrder = true
    /// How often the recovery from a cut is itself cut off.
    package var depth = 0
    /// Called with each event, to examine a seed that fails.
    package var trace: (@Sendable (String) -> Void)?

    package init() {}

    package func run(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var options = options
        let isRelaxed = random.oneIn(4) && includesRelaxed
        if isRelaxed || acknowledgesEarly { options.durability = .written }
        let disk = SimulatedDisk()
        var oracle = Oracle()
        for _ in 0...random.next(below: 3) {
            let calls = random.oneIn(3) ? 40 : 500
            oracle = try await session(disk, oracle, options, calls: calls, &random)
            cut(disk, &random)
            for _ in 0..<depth {
                oracle = try await session(disk, oracle, options, calls: 40, &random)
                cut(disk, &random)
            }
            oracle = try await Recovery.check(
                files(disk), oracle, seed: random.next(), options: options)
            if random.oneIn(2) { disk.crash(seed: random.next()) }
        }
    }

    /// Opens and works until the disk fails or enough is done.
    private func session(
        _ disk: SimulatedDisk, _ oracle: Oracle, _ options: LogOptions, calls: Int,
        _ random: inout SeededGenerator
    ) async throws -> Oracle {
        disk.resetCalls()
        let kinds = SimulatedDisk.Fault.Kind.allCases
        // A power cut is a disk that answers nothing any more.
        let isPowerCut = random.oneIn(2)
        let kind = isPowerCut ? .inputOutput : kinds[random.next(below: kinds.count)]
        let call = 1 + random.next(below: calls)
        disk.inject(.init(kind, call: call, isLasting: isPowerCut || random.oneIn(2)))
        trace?(
            "session: \(options.durability), \(kind), power cut: \(isPowerCut),"
                + " \(oracle.acknowledged) to \(oracle.submitted)")
        let order = OrderChecker(
            disk, isRelaxed: options.durability == .written && !acknowledgesEarly,
            trace: trace)
        let store = CrashStore(
            files(disk), oracle: oracle, seed: random.next(), options: options,
            acknowledgesEarly: acknowledgesEarly, onPublish: { order.published() })
        do {
            try store.open()
            for _ in 0..<random.next(below: 30) {
                let step = store.anyStep()
                trace?("step: \(step)")
                try await store.run(step)
            }
            if random.oneIn(3) { try await store.close() }
        } catch let error as StorageError where error.isDiskFailure {
            // The store refuses from here on; what it published can still be read.
            try store.checkLatestAfterFailure()
        }
        await store.abandon()
        disk.observe(nil)
        if checksOrder { try order.finish() }
        return store.oracle
    }

    /// The machine stops, or only the process.
    private func cut(_ disk: SimulatedDisk, _ random: inout SeededGenerator) {
        if random.oneIn(4) {
            trace?("the process ends")
            disk.resetCalls()
        } else {
            let policies = CrashPolicy.allCases
            let policy = random.oneIn(3) ? policies[random.next(below: policies.count)] : .random
            trace?("the power fails: \(policy)")
            disk.crash(seed: random.next(), policy)
        }
    }
}

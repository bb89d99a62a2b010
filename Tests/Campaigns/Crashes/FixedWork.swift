import Storage
import StorageHarness

/// Work that is the same in every run, call by call, with everything that a store does in it.
enum FixedWork {
    static let seed: UInt64 = 20

    private static let steps: [CrashStore.Step] = (0..<30).flatMap { number -> [CrashStore.Step] in
        let commit: CrashStore.Step = number % 5 == 4 ? .group : .transaction
        switch number {
        case 3, 17: return [commit, .pin]
        case 6, 22: return [commit, .undo]
        case 9, 21, 29: return [commit, .checkpoint]
        case 12: return [commit, .migrate]
        case 15, 27: return [commit, .unpin]
        case 18, 28: return [commit, .compact]
        case 19: return [commit, .verify]
        case 25: return [commit, .reopen]
        default: return [commit]
        }
    }

    /// Does all of it `rounds` times.
    static func run(_ store: CrashStore, rounds: Int) throws {
        try store.open()
        for _ in 0..<rounds {
            for step in steps { try store.run(step) }
        }
        try store.close()
    }

    /// Runs until the disk fails; what is published can be read then as before.
    static func runToFailure(_ store: CrashStore, rounds: Int) throws {
        do {
            try run(store, rounds: rounds)
        } catch let error as StorageError where error.isDiskFailure {
            try store.checkLatestAfterFailure()
        }
        store.abandon()
    }

    /// Calls of a run in which nothing fails.
    static func countCalls(rounds: Int) throws -> Int {
        let disk = SimulatedDisk()
        try run(CrashStore(disk, seed: seed), rounds: rounds)
        return disk.callCount
    }
}

import Foundation
import StorageHarness

extension Campaign {
    /// Hosts that are processes write one realm on a PostgreSQL with two standbys, each on a
    /// separate machine; some of them are disconnected, killed and stopped, and their clocks are
    /// changed.
    static let servers = Campaign(
        id: "C27", title: "hosts of real servers that fail", unit: "faults", shortCount: { 3 }
    ) { seed, options in
        #if os(Linux) && PostgreSQL
            let faults = try await withTemporaryDirectory { folder in
                try await ServerCase(seed: seed, folder: folder).run(options.isVerbose)
            }
            if faults == nil, seed == 0 {
                say("C27: needs root, namespaces of the network and a PostgreSQL server, SKIPPED")
            } else if seed == 0, !MachineClocks.isPossible {
                say("C27: jumps of the clock need cc, SKIPPED")
            }
            return faults ?? 0
        #else
            if seed == 0 { say("C27: needs Linux and the trait PostgreSQL, SKIPPED") }
            return 0
        #endif
    }
}

#if os(Linux) && PostgreSQL
    /// One run of a cluster.
    private struct ServerCase: Sendable {
        let seed: UInt64
        let folder: String

        /// Those of all runs of this process.
        private static let failoverTimes = FailoverTimes()

        /// The first one is short; of ten, one has a cluster that waits for no standby, and one has
        /// hosts with faults.
        private var kind: ServerLife.Kind {
            switch seed % 10 {
            case 1: .loss
            case 2: .mistakes
            case 3: .promotions(6)
            default: .faults(seed == 0 ? 6 : 20)
            }
        }

        /// The number of faults; nil if none can be injected.
        func run(_ isVerbose: Bool) async throws -> Int? {
            guard getuid() == 0, PostgresServer.isInstalled else { return nil }
            // Waits for processes: not for the cooperative pool.
            return try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try life(isVerbose) })
                }
            }
        }

        private func life(_ isVerbose: Bool) throws -> Int? {
            // The user of the servers needs access.
            try Program.run(["/bin/chmod", "755", folder])
            guard
                let life = try ServerLife(seed: seed, folder: folder, kind, isVerbose: isVerbose)
            else { return nil }
            let faults = try life.run()
            if let line = Self.failoverTimes.add(life.failovers) { say("C27: \(line)") }
            return faults
        }
    }
#endif

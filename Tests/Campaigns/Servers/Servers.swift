import Foundation
import StorageHarness

extension Campaign {
    /// Hosts that are processes write one realm on a PostgreSQL with two standbys, each on a
    /// machine of its own, of which some are cut off, killed and stopped, and whose clocks jump.
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
    /// One life of a cluster.
    private struct ServerCase: Sendable {
        let seed: UInt64
        let folder: String

        /// Those of all lives of this run.
        private static let failoverTimes = FailoverTimes()

        /// The first one is short; of ten, one is of a cluster that waits for no standby, and one
        /// of hosts that make mistakes.
        private var kind: ServerLife.Kind {
            switch seed % 10 {
            case 1: .loss
            case 2: .mistakes
            default: .faults(seed == 0 ? 6 : 20)
            }
        }

        /// How many faults there were; nil where there cannot be any.
        func run(_ isVerbose: Bool) async throws -> Int? {
            guard getuid() == 0, PostgresServer.isInstalled else { return nil }
            // Waits for processes, and so it is not for the cooperative pool.
            return try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try life(isVerbose) })
                }
            }
        }

        private func life(_ isVerbose: Bool) throws -> Int? {
            // The user of the servers has to get there.
            try Program.run(["/bin/chmod", "755", folder])
            guard
                let life = try ServerLife(seed: seed, folder: folder, kind, isVerbose: isVerbose)
            else { return nil }
            let faults = try life.run()
            if let line = Self.failoverTimes.add(life.failoverTimes) { say("C27: \(line)") }
            return faults
        }
    }
#endif

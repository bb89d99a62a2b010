#if os(Linux) && PostgreSQL
    import Foundation
    import Storage
    import StorageHarness

    /// The hosts of one realm, and the check of their reports.
    final class HostGroup {
        /// After those of the servers.
        static let machines = 4..<7
        /// The host that reads the log at the end.
        static let witnessMachine = 7

        let hosts: [HostProcess]
        private let witness: HostProcess
        private let cluster: DatabaseCluster
        private let folder: String

        /// - Parameter mistake: the fault of the first host, or of all.
        init(
            _ realm: String, on network: ServerNetwork, _ cluster: DatabaseCluster,
            mistake: HostMistake? = nil
        ) throws {
            self.cluster = cluster
            folder = "\(network.folder)/\(realm)"
            hosts = try Self.machines.map { machine in
                let errs =
                    machine == Self.machines.lowerBound || mistake == .acknowledgesInDoubt
                return try HostProcess(
                    machine, of: realm, on: network, cluster, mistake: errs ? mistake : nil)
            }
            witness = try HostProcess(Self.witnessMachine, of: realm, on: network, cluster)
        }

        func start() throws { for host in hosts { try host.start() } }

        /// Kills all running processes.
        func kill() { for host in hosts + [witness] { try? host.kill() } }

        /// The number of commits acknowledged so far.
        func commits() throws -> Int {
            for host in hosts { try host.read() }
            return hosts.map(\.acknowledged).reduce(0, +)
        }

        /// How long after a moment each host was acknowledged a commit; those that never were are
        /// left out.
        func delays(after moment: Int) -> [Duration] {
            hosts.compactMap { host in
                let acknowledged = host.reports.values.joined().compactMap(\.acknowledgement)
                let later = acknowledged.filter { $0 > moment }.min()
                return later.map { .nanoseconds($0 - moment) }
            }
        }

        /// Waits until a host has committed once more.
        func awaitCommits() throws {
            let before = try commits()
            try Patience.wait("a commit") { try commits() > before ? () : nil }
        }

        /// Waits until a host has made its mistake.
        func awaitMistake() throws {
            try Patience.wait("a mistake") {
                for host in hosts { try host.read() }
                return hosts.contains { $0.hasErred } ? () : nil
            }
        }

        /// Lets all hosts end their work.
        func rest() throws {
            try Data().write(to: URL(fileURLWithPath: HostRole.restFile(in: folder)))
            for host in hosts { try host.awaitEnd() }
        }

        /// Lets all of them report the newest version when none of them writes any more.
        func show() throws {
            for host in hosts { try host.start(.resting) }
            for host in hosts { try host.awaitEnd() }
        }

        /// Checks the reports of the hosts against the log, as a new host reads it. Returns a
        /// summary of them.
        ///
        /// - Throws: ``Violation`` for an inconsistency.
        func judge() throws -> String {
            // So that it reads the log from the start.
            _ = try cluster.primary.psql("DELETE FROM realmactors_image")
            try witness.start(.witness)
            try witness.awaitEnd()
            return try HostChecker.check(folder)
        }
    }
#endif

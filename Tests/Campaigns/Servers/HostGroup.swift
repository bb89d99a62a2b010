#if os(Linux) && PostgreSQL
    import Foundation
    import Storage
    import StorageHarness

    /// The hosts of one realm, and how it is judged what they did.
    final class HostGroup {
        /// Behind the servers.
        static let machines = 4..<7
        /// Who reads the log in the end.
        static let witnessMachine = 7

        let hosts: [HostProcess]
        private let witness: HostProcess
        private let cluster: DatabaseCluster
        private let folder: String

        /// - Parameter mistake: what the first one does wrong, or all do.
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

        /// Ends all that run.
        func kill() { for host in hosts + [witness] { try? host.kill() } }

        /// How many commits were acknowledged so far.
        func commits() throws -> Int {
            for host in hosts { try host.read() }
            return hosts.map(\.acknowledged).reduce(0, +)
        }

        /// How long after each moment a host was acknowledged a commit, if one was.
        func delays(after moments: [Int]) -> [Duration] {
            let reports = hosts.flatMap { $0.reports.values.joined() }
            let acknowledged = reports.compactMap(\.acknowledgement).sorted()
            return moments.compactMap { moment in
                acknowledged.first { $0 > moment }.map { Duration.nanoseconds($0 - moment) }
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

        /// Lets all of them show what there is when none of them writes any more.
        func show() throws {
            for host in hosts { try host.start(.resting) }
            for host in hosts { try host.awaitEnd() }
        }

        /// Judges what the hosts have reported by the log, as one reads it that is new. Returns it.
        ///
        /// - Throws: ``Violation`` for what is wrong.
        func judge() throws -> HostHistory {
            // So that it reads the log from its beginning on.
            _ = try cluster.primary.psql("DELETE FROM realmactors_image")
            try witness.start(.witness)
            try witness.awaitEnd()
            var history = HostHistory()
            for host in hosts + [witness] {
                for (opening, reports) in host.reports {
                    history.add(reports, host: host.machine, opening: opening)
                }
            }
            try history.check()
            for host in hosts + [witness] where host.hasDiverged {
                throw Violation("host \(host.machine) misses what it has seen")
            }
            let newest = (hosts + [witness]).compactMap(\.newest)
            if newest.contains(where: { $0 != newest.last }) {
                throw Violation("hosts differ in the end: \(newest)")
            }
            return history
        }
    }
#endif

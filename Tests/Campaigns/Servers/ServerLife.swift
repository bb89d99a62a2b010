#if os(Linux) && PostgreSQL
    import Foundation
    import Storage
    import StorageHarness

    /// Three hosts write one realm on a primary with two standbys, and faults happen to all of
    /// them. In the end what the hosts have told is judged by the log.
    final class ServerLife {
        /// Behind the servers.
        private static let hostMachines = 4..<7
        /// Who reads the log in the end.
        private static let witnessMachine = 7

        let network: ServerNetwork
        let cluster: DatabaseCluster
        let hosts: [HostProcess]
        var random: SeededGenerator
        private let isCanary: Bool
        /// Told what happens, to look into a life that fails.
        private let trace: ((String) -> Void)?
        private let start = ContinuousClock.now

        /// Nil where there is no right to make machines.
        ///
        /// - Parameter isCanary: no commit waits for a standby, and one takes over: that must be
        ///   found out.
        init?(seed: UInt64, folder: String, isCanary: Bool, isVerbose: Bool) throws {
            let name = "c27-\(seed)"
            guard
                let network = try ServerNetwork(
                    name, machines: Self.witnessMachine, folder: folder)
            else { return nil }
            self.network = network
            self.isCanary = isCanary
            random = SeededGenerator(seed: seed)
            trace = isVerbose ? { say("\(name) \($0)") } : nil
            do {
                let cluster = try DatabaseCluster(on: network, waits: !isCanary)
                self.cluster = cluster
                hosts = try Self.hostMachines.map {
                    try HostProcess($0, on: network, cluster.connection, waits: !isCanary)
                }
            } catch {
                try network.remove()
                throw error
            }
        }

        /// Returns how many faults there were.
        func run(faults: Int) throws -> Int {
            defer { try? network.remove() }
            do {
                return try live(faults)
            } catch {
                if let trace { trace("\(error); the files are in \(try keepFiles())") }
                throw error
            }
        }

        /// For people: what hosts have told, and what the servers have logged. Returns where.
        private func keepFiles() throws -> String {
            let kept = network.folder + ".kept"
            let script = """
                mkdir \(kept)
                cd \(network.folder)
                cp --parents */output-* */errors-* */log \(kept)
                """
            try Program.run(["/bin/sh", "-c", script])
            return kept
        }

        private func live(_ faults: Int) throws -> Int {
            for host in hosts { try host.start() }
            try awaitCommits()
            if isCanary {
                try loseAcknowledged()
                try rest()
                try judgeCanary()
                return 1
            }
            for number in 1...faults {
                let fault = ServerFault.all[random.next(below: ServerFault.all.count)]
                let before = ContinuousClock.now
                try inflict(fault)
                let healed = ContinuousClock.now
                if network.isWhole { try awaitCommits() }
                trace?(
                    "\(number) \(fault): \(before.duration(to: healed)), then a commit after"
                        + " \(healed.duration(to: .now))")
            }
            try cluster.heal()
            try awaitCommits()
            try rest()
            try judge()
            return faults
        }

        /// Waits until somebody has committed once more.
        func awaitCommits() throws {
            let before = try commits()
            try Patience.wait("a commit") { try commits() > before ? () : nil }
        }

        /// How many were acknowledged so far.
        private func commits() throws -> Int {
            for host in hosts { try host.read() }
            return hosts.map(\.acknowledged).reduce(0, +)
        }

        /// Lets all hosts end their work.
        private func rest() throws {
            try Data().write(to: URL(fileURLWithPath: HostRole.restFile(in: network.folder)))
            for host in hosts { try host.awaitEnd() }
        }

        private func judge() throws {
            for host in hosts { try host.start(.resting) }
            for host in hosts { try host.awaitEnd() }
            let history = try history()
            try history.check()
            trace?(
                "\(history.commits.count) commits, \(try commits()) acknowledged,"
                    + " \(history.log.count) in the log, \(history.sights.count) sights,"
                    + " \(start.duration(to: .now))")
        }

        private func judgeCanary() throws {
            do {
                try history().check()
            } catch let violation as Violation {
                trace?("found: \(violation)")
                return
            }
            throw Violation("a server that lost acknowledged commits was not noticed")
        }

        /// What the hosts have told, and a new one of the log.
        private func history() throws -> HostHistory {
            // So that it reads the log from its beginning on.
            let images = try cluster.primary.psql(
                "WITH gone AS (DELETE FROM realmactors_image RETURNING slot)"
                    + " SELECT count(DISTINCT slot) FROM gone")
            trace?("\(images) images")
            let witness = try HostProcess(
                Self.witnessMachine, on: network, cluster.connection, waits: !isCanary)
            try witness.start(.witness)
            try witness.awaitEnd()
            var history = HostHistory()
            var newest: [HostReport] = []
            for host in hosts + [witness] {
                for (opening, reports) in host.reports {
                    history.add(reports, host: host.machine, opening: opening)
                }
                newest += host.reports[host.opening]?.suffix(1) ?? []
                if !isCanary, host.reports.values.joined().contains(.diverged) {
                    throw Violation("host \(host.machine) misses what it has seen")
                }
            }
            if !isCanary, newest.contains(where: { $0 != newest.last }) {
                throw Violation("hosts differ in the end: \(newest)")
            }
            return history
        }
    }
#endif

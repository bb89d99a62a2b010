#if os(Linux) && PostgreSQL
    import Storage
    import StorageHarness

    /// Three hosts write one realm on a primary with two standbys, and faults are injected into all
    /// of them. At the end, the reports of the hosts are checked against the log.
    final class ServerLife {
        enum Kind {
            /// A number of random faults.
            case faults(Int)
            /// So many times a standby takes over, while nothing else happens.
            case promotions(Int)
            /// No commit waits for a standby, and one is promoted: the loss must be detected.
            case loss
            /// The hosts have faults, which must be detected as well.
            case mistakes
        }

        let network: ServerNetwork
        let cluster: DatabaseCluster
        let group: HostGroup
        var hosts: [HostProcess] { group.hosts }
        var random: SeededGenerator
        private let kind: Kind
        /// Receives a trace of the run, for the analysis of failures.
        let trace: ((String) -> Void)?
        /// How long each promotion took to have an effect, once it was judged that all
        /// acknowledged commits are in the log.
        private(set) var failovers: [FailoverTimes.Failover] = []
        private let start = ContinuousClock.now

        /// Nil if this user may not create machines.
        init?(seed: UInt64, folder: String, _ kind: Kind, isVerbose: Bool) throws {
            let name = "c27-\(seed)"
            guard
                let network = try ServerNetwork(
                    name, machines: HostGroup.witnessMachine, folder: folder)
            else { return nil }
            self.network = network
            self.kind = kind
            random = SeededGenerator(seed: seed)
            trace = isVerbose ? { say("\(name) \($0)") } : nil
            let waits = if case .loss = kind { false } else { true }
            do {
                let cluster = try DatabaseCluster(on: network, waits: waits)
                self.cluster = cluster
                group = try HostGroup("c27", on: network, cluster)
            } catch {
                try network.remove()
                throw error
            }
        }

        /// Returns the number of faults.
        func run() throws -> Int {
            defer { try? network.remove() }
            do {
                return try live()
            } catch {
                if let trace { trace("\(error); the files are in \(try keepFiles())") }
                throw error
            }
        }

        /// Keeps the reports of hosts and the logs of servers for analysis. Returns their folder.
        private func keepFiles() throws -> String {
            let kept = network.folder + ".kept"
            let script = """
                mkdir \(kept)
                cd \(network.folder)
                cp --parents */*/output-* */*/errors-* */log \(kept)
                """
            try Program.run(["/bin/sh", "-c", script])
            return kept
        }

        private func live() throws -> Int {
            switch kind {
            case .faults(let count):
                try group.start()
                try group.awaitCommits()
                for number in 1...count { try live(through: number) }
                try conclude()
                return count
            case .promotions(let count):
                try group.start()
                try group.awaitCommits()
                let moments = try (1...count).map { try promote($0) }
                try conclude()
                failovers = moments.map { moment in
                    FailoverTimes.Failover(
                        ofClient: .nanoseconds(moment.ofClient - moment.promoted),
                        ofHosts: group.delays(after: moment.promoted))
                }
                for failover in failovers { trace?("\(failover)") }
                return count
            case .loss:
                try findLoss()
                return 1
            case .mistakes:
                for mistake in HostMistake.allCases { try find(mistake) }
                return HostMistake.allCases.count
            }
        }

        /// Ends the work of the hosts, and judges it.
        private func conclude() throws {
            try cluster.heal()
            try group.awaitCommits()
            try group.rest()
            try group.show()
            let images = "SELECT count(DISTINCT slot) FROM realmactors_image"
            trace?("\(try cluster.primary.psql(images)) images")
            let summary = try group.judge()
            trace?(
                "\(summary), \(try group.commits()) acknowledged, \(start.duration(to: .now))")
        }

        /// Has a standby take over from a primary that is killed, cut off from all others, or from
        /// all but a host, one after the other. Returns when it was promoted, and when a client
        /// had committed that knew which one it is.
        private func promote(_ number: Int) throws -> (promoted: Int, ofClient: Int) {
            let former = try cluster.promote { former in
                switch number % 3 {
                case 0: try network.isolate(former.machine, with: anyHost().machine)
                case 1: try former.kill()
                default: try network.isolate(former.machine)
                }
            }
            let promoted = cluster.lastPromotion
            _ = try cluster.primary.psql("CREATE TABLE client_\(promoted) ()")
            let ofClient = HostReport.now
            try group.awaitCommits()
            // Those that the former primary has held up, too.
            Platform.pause(for: .seconds(2))
            try cluster.rebuild(former)
            try cluster.heal()
            try group.awaitCommits()
            return (promoted, ofClient)
        }

        private func live(through number: Int) throws {
            let fault = ServerFault.all[random.next(below: ServerFault.all.count)]
            let before = ContinuousClock.now
            try inflict(fault)
            let healed = ContinuousClock.now
            if network.isWhole { try group.awaitCommits() }
            trace?(
                "\(number) \(fault): \(before.duration(to: healed)), then a commit after"
                    + " \(healed.duration(to: .now))")
        }
    }
#endif

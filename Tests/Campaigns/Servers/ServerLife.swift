#if os(Linux) && PostgreSQL
    import Storage
    import StorageHarness

    /// Three hosts write one realm on a primary with two standbys, and faults happen to all of
    /// them. In the end what the hosts have told is judged by the log.
    final class ServerLife {
        enum Kind {
            /// So many faults happen.
            case faults(Int)
            /// No commit waits for a standby, and one takes over: that must be found out.
            case loss
            /// Hosts make mistakes, which must be found out as well.
            case mistakes
        }

        let network: ServerNetwork
        let cluster: DatabaseCluster
        let group: HostGroup
        var hosts: [HostProcess] { group.hosts }
        var random: SeededGenerator
        private let kind: Kind
        /// Told what happens, to look into a life that fails.
        let trace: ((String) -> Void)?
        /// How long after each promotion a host was acknowledged a commit, once it was judged that
        /// all of them are in the log.
        private(set) var failoverTimes: [Duration] = []
        private let start = ContinuousClock.now

        /// Nil where there is no right to make machines.
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

        /// Returns how many faults there were.
        func run() throws -> Int {
            defer { try? network.remove() }
            do {
                return try live()
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
                try cluster.heal()
                try group.awaitCommits()
                try group.rest()
                try group.show()
                let images = "SELECT count(DISTINCT slot) FROM realmactors_image"
                trace?("\(try cluster.primary.psql(images)) images")
                let history = try group.judge()
                failoverTimes = group.delays(after: cluster.promotions)
                trace?(
                    "\(history.commits.count) commits, \(try group.commits()) acknowledged,"
                        + " \(history.log.count) in the log, \(history.sights.count) sights,"
                        + " \(start.duration(to: .now))")
                return count
            case .loss:
                try findLoss()
                return 1
            case .mistakes:
                for mistake in HostMistake.allCases { try find(mistake) }
                return HostMistake.allCases.count
            }
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

#if os(Linux) && PostgreSQL
    import Storage
    import StorageHarness

    /// Injected faults of servers and hosts, to show that they are detected.
    extension ServerLife {
        /// How often a fault may have no effect.
        private static let attemptsMax = 3

        /// An engine that waits for no standby loses what it has acknowledged.
        func findLoss() throws {
            try group.start()
            try group.awaitCommits()
            try cluster.cutStandbys()
            try group.awaitCommits()
            Platform.pause(for: .milliseconds(500))
            _ = try cluster.promote { try $0.kill() }
            try group.rest()
            do {
                _ = try group.judge()
            } catch let violation as Violation {
                trace?("found: \(violation)")
                return
            }
            throw Violation("a server that lost acknowledged commits was not noticed")
        }

        /// Injects a fault into hosts, each time in another realm, until it is detected.
        func find(_ mistake: HostMistake) throws {
            for attempt in 1...Self.attemptsMax {
                let group = try HostGroup(
                    "\(mistake)-\(attempt)", on: network, cluster, mistake: mistake)
                do {
                    try make(mistake, group)
                } catch let violation as Violation {
                    trace?("\(mistake) is found: \(violation)")
                    return group.kill()
                }
                trace?("\(mistake) was not found")
            }
            throw Violation("hosts made a mistake that was not noticed: \(mistake)")
        }

        /// - Throws: ``Violation`` for the detected inconsistency.
        private func make(_ mistake: HostMistake, _ group: HostGroup) throws {
            try group.start()
            try group.awaitCommits()
            if mistake == .acknowledgesInDoubt { try breakOffAppends() }
            try group.awaitMistake()
            // The hosts continue for a while after the fault.
            Platform.pause(for: .milliseconds(500))
            try group.rest()
            _ = try group.judge()
        }

        /// Ends the appends in progress, which no standby has received, nor will.
        private func breakOffAppends() throws {
            try cluster.cutStandbys()
            Platform.pause(for: .seconds(1))
            let former = try cluster.promote { try $0.kill() }
            try cluster.rebuild(former)
        }
    }
#endif

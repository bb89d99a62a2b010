#if os(Linux) && PostgreSQL
    import Glibc
    import Storage
    import StorageHarness

    /// What happens to the servers and hosts of a realm.
    enum ServerFault: CaseIterable {
        /// A host and the servers do not reach each other, or only one way.
        case hostCutOff, hostSendsInVain, hostHearsNothing
        /// No host reaches the primary.
        case primaryCutOff
        /// The primary and a standby do not reach each other, or only one way.
        case standbyCutOff, standbySendsInVain, standbyHearsNothing
        /// No standby has what is written.
        case standbysCutOff
        case hostKilled, primaryKilled, standbyKilled
        /// Killed, and its folder is gone.
        case hostLost
        /// Stopped for longer than the patience of those who wait for it.
        case hostStopped, primaryStopped, standbyStopped
        /// A standby takes over.
        case promotion
        /// The primary restarts with what no standby has. A standby takes over then, or not.
        case lonelyRestart
    }

    extension ServerLife {
        /// Lets something happen, and puts it right again, except for the network now and then.
        func inflict(_ fault: ServerFault) throws {
            let host = hosts[random.next(below: hosts.count)]
            let primary = cluster.primary
            let standby = cluster.standbys[random.next(below: 2)]
            switch fault {
            case .hostCutOff:
                try network.cut(host.machine, from: DatabaseCluster.machines)
                hold()
            case .hostSendsInVain:
                for server in DatabaseCluster.machines {
                    try network.drop(from: host.machine, to: server)
                }
                hold()
            case .hostHearsNothing:
                try network.drop(from: primary.machine, to: host.machine)
                hold()
            case .primaryCutOff:
                try network.cut(primary.machine, from: hosts.map(\.machine))
                hold()
            case .standbyCutOff:
                try network.cut(standby.machine, from: [primary.machine])
                hold()
            case .standbySendsInVain:
                try network.drop(from: standby.machine, to: primary.machine)
                hold()
            case .standbyHearsNothing:
                try network.drop(from: primary.machine, to: standby.machine)
                hold()
            case .standbysCutOff:
                try cluster.cutStandbys()
                hold()
            case .hostKilled:
                try host.kill()
                pause(0...1_000)
                try host.start()
            case .hostLost:
                try host.kill()
                try host.loseFolder()
                try host.start()
            case .primaryKilled: try restart(primary)
            case .standbyKilled: try restart(standby)
            case .hostStopped:
                host.send(SIGSTOP)
                pause(2_200...6_000)
                host.send(SIGCONT)
            case .primaryStopped: try stop(primary)
            case .standbyStopped: try stop(standby)
            case .promotion: try takeOver()
            case .lonelyRestart:
                try cluster.cutStandbys()
                hold()
                try restart(primary)
                hold()
                if random.oneIn(2) { try takeOver() }
            }
            if !random.oneIn(4) { try network.heal() }
        }

        /// Lets it be for a while, now and then for longer than connections wait for an answer.
        private func hold() {
            pause(random.oneIn(4) ? 2_000...8_000 : 50...2_000)
        }

        private func pause(_ milliseconds: ClosedRange<Int>) {
            let time = Int.random(in: milliseconds, using: &random)
            Platform.pause(for: .milliseconds(time))
        }

        private func restart(_ server: DatabaseServer) throws {
            try random.oneIn(2) ? server.kill() : server.killFirst()
            pause(0...1_000)
            try server.start()
        }

        private func stop(_ server: DatabaseServer) throws {
            try server.freeze()
            pause(2_200...6_000)
            try server.thaw()
        }

        private func takeOver() throws {
            let former = try cluster.promote(killing: random.oneIn(2))
            hold()
            try cluster.rebuild(former)
        }

        /// An engine that waits for no standby loses what it has acknowledged.
        func loseAcknowledged() throws {
            try cluster.cutStandbys()
            try awaitCommits()
            Platform.pause(for: .milliseconds(500))
            _ = try cluster.promote(killing: true)
        }
    }
#endif

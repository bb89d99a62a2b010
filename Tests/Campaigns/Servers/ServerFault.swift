#if os(Linux) && PostgreSQL
    import Glibc
    import Storage
    import StorageHarness

    /// What happens to the servers and hosts of a realm.
    enum ServerFault {
        case network(NetworkFault)
        case hostKilled, primaryKilled, standbyKilled
        /// Killed, and its folder is gone.
        case hostLost
        /// Stopped for longer than the patience of those who wait for it.
        case hostStopped, primaryStopped, standbyStopped
        /// A standby takes over.
        case promotion
        /// The primary restarts with what no standby has. A standby takes over then, or not.
        case lonelyRestart

        static let all =
            NetworkFault.allCases.map { Self.network($0) } + [
                .hostKilled, .primaryKilled, .standbyKilled, .hostLost, .hostStopped,
                .primaryStopped, .standbyStopped, .promotion, .lonelyRestart,
            ]
    }

    extension ServerLife {
        func anyHost() -> HostProcess { hosts[random.next(below: hosts.count)] }

        func anyStandby() -> DatabaseServer { cluster.standbys[random.next(below: 2)] }

        /// Lets something happen, and puts it right again, except for the network now and then.
        func inflict(_ fault: ServerFault) throws {
            switch fault {
            case .network(let fault):
                try disturb(fault)
                hold()
            case .hostKilled: try restart(anyHost(), losingFolder: false)
            case .hostLost: try restart(anyHost(), losingFolder: true)
            case .primaryKilled: try restart(cluster.primary)
            case .standbyKilled: try restart(anyStandby())
            case .hostStopped:
                let host = anyHost()
                host.send(SIGSTOP)
                pause(2_200...6_000)
                host.send(SIGCONT)
            case .primaryStopped: try stop(cluster.primary)
            case .standbyStopped: try stop(anyStandby())
            case .promotion: try takeOver()
            case .lonelyRestart:
                try cluster.cutStandbys()
                hold()
                try restart(cluster.primary)
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

        private func restart(_ host: HostProcess, losingFolder: Bool) throws {
            try host.kill()
            if losingFolder { try host.loseFolder() }
            pause(0...1_000)
            try host.start()
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

        /// The primary of before is killed, or cut off from all, or all but a host.
        private func takeOver() throws {
            let former = try cluster.promote { former in
                switch random.next(below: 3) {
                case 0: try former.kill()
                case 1: try network.isolate(former.machine)
                default: try network.isolate(former.machine, with: anyHost().machine)
                }
            }
            hold()
            try cluster.rebuild(former)
        }

        /// An engine that waits for no standby loses what it has acknowledged.
        func loseAcknowledged() throws {
            try cluster.cutStandbys()
            try awaitCommits()
            Platform.pause(for: .milliseconds(500))
            _ = try cluster.promote { try $0.kill() }
        }
    }
#endif

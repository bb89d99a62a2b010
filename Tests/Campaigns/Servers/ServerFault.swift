#if os(Linux) && PostgreSQL
    import Glibc
    import Storage
    import StorageHarness

    /// The faults of the servers and hosts of a realm.
    enum ServerFault {
        case network(NetworkFault)
        case hostKilled, primaryKilled, standbyKilled
        /// The host is killed, and its folder is removed.
        case hostLost
        /// It is stopped for longer than the timeouts of the processes that wait for it.
        case hostStopped, primaryStopped, standbyStopped
        /// A standby is promoted.
        case promotion
        /// The primary restarts with commits that no standby has. Then a standby is promoted, or
        /// not.
        case lonelyRestart
        /// The wall clock of a host or a server is changed.
        case clockJump

        static let all: [ServerFault] = {
            var all = NetworkFault.allCases.map { Self.network($0) }
            all += [
                .hostKilled, .primaryKilled, .standbyKilled, .hostLost, .hostStopped,
                .primaryStopped, .standbyStopped, .promotion, .lonelyRestart,
            ]
            if MachineClocks.isPossible { all.append(.clockJump) }
            return all
        }()
    }

    extension ServerLife {
        func anyHost() -> HostProcess { hosts[random.next(below: hosts.count)] }

        func anyStandby() -> DatabaseServer { cluster.standbys[random.next(below: 2)] }

        /// Injects a fault and removes it again, except sometimes that of the network.
        func inflict(_ fault: ServerFault) throws {
            switch fault {
            case .network(let fault):
                try disturb(fault)
                try hold()
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
                try hold()
                try restart(cluster.primary)
                try hold()
                if random.oneIn(2) { try takeOver() }
            case .clockJump:
                try jump()
                try hold()
            }
            if !random.oneIn(4) { try network.heal() }
        }

        /// Waits for a while, sometimes for longer than the timeouts of connections, with a change
        /// of a clock meanwhile.
        private func hold() throws {
            if random.oneIn(3) { try jump() }
            pause(random.oneIn(4) ? 2_000...8_000 : 50...2_000)
        }

        private func pause(_ milliseconds: ClosedRange<Int>) {
            let time = Int.random(in: milliseconds, using: &random)
            Platform.pause(for: .milliseconds(time))
        }

        /// Sets the clock of a machine forward or back, by minutes or by hours.
        private func jump() throws {
            guard let clocks = network.clocks else { return }
            let machine =
                random.oneIn(2)
                ? anyHost().machine : Int.random(in: DatabaseCluster.machines, using: &random)
            let limit = random.oneIn(2) ? 600 : 36_000
            let seconds = Int.random(in: limit / 10...limit, using: &random)
            let step = random.oneIn(2) ? seconds : -seconds
            try clocks.jump(machine, bySeconds: step)
            trace?("the clock of machine \(machine) jumps by \(step) s")
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

        /// The previous primary is killed, or disconnected from all, or all but one host.
        private func takeOver() throws {
            let former = try cluster.promote { former in
                switch random.next(below: 3) {
                case 0: try former.kill()
                case 1: try network.isolate(former.machine)
                default: try network.isolate(former.machine, with: anyHost().machine)
                }
            }
            try hold()
            try cluster.rebuild(former)
        }
    }
#endif

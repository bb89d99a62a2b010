#if os(Linux) && PostgreSQL
    import Glibc
    import Storage
    import StorageHarness

    /// A primary and two standbys, one of which must have each acknowledged commit, with the
    /// operations of their administrators.
    final class DatabaseCluster {
        static let machines = 1..<4

        private let network: ServerNetwork
        private let servers: [DatabaseServer]
        private(set) var primary: DatabaseServer
        /// Whether a commit is acknowledged only once a standby has it.
        let waits: Bool
        /// When the last promotion was done.
        private(set) var lastPromotion = 0

        init(on network: ServerNetwork, waits: Bool) throws {
            (self.network, self.waits) = (network, waits)
            servers = try Self.machines.map {
                try DatabaseServer($0, of: Self.machines, on: network, waits: waits)
            }
            primary = servers[0]
            try primary.create()
            for standby in standbys { try standby.copy(primary) }
            for server in servers { try server.start() }
            try awaitStandbys()
        }

        var standbys: [DatabaseServer] { servers.filter { $0 !== primary } }

        /// The connection string of clients, which finds the primary.
        var connection: String {
            let hosts = Self.machines.map { network.address(of: $0) }.joined(separator: ",")
            return "host=\(hosts) dbname=postgres user=postgres target_session_attrs=read-write"
        }

        /// Disconnects the primary from its standbys.
        func cutStandbys() throws {
            try network.cut(primary.machine, from: standbys.map(\.machine))
        }

        /// Promotes the standby that has more of the log: one of them has everything that was
        /// acknowledged. `fence` ensures that the previous primary can no longer reach a standby;
        /// ``rebuild(_:)`` makes it a standby.
        ///
        /// Returns the new primary.
        func promote(behind fence: (DatabaseServer) throws -> Void) throws -> DatabaseServer {
            let former = primary
            try fence(former)
            let places = try standbys.map { (server: $0, place: try $0.unfollow()) }
            guard let best = places.max(by: { $0.place < $1.place })?.server else { return former }
            guard try best.psql("SELECT pg_promote(true, 60)") == "t" else {
                throw Program.Failure(description: "a standby was not promoted")
            }
            lastPromotion = HostReport.now
            for standby in standbys { try standby.follow(best) }
            primary = best
            return former
        }

        /// Makes the previous primary a standby.
        func rebuild(_ former: DatabaseServer) throws {
            try former.kill()
            try network.heal()
            try former.rebuild(from: primary)
        }

        /// Starts all of them, and waits until both standbys follow.
        func heal() throws {
            try network.heal()
            for server in servers {
                try server.thaw()
                try server.start()
            }
            try awaitStandbys()
        }

        private func awaitStandbys() throws {
            let count = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
            try Patience.wait("two standbys to follow") {
                try primary.psql(count) == "2" ? () : nil
            }
        }
    }
#endif

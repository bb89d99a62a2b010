#if os(Linux) && PostgreSQL
    import StorageHarness

    /// Which machines cannot reach each other.
    enum NetworkFault: CaseIterable {
        /// A host and the servers, in both directions or in one.
        case hostCutOff, hostSendsInVain, hostHearsNothing
        /// All hosts and the primary.
        case primaryCutOff
        /// The primary and a standby, in both directions or in one.
        case standbyCutOff, standbySendsInVain, standbyHearsNothing
        /// The primary and both standbys: no other server has what is written.
        case standbysCutOff
    }

    extension ServerLife {
        /// Drops these packets until the network is healed.
        func disturb(_ fault: NetworkFault) throws {
            let host = anyHost().machine
            let standby = anyStandby().machine
            let primary = cluster.primary.machine
            switch fault {
            case .hostCutOff: try network.cut(host, from: DatabaseCluster.machines)
            case .hostSendsInVain:
                for server in DatabaseCluster.machines {
                    try network.drop(from: host, to: server)
                }
            case .hostHearsNothing: try network.drop(from: primary, to: host)
            case .primaryCutOff: try network.cut(primary, from: hosts.map(\.machine))
            case .standbyCutOff: try network.cut(standby, from: [primary])
            case .standbySendsInVain: try network.drop(from: standby, to: primary)
            case .standbyHearsNothing: try network.drop(from: primary, to: standby)
            case .standbysCutOff: try cluster.cutStandbys()
            }
        }
    }
#endif

/// One row, compared.
struct Comparison {
    /// What a peer reached.
    struct Peer {
        let engine: String
        let entry: Results.Entry
    }

    let row: Row
    let ours: Results.Entry
    /// What the bare disk did in the same runs, syncs a second.
    let probe: Double?
    /// In the order of ``engines``, without those that have no such row.
    let peers: [Peer]

    /// The peers as the output calls them, and as people do.
    static let engines = [("lmdb", "LMDB"), ("sqlite", "SQLite"), ("grdb", "GRDB")]

    /// The rows for which there is a value of this database.
    static func all(in results: Results) -> [Comparison] {
        let probe = results.entry(Report.ourName, DiskProbe.row)?.value
        return Row.all.compactMap { row in
            guard let ours = results.entry(Report.ourName, row) else { return nil }
            let peers = engines.compactMap { name, title in
                results.entry(name, row).map { Peer(engine: title, entry: $0) }
            }
            return Comparison(row: row, ours: ours, probe: probe, peers: peers)
        }
    }

    /// The best of the peers.
    var best: Peer? {
        peers.max { row.advantage(of: $1.entry.value, over: $0.entry.value) > 1 }
    }

    /// How many times better this database is than the best peer.
    var advantage: Double? {
        best.map { row.advantage(of: ours.value, over: $0.entry.value) }
    }

    var isMet: Bool { passes(row.bar) }
    var reachesGoal: Bool { passes(row.goal) }

    private func passes(_ limit: Double) -> Bool {
        switch row.scale {
        case .plain, .perProbe: row.passes(ours.value, onThisDisk(limit))
        case .perPeer: advantage.map { $0 >= limit } ?? false
        }
    }

    /// A limit on the disk of these runs.
    private func onThisDisk(_ limit: Double) -> Double {
        guard let probe, let syncTime = row.syncTime else { return limit }
        return min(limit, limit * syncTime * probe)
    }

    /// The bar on the disk of these runs.
    var bar: Double { onThisDisk(row.bar) }

    /// Whether the bar and the goal are met.
    var verdict: String { reachesGoal ? "goal" : isMet ? "yes" : "no" }
}

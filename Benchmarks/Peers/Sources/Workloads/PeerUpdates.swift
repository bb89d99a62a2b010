let peerUpdateWorkloads: [Workload<PeerBench>] = [
    Workload("w10_update_all") { bench in
        let peer = try filled(bench, "update", bench.count, .synced)
        let seconds = try timed { try peer.incrementAllAges() }.seconds
        let sum = Int(try peer.aggregate(.ageSum))
        try peer.close()
        try bench.discard("update")
        return [
            Measurement(
                "w10_update_all", seconds * 1000, "ms",
                check: .equal(sum, Answers.expected(bench.count).ageSum + bench.count))
        ]
    },
    Workload("w10b_update_one_nd") { bench in
        let count = min(bench.count, 100_000)
        let peer = try filled(bench, "update-one", count, .unsynced)
        let before = Int(try peer.aggregate(.ageSum))
        let (seconds, done) = try update(peer, count, seconds: bench.options.seconds)
        let added = Int(try peer.aggregate(.ageSum)) - before
        try peer.close()
        try bench.discard("update-one")
        return [
            Measurement(
                "w10b_update_one_nd", Double(done) / seconds, "updates/s",
                check: .equal(added, done))
        ]
    },
    Workload("w11_delete") { bench in
        let peer = try filled(bench, "delete", bench.count, .synced)
        let seconds = try timed { try peer.deleteOlder() }.seconds
        let left = try peer.objectCount()
        try peer.close()
        try bench.discard("delete")
        return [
            Measurement(
                "w11_delete", seconds * 1000, "ms",
                check: .equal(left, Answers.expected(bench.count).left))
        ]
    },
]

/// A new database with persons in it, made untimed.
func filled(
    _ bench: PeerBench, _ name: String, _ count: Int, _ durability: PeerDurability
) throws -> any Peer {
    let peer = try bench.open(name, durability)
    try peer.insertPersons(0..<count) { $0 }
    return peer
}

/// Random single updates for a fixed time.
func update(
    _ peer: any Peer, _ count: Int, seconds: Double
) throws -> (seconds: Double, done: Int) {
    let clock = ContinuousClock()
    let start = clock.now
    let end = start + .seconds(seconds)
    var done = 0
    while clock.now < end {
        try peer.incrementAge(of: Dataset.pick(3, done, of: count))
        done += 1
    }
    return ((clock.now - start).inSeconds, done)
}

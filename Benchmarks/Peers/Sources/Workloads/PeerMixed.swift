let peerMixedWorkloads: [Workload<PeerBench>] = [
    Workload("w14_reads", "w14_writes") { bench in
        let count = bench.count
        let peer = try filled(bench, "mixed", count, .unsynced)
        let before = Int(try peer.aggregate(.ageSum))
        let seconds = bench.options.seconds
        let end = ContinuousClock.now + .seconds(seconds)
        let readers = peer.readers
        let threads = [UInt64(100), 101].map { stream in
            BackgroundThread { try read(readers(), count, stream: stream, until: end) }
        }
        let writes = try update(peer, count, seconds: seconds).done
        var lookups = 0
        var missing = 0
        for thread in threads {
            let reads = try await thread.value()
            lookups += reads.lookups
            missing += reads.missing
        }
        let added = Int(try peer.aggregate(.ageSum)) - before
        try peer.close()
        try bench.discard("mixed")
        return [
            Measurement(
                "w14_reads", Double(lookups) / seconds, "lookups/s", check: .equal(missing, 0)),
            Measurement(
                "w14_writes", Double(writes) / seconds, "commits/s", check: .equal(added, writes)),
        ]
    }
]

/// Looks persons up, with a new snapshot every 100 lookups.
private func read(
    _ reader: any PeerReader, _ count: Int, stream: UInt64, until end: ContinuousClock.Instant
) throws -> (lookups: Int, missing: Int) {
    var lookups = 0
    var found = 0
    var sum = 0
    while ContinuousClock.now < end {
        let keys = (0..<100).map { Dataset.pick(stream, lookups + $0, of: count) }
        let result = try reader.lookUp(keys)
        lookups += keys.count
        found += result.found
        sum &+= result.sum
    }
    keep(sum)
    return (lookups, lookups - found)
}

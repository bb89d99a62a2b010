import RealmActors

let streamWorkloads: [Workload<Bench>] = [
    Workload("w13_stream") { bench in
        [try await latency("w13_stream", bench, rows: 1000)]
    },
    Workload("w13_stream_1m") { bench in
        [try await latency("w13_stream_1m", bench, rows: bench.count)]
    },
    Workload("w13_subscribers", "w13_subscribers_share") { bench in
        let (realm, count) = try await filledRealm(
            bench, "subscribers", 1000, durability: relaxed)
        let alone = try await updatesPerSecond(realm, count, seconds: bench.options.seconds)
        let strings = realm.objects(StringObject.self)
        let sleepers = (0..<1000).map { _ in
            let changes = strings.changes()
            return Task { for try await _ in changes {} }
        }
        let watched = try await updatesPerSecond(realm, count, seconds: bench.options.seconds)
        for sleeper in sleepers { sleeper.cancel() }
        for sleeper in sleepers { _ = await sleeper.result }
        try await bench.discard(realm)
        return [
            Measurement(
                "w13_subscribers", watched, "commits/s",
                check: .note("\(Int(alone)) without subscribers")),
            Measurement(
                "w13_subscribers_share", watched / alone * 100, "%", check: .note("of those")),
        ]
    },
]

private let updateCount = 600

/// From the call of `write` to the body of a `for await` in another task, in microseconds.
private func latency(_ row: String, _ bench: Bench, rows: Int) async throws -> Measurement {
    let (realm, count) = try await filledRealm(bench, "stream", rows, durability: relaxed)
    let changes = realm.objects(Person.self).changes()
    let (seen, continuation) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
    let watcher = Task {
        defer { continuation.finish() }
        for try await change in changes {
            let now = ContinuousClock.now
            if case .update(_, _, _, let modifications) = change, modifications.count != 1 {
                return false
            }
            continuation.yield(now)
        }
        return true
    }
    var arrivals = seen.makeAsyncIterator()
    _ = await arrivals.next()

    var latencies: [Double] = []
    for turn in 0..<updateCount {
        let key = Dataset.pick(3, turn, of: count)
        let start = ContinuousClock.now
        try await realm.write { tx in tx.object(Person.self, forPrimaryKey: key)?.age += 1 }
        guard let arrival = await arrivals.next() else { break }
        latencies.append((arrival - start).inSeconds * 1e6)
    }
    watcher.cancel()
    let isExact = try await watcher.value
    try await bench.discard(realm)
    return Measurement(
        row, latencies.median, "us", check: .equal(isExact ? latencies.count : -1, updateCount))
}

private func updatesPerSecond(_ realm: Realm, _ count: Int, seconds: Double) async throws -> Double
{
    let clock = ContinuousClock()
    let start = clock.now
    let end = start + .seconds(seconds)
    var done = 0
    while clock.now < end {
        let key = done % count
        try await realm.write { tx in tx.object(Person.self, forPrimaryKey: key)?.age += 1 }
        done += 1
    }
    return Double(done) / (clock.now - start).inSeconds
}

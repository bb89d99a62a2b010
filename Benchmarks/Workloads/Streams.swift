import RealmActors

let streamWorkloads: [Workload<Bench>] = [
    Workload("w13_stream") { bench in
        [try await latency("w13_stream", bench, rows: 1000)]
    },
    Workload("w13_stream_1m") { bench in
        [try await latency("w13_stream_1m", bench, rows: bench.count)]
    },
    Workload("w13_subscribers", "w13_subscribers_share") { bench in
        let (alone, count) = try await filledRealm(bench, "alone", 1000, durability: relaxed)
        let (watched, _) = try await filledRealm(bench, "watched", 1000, durability: relaxed)
        let strings = watched.objects(StringObject.self)
        let sleepers = (0..<1000).map { _ in
            let changes = strings.changes()
            return Task { for try await _ in changes {} }
        }
        // In turns, so that the weather of the machine is the same for both.
        let turns = 10
        let seconds = bench.options.seconds / Double(turns)
        var rates: (alone: [Double], watched: [Double]) = ([], [])
        for _ in 0..<turns {
            rates.alone.append(try await updatesPerSecond(alone, count, seconds: seconds))
            rates.watched.append(try await updatesPerSecond(watched, count, seconds: seconds))
        }
        for sleeper in sleepers { sleeper.cancel() }
        for sleeper in sleepers { _ = await sleeper.result }
        try await bench.discard(alone)
        try await bench.discard(watched)
        let share = rates.watched.median / rates.alone.median
        return [
            Measurement(
                "w13_subscribers", rates.watched.median, "commits/s",
                check: .note("\(Int(rates.alone.median)) without subscribers")),
            Measurement("w13_subscribers_share", share * 100, "%", check: .note("of those")),
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

/// Commits of one changed number each, one after another.
func updatesPerSecond(_ realm: Realm, _ count: Int, seconds: Double) async throws -> Double {
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

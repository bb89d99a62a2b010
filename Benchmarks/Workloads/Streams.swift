import RealmActors

let streamWorkloads: [Workload<Bench>] = [
    Workload("w13_stream") { bench in
        [try await latency("w13_stream", bench, rows: 1000)]
    },
    Workload("w13_stream_1m") { bench in
        [try await latency("w13_stream_1m", bench, rows: bench.count)]
    },
    Workload("w13_insert_1m", "w13_insert_1m_work") { bench in
        try await insertion("w13_insert_1m", bench) { $0 }
    },
    Workload("w13_insert_sorted_1m", "w13_insert_sorted_1m_work") { bench in
        try await insertion("w13_insert_sorted_1m", bench) { $0.sorted(by: \.email) }
    },
    Workload("w13_subscribers", "w13_subscribers_share") { bench in
        let (alone, count) = try await filledRealm(bench, "alone", 1000, durability: relaxed)
        let (watched, _) = try await filledRealm(bench, "watched", 1000, durability: relaxed)
        let strings = watched.objects(StringObject.self)
        let sleepers = (0..<1000).map { _ in
            let changes = strings.changes()
            return Task { for try await _ in changes {} }
        }
        let rates = try await updatesInTurns(alone, watched, count, bench)
        for sleeper in sleepers { sleeper.cancel() }
        for sleeper in sleepers { _ = await sleeper.result }
        try await bench.discard(alone)
        try await bench.discard(watched)
        return shareRows("w13_subscribers", of: rates, "without subscribers")
    },
]

private let updateCount = 600

/// One update among `rows`, from the call of `write` to the body of a `for await` in another task.
private func latency(_ row: String, _ bench: Bench, rows: Int) async throws -> Measurement {
    let (realm, count) = try await filledRealm(bench, "stream", rows, durability: relaxed)
    let (latencies, isExact) = try await latencies(
        of: realm.objects(Person.self), { $0.isEmpty && $1.isEmpty && $2 == 1 }
    ) { turn in
        let key = Dataset.pick(3, turn, of: count)
        try await realm.write { tx in tx.object(Person.self, forPrimaryKey: key)?.age += 1 }
    }
    try await bench.discard(realm)
    return Measurement(
        row, latencies.median, "us", check: .equal(isExact ? latencies.count : -1, updateCount))
}

/// One insertion into all rows, likewise; and what of that is the work of the stream, beyond what
/// the same costs with a stream that shows nothing of it.
private func insertion(
    _ row: String, _ bench: Bench,
    _ query: (FrozenResults<Person>) -> FrozenResults<Person>
) async throws -> [Measurement] {
    let (realm, count) = try await filledRealm(bench, "stream", bench.count, durability: relaxed)
    var next = count
    func measure(_ results: FrozenResults<Person>) async throws -> ([Double], Bool) {
        try await latencies(of: results, { $0.isEmpty && $1.count == 1 && $2 == 0 }) { turn in
            let key = next
            next += 1
            // Somewhere in the order of the index.
            let number = Dataset.pick(5, turn, of: count)
            try await realm.write { tx in try tx.add(Dataset.person(number, key: key)) }
        }
    }
    let (watched, isExact) = try await measure(query(realm.objects(Person.self)))
    // As many are watched from here on as are inserted.
    let start = next
    let (alone, _) = try await measure(realm.objects(Person.self).where { $0.id >= start })
    try await bench.discard(realm)
    return [
        Measurement(
            row, watched.median, "us",
            check: .equal(isExact ? watched.count : -1, updateCount)),
        Measurement(
            row + "_work", watched.median - alone.median, "us",
            check: .note("more than with few watched rows")),
    ]
}

/// How long after each `write` began its change arrived, in microseconds, and whether every change
/// was as `isExpected` says of its deletions, insertions and the number of its modifications.
private func latencies(
    of results: FrozenResults<Person>,
    _ isExpected: @escaping @Sendable ([Int], [Int], Int) -> Bool,
    _ write: (Int) async throws -> Void
) async throws -> (latencies: [Double], isExact: Bool) {
    let changes = results.changes()
    let (seen, continuation) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
    let watcher = Task {
        defer { continuation.finish() }
        for try await change in changes {
            let now = ContinuousClock.now
            if case .update(_, let deletions, let insertions, let modifications) = change,
                !isExpected(deletions, insertions, modifications.count)
            {
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
        let start = ContinuousClock.now
        try await write(turn)
        guard let arrival = await arrivals.next() else { break }
        latencies.append((arrival - start).inSeconds * 1e6)
    }
    watcher.cancel()
    return (latencies, try await watcher.value)
}

/// Commits of one changed number each, one after another.
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

/// Updates per second of two realms in turns, so that the state of the machine is the same for
/// both.
func updatesInTurns(
    _ first: Realm, _ second: Realm, _ count: Int, _ bench: Bench
) async throws -> (first: [Double], second: [Double]) {
    let turns = 10
    let seconds = bench.options.seconds / Double(turns)
    var rates: (first: [Double], second: [Double]) = ([], [])
    for _ in 0..<turns {
        rates.first.append(try await updatesPerSecond(first, count, seconds: seconds))
        rates.second.append(try await updatesPerSecond(second, count, seconds: seconds))
    }
    return rates
}

/// The rate of the second of two realms that were updated in turns, and its share of the first's.
func shareRows(
    _ row: String, of rates: (first: [Double], second: [Double]), _ difference: String
) -> [Measurement] {
    let share = rates.second.median / rates.first.median
    return [
        Measurement(
            row, rates.second.median, "commits/s",
            check: .note("\(Int(rates.first.median)) \(difference)")),
        Measurement("\(row)_share", share * 100, "%", check: .note("of those")),
    ]
}

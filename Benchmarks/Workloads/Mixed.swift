import RealmActors

let mixedWorkloads: [Workload<Bench>] = [
    Workload("w14_reads", "w14_writes") { bench in
        let (realm, count) = try await filledRealm(
            bench, "mixed", bench.count, durability: relaxed)
        let before = realm.objects(Person.self).sum(of: \.age)
        let seconds = bench.options.seconds
        let end = ContinuousClock.now + .seconds(seconds)
        async let first = read(realm, count, stream: 100, until: end)
        async let second = read(realm, count, stream: 101, until: end)
        let writes = try await update(realm, count, until: end)
        let reads = await [first, second]
        let added = realm.objects(Person.self).sum(of: \.age) - before
        try await bench.discard(realm)
        let lookups = reads.reduce(0) { $0 + $1.lookups }
        let missing = reads.reduce(0) { $0 + $1.missing }
        return [
            Measurement(
                "w14_reads", Double(lookups) / seconds, "lookups/s", check: .equal(missing, 0)),
            Measurement(
                "w14_writes", Double(writes) / seconds, "commits/s", check: .equal(added, writes)),
        ]
    }
]

/// Looks persons up, with a new snapshot every 100 lookups.
@concurrent
private func read(
    _ realm: Realm, _ count: Int, stream: UInt64, until end: ContinuousClock.Instant
) async -> (lookups: Int, missing: Int) {
    var lookups = 0
    var missing = 0
    var sum = 0
    while ContinuousClock.now < end {
        let snapshot = realm.snapshot()
        for _ in 0..<100 {
            let key = Dataset.pick(stream, lookups, of: count)
            if let person = snapshot.object(Person.self, forPrimaryKey: key) {
                sum &+= Int(person.name.utf8.first ?? 0) + person.age
            } else {
                missing += 1
            }
            lookups += 1
        }
        await Task.yield()
    }
    keep(sum)
    return (lookups, missing)
}

private func update(
    _ realm: Realm, _ count: Int, until end: ContinuousClock.Instant
) async throws -> Int {
    var done = 0
    while ContinuousClock.now < end {
        let key = Dataset.pick(3, done, of: count)
        try await realm.write { tx in tx.object(Person.self, forPrimaryKey: key)?.age += 1 }
        done += 1
    }
    return done
}

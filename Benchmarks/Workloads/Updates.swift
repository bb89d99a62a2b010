import RealmActors

let updateWorkloads: [Workload<Bench>] = [
    // Each needs a store of its own: what it changes must not reach the workloads that read.
    Workload("w10_update_all") { bench in
        let (realm, count) = try await filledRealm(bench, "update", bench.count)
        let seconds = try await timedWrite(realm) { tx in
            for person in tx.objects(Person.self) { person.age += 1 }
        }
        let sum = realm.objects(Person.self).sum(of: \.age)
        try await bench.discard(realm)
        return [
            Measurement(
                "w10_update_all", seconds * 1000, "ms",
                check: .equal(sum, Answers.expected(bench.count).ageSum + count))
        ]
    },
    Workload("w10b_update_one_nd") { bench in
        let (realm, count) = try await filledRealm(
            bench, "update-one", min(bench.count, 100_000), durability: relaxed)
        let before = realm.objects(Person.self).sum(of: \.age)
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(bench.options.seconds)
        var done = 0
        while clock.now < end {
            let key = Dataset.pick(3, done, of: count)
            try await realm.write { tx in tx.object(Person.self, forPrimaryKey: key)?.age += 1 }
            done += 1
        }
        let seconds = (clock.now - start).inSeconds
        let added = realm.objects(Person.self).sum(of: \.age) - before
        try await bench.discard(realm)
        return [
            Measurement(
                "w10b_update_one_nd", Double(done) / seconds, "updates/s",
                check: .equal(added, done))
        ]
    },
    Workload("w11_delete") { bench in
        let (realm, _) = try await filledRealm(bench, "delete", bench.count)
        let seconds = try await timedWrite(realm) { tx in
            try tx.delete(tx.objects(Person.self).where { $0.age > 30 })
        }
        let left = realm.objects(Person.self).count
        try await bench.discard(realm)
        return [
            Measurement(
                "w11_delete", seconds * 1000, "ms",
                check: .equal(left, Answers.expected(bench.count).left))
        ]
    },
]

/// A new realm with persons in it, made untimed.
func filledRealm(
    _ bench: Bench, _ name: String, _ count: Int,
    durability: Realm.Configuration.Durability = .fsync,
    history: Realm.Configuration.History = .untilCompacted
) async throws -> (Realm, count: Int) {
    let realm = try await bench.freshRealm(name, durability: durability, history: history)
    try await realm.write { tx in try Dataset.insert(0..<count, into: tx) }
    return (realm, count)
}

/// How long one transaction took until it was acknowledged.
private func timedWrite(
    _ realm: Realm, _ body: sending (WriteTransaction) throws -> Void
) async throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try await realm.write(body)
    return (clock.now - start).inSeconds
}

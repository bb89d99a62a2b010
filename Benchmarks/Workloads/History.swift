import RealmActors

let historyWorkloads: [Workload<Bench>] = [
    Workload("w19_history_read") { bench in
        let (realm, count) = try await filledRealm(
            bench, "history", 1000, durability: relaxed, history: .keep(bytes: 1 << 30))
        let token = realm.snapshot().changeToken
        try await update(realm, count, commits: readCommits)
        let clock = ContinuousClock()
        let start = clock.now
        var read = 0
        var exact = 0
        for try await commit in realm.commits(since: token) {
            let change = commit.modifications(of: Person.self).first
            if change?.oldValues["age"] != nil, change?.newValues["age"] != nil { exact += 1 }
            read += 1
            if read == readCommits { break }
        }
        let seconds = (clock.now - start).inSeconds
        try await bench.discard(realm)
        return [
            Measurement(
                "w19_history_read", Double(read) / seconds, "commits/s",
                check: .equal(exact, readCommits))
        ]
    },
    Workload("w19_history_keep", "w19_history_keep_share") { bench in
        let (plain, count) = try await filledRealm(bench, "plain", 1000, durability: relaxed)
        let (kept, _) = try await filledRealm(
            bench, "kept", 1000, durability: relaxed, history: .keep(bytes: 64 << 20))
        let rates = try await updatesInTurns(plain, kept, count, bench)
        try await bench.discard(plain)
        try await bench.discard(kept)
        return shareRows("w19_history_keep", of: rates, "without .keep")
    },
    Workload("w29_asof", "w29_versions") { bench in
        let (realm, count) = try await filledRealm(
            bench, "past", 1000, durability: relaxed, history: .keep(bytes: 1 << 30))
        let (moments, ages) = try await makePast(of: realm, count)
        let past = try await medianOfThree { try await readPast(moments, in: realm) }
        let found = try await medianOfThree { try await versions(of: oftenChanged, in: realm) }
        try await bench.discard(realm)
        let expected = Dataset.age(oftenChanged)...ages[oftenChanged]
        let isExact = zip(found.result, expected).allSatisfy { version, age in
            version.values["age"] == CommitValue.value(.int(age))
        }
        return [
            Measurement(
                "w29_asof", past.seconds * 1000 / Double(moments.count), "ms/snapshot",
                check: .equal(past.result, moments.count)),
            Measurement(
                "w29_versions", found.seconds * 1000, "ms",
                check: .equal(isExact ? found.result.count : -1, expected.count)),
        ]
    },
]

private let readCommits = 100_000
private let pastCommits = 10_000
/// The key of the person that every tenth commit of the past changes.
private let oftenChanged = 0

/// Commits of one changed number each, from several tasks.
private func update(_ realm: Realm, _ count: Int, commits: Int) async throws {
    let tasks = 4
    try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<tasks {
            group.addTask {
                for number in 0..<commits / tasks {
                    let key = (number * tasks + task) % count
                    try await realm.write { tx in
                        tx.object(Person.self, forPrimaryKey: key)?.age += 1
                    }
                }
            }
        }
        try await group.waitForAll()
    }
}

/// A version of the past, and what it must show.
private struct Moment {
    let version: Realm.Version
    /// The person that its commit changed, and the age that it gave it.
    let key: Int
    let age: Int
    /// How many persons are older than 50.
    let older: Int
}

/// Commits of one changed number each, one after another: fifty of their versions, and the ages in
/// the last one.
private func makePast(
    of realm: Realm, _ count: Int
) async throws -> (moments: [Moment], ages: [Int]) {
    var ages = (0..<count).map { Dataset.age($0) }
    var moments: [Moment] = []
    for number in 0..<pastCommits {
        let key = number % 10 == 9 ? oftenChanged : Dataset.pick(6, number, of: count)
        try await realm.write { tx in tx.object(Person.self, forPrimaryKey: key)?.age += 1 }
        ages[key] += 1
        if number % 200 == 100 {
            let older = ages.count { $0 > 50 }
            moments.append(
                Moment(version: realm.snapshot().version, key: key, age: ages[key], older: older))
        }
    }
    return (moments, ages)
}

/// Reads a changed person and counts with a condition in each version; in how many both are right.
private func readPast(_ moments: [Moment], in realm: Realm) async throws -> Int {
    var right = 0
    for moment in moments {
        let snapshot = try await realm.snapshot(asOf: moment.version)
        let age = snapshot.object(Person.self, forPrimaryKey: moment.key)?.age
        let older = snapshot.objects(Person.self).where { $0.age > 50 }.count
        if age == moment.age, older == moment.older { right += 1 }
    }
    return right
}

private func versions(of key: Int, in realm: Realm) async throws -> [ObjectVersion<Person>] {
    guard let person = realm.object(Person.self, forPrimaryKey: key) else { return [] }
    return try await realm.versions(of: person)
}

/// The median of three runs, after one that warms the caches up, and what the last one gave.
private func medianOfThree<R: Sendable>(
    _ work: () async throws -> R
) async throws -> (seconds: Double, result: R) {
    let clock = ContinuousClock()
    var result = try await work()
    var seconds: [Double] = []
    for _ in 0..<3 {
        let start = clock.now
        result = try await work()
        seconds.append((clock.now - start).inSeconds)
    }
    return (seconds.median, result)
}

let peerReadWorkloads: [Workload<PeerBench>] = [
    Workload("w05_pk") { bench in
        try lookups("w05_pk", bench, expected: Answers.expected(bench.count).keyLookups) {
            peer, count in
            try timed { try peer.sumByKey(count) { Dataset.pick(1, $0, of: count) } }
        }
    },
    Workload("w05_email") { bench in
        try lookups("w05_email", bench, expected: Answers.expected(bench.count).emailLookups) {
            peer, count in
            let emails = (0..<count).map { Dataset.email(Dataset.pick(2, $0, of: count)) }
            return try timed { try peer.sumByEmail(emails) }
        }
    },
]

let peerQueryWorkloads: [Workload<PeerBench>] = [
    query("w06_count") { .equal(try $0.count(.olderAndActive), $1.count) },
    query("w06_begins") { .equal(try $0.count(.nameBegins), $1.begins) },
    query("w06_contains") { .equal(try $0.count(.nameContains), $1.contains) },
    query("w07_sum") { .close(try $0.aggregate(.scoreSum), $1.scoreSum) },
    Workload("w07_avg") { bench in
        let average = Answers.expected(bench.count).averageAge(of: bench.count)
        return try measure("w07_avg", bench) { peer, _ in
            .close(try peer.aggregate(.ageAverage), average)
        }
    },
    query("w07_min") { .close(try $0.aggregate(.ageMinimum), Double($1.smallestAge)) },
    query("w07_max") { .close(try $0.aggregate(.ageMaximum), Double($1.largestAge)) },
    query("w08_first1000_limit") { ends(try $0.firstThousand(limited: true), $1) },
    query("w08_first1000") { ends(try $0.firstThousand(limited: false), $1) },
    query("w08_all_age") { .equal(try $0.hashOfAgesByName(), $1.agesInNameOrder) },
    query("w25_group_age") { peer, answers in
        try peer.sumOfGroups(.age).map { .close($0, answers.scoreSum) }
    },
    Workload("w25_group_name") { bench in
        try measure("w25_group_name", bench) { peer, _ in
            try peer.sumOfGroups(.name).map { .close($0, Double(bench.count)) }
        }
    },
    query("w27_distinct_names") { peer, answers in
        try peer.countOfNames().map { .equal($0, answers.names) }
    },
    query("w27_modulo") { .equal(try $0.count(.ageRemainder), $1.remainders) },
    query("w09_enum") { .equal(try $0.sumOfAll(), $1.enumeration) },
]

private typealias Ask = @Sendable (any Peer, Answers) throws -> Check?

/// Lookups per second; reading everything once before warms the caches up.
private func lookups(
    _ row: String, _ bench: PeerBench, expected: Int,
    _ look: (any Peer, Int) throws -> (seconds: Double, result: Int)
) throws -> [Measurement] {
    let peer = try bench.openPersons()
    _ = try peer.sumOfAll()
    let (seconds, sum) = try look(peer, bench.count)
    try peer.close()
    return [
        Measurement(
            row, Double(bench.count) / seconds, "lookups/s", check: .equal(sum, expected))
    ]
}

/// A query over all persons, in milliseconds.
private func query(_ row: String, _ ask: @escaping Ask) -> Workload<PeerBench> {
    Workload(row) { bench in try measure(row, bench, ask) }
}

/// The median of three runs, after one that warms the caches up.
private func measure(_ row: String, _ bench: PeerBench, _ ask: Ask) throws -> [Measurement] {
    let peer = try bench.openPersons()
    defer { try? peer.close() }
    let answers = Answers.expected(bench.count)
    guard try ask(peer, answers) != nil else { return [.unsupported(row)] }
    let runs = try (0..<3).map { _ in try timed { try ask(peer, answers) } }
    let check = runs.first { $0.result?.isRight != true }?.result ?? runs[0].result
    return [
        Measurement(row, runs.map(\.seconds).median * 1000, "ms", check: check ?? .note("-"))
    ]
}

private func ends(_ found: PeerEnds?, _ answers: Answers) -> Check? {
    found.map {
        .equal("\($0.first) \($0.last)", "\(answers.firstName) \(answers.lastOfThousand)")
    }
}

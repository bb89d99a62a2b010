import RealmActors

let filterWorkloads: [Workload<Bench>] = [
    query("w06_count") { persons, answers in
        let found = persons.where { $0.age > 30 && $0.active == true }.count
        return .equal(found, answers.count)
    },
    query("w06_begins") { persons, answers in
        .equal(persons.where { $0.name.starts(with: "ab") }.count, answers.begins)
    },
    query("w06_contains") { persons, answers in
        .equal(persons.where { $0.name.contains("xyz") }.count, answers.contains)
    },
    query("w07_sum") { persons, answers in
        .close(Double(persons.sum(of: \.score)), answers.scoreSum)
    },
    query("w07_avg") { persons, answers in
        .close(persons.average(of: \.age) ?? .nan, answers.averageAge(of: persons.count))
    },
    query("w07_min") { persons, answers in
        .equal(persons.min(of: \.age) ?? -1, answers.smallestAge)
    },
    query("w07_max") { persons, answers in
        .equal(persons.max(of: \.age) ?? -1, answers.largestAge)
    },
    query("w27_modulo") { persons, answers in
        .equal(persons.where { $0.age % 7 == 3 }.count, answers.remainders)
    },
]

/// A query over all persons, in milliseconds; the first of three runs warms the caches up.
func query(
    _ row: String,
    _ ask: @escaping @Sendable (FrozenResults<Person>, Answers) -> Check
) -> Workload<Bench> {
    Workload(row) { bench in
        let persons = try await bench.personsRealm().objects(Person.self)
        let answers = Answers.expected(bench.count)
        _ = ask(persons, answers)
        let runs = (0..<3).map { _ in timed { ask(persons, answers) } }
        return [
            Measurement(
                row, runs.map(\.seconds).median * 1000, "ms",
                check: runs.first { !$0.result.isRight }?.result ?? runs[0].result)
        ]
    }
}

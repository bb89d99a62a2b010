import RealmActors

let groupWorkloads: [Workload<Bench>] = [
    // A hundred groups, three measures.
    query("w25_group_age") { persons, answers in
        let groups = persons.grouped(by: \.age).aggregates(
            .count, .sum(of: \.score), .max(of: \.score))
        return .close(groups.reduce(0) { $0 + $1.value.1 }, answers.scoreSum)
    },
    // Nearly as many groups as persons.
    query("w25_group_name") { persons, _ in
        let groups = persons.grouped(by: \.name).count()
        return .equal(groups.reduce(0) { $0 + $1.value }, persons.count)
    },
    query("w27_distinct_names") { persons, answers in
        let names = persons.aggregates(.distinctCount(of: \.name))
        return .equal(names, answers.names)
    },
]

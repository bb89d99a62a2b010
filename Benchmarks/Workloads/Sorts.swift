import RealmActors

let sortWorkloads: [Workload<Bench>] = [
    query("w08_first1000_limit") { persons, answers in
        firstThousand(persons.sorted(by: \.name).limit(1000), answers)
    },
    query("w08_first1000") { persons, answers in
        firstThousand(persons.sorted(by: \.name), answers)
    },
    query("w08_all_age") { persons, answers in
        var hash: UInt64 = 0
        for age in persons.sorted(by: \.name).values(of: \.age) {
            hash = hash &* 31 &+ UInt64(age)
        }
        return .equal(hash, answers.agesInNameOrder)
    },
    // Of plain small letters the order is that of their bytes.
    query("w28_collated_sort") { persons, answers in
        firstThousand(persons.sorted(by: \.name, collation: .people), answers)
    },
    collatedIndexWorkload,
]

/// Walks the first thousand and compares the names at both ends.
private func firstThousand(_ sorted: FrozenResults<Person>, _ answers: Answers) -> Check {
    var first: String?
    var last = ""
    for person in sorted.prefix(1000) {
        last = person.name
        if first == nil { first = last }
    }
    return .equal("\(first ?? "") \(last)", "\(answers.firstName) \(answers.lastOfThousand)")
}

import RealmActors

let scanWorkloads: [Workload<Bench>] = [
    query("w09_enum") { persons, answers in
        var sum = 0
        for person in persons { sum += person.age + Int(person.name.utf8.first ?? 0) }
        return .equal(sum, answers.enumeration)
    },
    query("w09_enum_columns") { persons, answers in
        var sum = 0
        for age in persons.values(of: \.age) { sum += age }
        for name in persons.values(of: \.name) { sum += Int(name.utf8.first ?? 0) }
        return .equal(sum, answers.enumeration)
    },
    Workload("read_frozen_int") { bench in
        let persons = try await bench.personsRealm().objects(Person.self)
        guard let person = persons.first else { return [.unsupported("read_frozen_int", "empty")] }
        let (seconds, sum) = timed {
            var sum = 0
            for turn in 0..<readCount { sum &+= person.age ^ turn }
            return sum
        }
        return [reading("read_frozen_int", seconds, sum, age: person.age)]
    },
    Workload("read_live_int") { bench in
        try await LiveReader().measure(bench.personsRealm())
    },
]

private let readCount = 10_000_000

/// Nanoseconds per read, checked against the same sum over a plain number.
private func reading(_ row: String, _ seconds: Double, _ sum: Int, age: Int) -> Measurement {
    var expected = 0
    for turn in 0..<readCount { expected &+= age ^ turn }
    return Measurement(
        row, seconds * 1e9 / Double(readCount), "ns/read", check: .equal(sum, expected))
}

/// Reads a live object on the actor that opened its realm.
private actor LiveReader {
    func measure(_ realm: Realm) async throws -> [Measurement] {
        let live = try await realm.live()
        guard let person = live.objects(Person.self).first else {
            return [.unsupported("read_live_int", "empty")]
        }
        let (seconds, sum) = timed {
            var sum = 0
            for turn in 0..<readCount { sum &+= person.age ^ turn }
            return sum
        }
        return [reading("read_live_int", seconds, sum, age: person.age)]
    }
}

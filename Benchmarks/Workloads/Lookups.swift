import RealmActors

let lookupWorkloads: [Workload<Bench>] = [
    Workload("w05_pk") { bench in
        let snapshot = try await bench.personsRealm().snapshot()
        let count = bench.count
        let expected = Answers.expected(count).keyLookups
        let (seconds, sum) = timed { lookUpByKey(count, in: snapshot) }
        return [
            Measurement(
                "w05_pk", Double(count) / seconds, "lookups/s", check: .equal(sum, expected))
        ]
    },
    Workload("w05_email") { bench in
        let snapshot = try await bench.personsRealm().snapshot()
        let count = bench.count
        let expected = Answers.expected(count).emailLookups
        let emails = (0..<count).map { Dataset.email(Dataset.pick(2, $0, of: count)) }
        let persons = snapshot.objects(Person.self)
        let (seconds, sum) = timed {
            var sum = 0
            for email in emails {
                guard let person = persons.where({ $0.email == email }).first else { continue }
                sum += Int(person.name.utf8.first ?? 0) + person.age
            }
            return sum
        }
        return [
            Measurement(
                "w05_email", Double(count) / seconds, "lookups/s", check: .equal(sum, expected))
        ]
    },
]

/// Looks up as many random persons by their keys, and adds up what is read of them.
@inline(__always)
func lookUpByKey(_ count: Int, in snapshot: Snapshot) -> Int {
    var sum = 0
    for index in 0..<count {
        let key = Dataset.pick(1, index, of: count)
        guard let person = snapshot.object(Person.self, forPrimaryKey: key) else { continue }
        sum += Int(person.name.utf8.first ?? 0) + person.age
    }
    return sum
}

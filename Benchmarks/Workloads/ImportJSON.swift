import Foundation
import RealmActors

/// Persons from JSON, in one transaction and on request: straight into rows, and the two ways that
/// make something else first.
let importWorkloads: [Workload<Bench>] = [
    jsonWorkload("w01d_json_import") { data, tx in
        try tx.create(Person.self, json: data).count
    },
    jsonWorkload("w01d_json_dictionaries") { data, tx in
        let values = try JSONSerialization.jsonObject(with: data) as? [Any] ?? []
        for value in values { try tx.create(Person.self, value: value) }
        return values.count
    },
    jsonWorkload("w01d_json_structs") { data, tx in
        let people = try JSONDecoder().decode([PersonValues].self, from: data)
        for values in people { try tx.add(values.person) }
        return people.count
    },
]

/// Times what imports JSON; making the JSON does not count.
private func jsonWorkload(
    _ row: String,
    _ importAll: @escaping @Sendable (Data, WriteTransaction) throws -> Int
) -> Workload<Bench> {
    Workload<Bench>(row) { bench in
        let data = try JSONEncoder().encode((0..<bench.count).map { PersonValues($0) })
        let realm = try await bench.freshRealm("json")
        let clock = ContinuousClock()
        let start = clock.now
        let count = try await realm.write { tx in try importAll(data, tx) }
        let seconds = (clock.now - start).inSeconds
        let found = realm.objects(Person.self).count == count ? count : -1
        try await bench.discard(realm)
        return [
            Measurement(
                row, Double(count) / seconds, "objects/s", check: .equal(found, bench.count))
        ]
    }.onRequest
}

/// A person as JSON has one.
private struct PersonValues: Codable {
    var id: Int
    var name: String
    var age: Int
    var score: Double
    var active: Bool
    var email: String

    init(_ number: Int) {
        id = number
        name = Dataset.name(number)
        age = Dataset.age(number)
        score = Dataset.score(number)
        active = Dataset.isActive(number)
        email = Dataset.email(number)
    }

    var person: Person {
        let person = Person()
        person.id = id
        person.name = name
        person.age = age
        person.score = score
        person.active = active
        person.email = email
        return person
    }
}

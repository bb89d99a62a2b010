/// A person in a plain array: what the right answers are computed from, without a database.
struct PlainPerson {
    let name: String
    let age: Int
    let score: Double
    let active: Bool

    init(_ number: Int) {
        name = Dataset.name(number)
        age = Dataset.age(number)
        score = Dataset.score(number)
        active = Dataset.isActive(number)
    }

    /// The first byte of the name, part of several checksums.
    var initial: Int { Int(name.utf8.first ?? 0) }
}

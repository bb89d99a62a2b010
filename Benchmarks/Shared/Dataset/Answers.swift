/// The right answers for a number of persons, computed with plain arrays; at the standard size
/// they must also be the published ones.
struct Answers: Sendable {
    var keyLookups = 0
    var emailLookups = 0
    var count = 0
    var begins = 0
    var contains = 0
    var scoreSum = 0.0
    var ageSum = 0
    var smallestAge = 0
    var largestAge = 0
    var firstName = ""
    var lastOfThousand = ""
    var agesInNameOrder: UInt64 = 0
    var enumeration = 0
    var left = 0
    var names = 0
    var remainders = 0

    /// What was published for 1,000,000 persons.
    static let published = Answers(
        keyLookups: 158_938_791, emailLookups: 158_982_020, count: 344_777, begins: 1453,
        contains: 600, scoreSum: 499_437_665.824813, ageSum: 49_461_476, smallestAge: 0,
        largestAge: 99, firstName: "aaaajsltyuur", lastOfThousand: "aarhpzzjcgtr",
        agesInNameOrder: 8_853_642_824_585_966_964, enumeration: 158_964_605, left: 310_205,
        names: 1_000_000, remainders: 139_698)

    /// The answers for `count` persons.
    static func expected(_ count: Int) -> Answers {
        count == Dataset.standardCount ? published : computed(count)
    }

    /// The answers from plain arrays.
    static func computed(_ count: Int) -> Answers {
        let persons = (0..<count).map(PlainPerson.init)
        var answers = Answers()
        for index in 0..<count {
            let byKey = persons[Dataset.pick(1, index, of: count)]
            answers.keyLookups += byKey.initial + byKey.age
            let byEmail = persons[Dataset.pick(2, index, of: count)]
            answers.emailLookups += byEmail.initial + byEmail.age
        }
        answers.count = persons.count { $0.age > 30 && $0.active }
        answers.begins = persons.count { $0.name.hasPrefix("ab") }
        answers.contains = persons.count { $0.name.contains("xyz") }
        answers.scoreSum = persons.reduce(0) { $0 + $1.score }
        answers.ageSum = persons.reduce(0) { $0 + $1.age }
        answers.smallestAge = persons.lazy.map(\.age).min() ?? 0
        answers.largestAge = persons.lazy.map(\.age).max() ?? 0
        answers.enumeration = persons.reduce(0) { $0 + $1.age + $1.initial }
        answers.left = persons.count { $0.age <= 30 }
        answers.names = Set(persons.map(\.name)).count
        answers.remainders = persons.count { $0.age % 7 == 3 }
        let sorted = persons.sorted { $0.name < $1.name }
        answers.firstName = sorted.first?.name ?? ""
        answers.lastOfThousand = sorted.prefix(1000).last?.name ?? ""
        answers.agesInNameOrder = sorted.reduce(0) { $0 &* 31 &+ UInt64($1.age) }
        return answers
    }
}

extension Answers {
    /// The mean age; the published sum is over 1,000,000 persons.
    func averageAge(of count: Int) -> Double { Double(ageSum) / Double(count) }
}

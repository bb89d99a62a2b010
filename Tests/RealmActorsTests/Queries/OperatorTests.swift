import Foundation
import RealmActors
import Storage
import Testing

@Suite struct OperatorTests {
    private func numbers(
        _ isIncluded: (Query<KennelDog>) -> Query<Bool>
    ) throws -> [Int] {
        try Kennels.filled().dogs().where(isIncluded).map(\.number)
    }

    @Test("Q4: comparisons")
    func comparisons() throws {
        #expect(try numbers { $0.age == 4 } == [2])
        #expect(try numbers { $0.age != 4 } == [0, 1, 3, 4, 5])
        #expect(try numbers { $0.age < 4 } == [0, 1])
        #expect(try numbers { $0.age <= 4 } == [0, 1, 2])
        #expect(try numbers { $0.age > 6 } == [4, 5])
        #expect(try numbers { $0.age >= 6 && $0.good } == [4])
        #expect(try numbers { $0.good == false } == [1, 3, 5])
        #expect(try numbers { !$0.good || $0.age == 0 } == [0, 1, 3, 5])
        #expect(try numbers { $0.mood == .playful } == [3, 4, 5])
        #expect(try numbers { $0.mood.rawValue.starts(with: "c") } == [0, 1, 2])
        #expect(try numbers { $0.age > $0.number && $0.age < 5 } == [1, 2])
    }

    @Test("Q11: nil orders with nothing")
    func nullOrdersWithNothing() throws {
        #expect(try numbers { $0.weight < 100 } == [0, 1, 3, 5])
        #expect(try numbers { $0.weight != 1.5 } == [0, 2, 3, 4, 5])
        #expect(try numbers { $0.weight == nil } == [2])
        #expect(try numbers { $0.weight <= nil } == [2])
        #expect(try numbers { $0.weight < nil } == [])
        #expect(try numbers { $0.weight != nil } == [0, 1, 3, 4, 5])
        #expect(try numbers { $0.weight.isNil } == [2])
        #expect(try numbers { $0.nickname == "" } == [])
        #expect(try numbers { $0.nickname != "Bee" } == [0, 2, 3, 4, 5])
        #expect(try numbers { !($0.weight > 2) } == [0, 1, 2, 4])
    }

    @Test func notANumberEqualsNothing() throws {
        #expect(try numbers { $0.weight == .nan } == [])
        #expect(try numbers { $0.weight != .nan } == [0, 1, 2, 3, 4, 5])
        #expect(try numbers { $0.weight.in([.nan, 0.5]) } == [0])
    }

    @Test("Q5: operators of texts")
    func texts() throws {
        #expect(try numbers { $0.name.starts(with: "R") } == [0, 5])
        #expect(try numbers { $0.name.contains("e") } == [0, 1, 2, 4, 5])
        #expect(try numbers { $0.name.contains("") } == [])
        #expect(try numbers { $0.name.starts(with: nil) } == [])
        #expect(try numbers { $0.name.ends(with: "er") } == [5])
        #expect(
            try numbers { $0.name.contains("E", options: .caseInsensitive) } == [0, 1, 2, 4, 5])
        let loose: StringOptions = [.caseInsensitive, .diacriticInsensitive]
        #expect(try numbers { $0.name.starts(with: "em", options: loose) } == [2])
        #expect(try numbers { $0.name.equals("E\u{301}MILE", options: .caseInsensitive) } == [2])
        #expect(
            try numbers { $0.name.notEquals("REX", options: .caseInsensitive) } == [1, 2, 3, 4, 5])
        #expect(try numbers { $0.name.like("?e*") } == [0, 1])
        #expect(try numbers { $0.name.like("r*", caseInsensitive: true) } == [0, 5])
        #expect(try numbers { $0.name < "Rover" } == [0, 3, 4])
    }

    @Test func valuesAndRanges() throws {
        #expect(try numbers { $0.age.in([2, 8, 99]) } == [1, 4])
        #expect(try numbers { $0.age.contains(2..<6) } == [1, 2])
        #expect(try numbers { $0.age.contains(2...6) } == [1, 2, 3])
        #expect(try numbers { $0.weight.contains(0...1.5) } == [0, 1])
        #expect(try numbers { $0.number == 3 } == [3])
        #expect(try numbers { $0.number.in([5, 1, 5]) } == [1, 5])
        #expect(try numbers { $0.name == "Rex" && $0.age == 0 } == [0])
    }

    @Test("Q20: links and collections")
    func linksAndCollections() throws {
        #expect(try numbers { $0.owner.name == "Ann" } == [0, 1, 2])
        #expect(try numbers { $0.owner.name != "Ann" } == [3, 4, 5])
        #expect(try numbers { $0.owner == nil } == [5])
        #expect(try numbers { $0.owner != nil } == [0, 1, 2, 3, 4])
        #expect(try numbers { $0.owners.count == 2 } == [3])
        #expect(try numbers { $0.owners.name == "Ann" } == [0, 1, 2])
        let kennels = try Kennels.filled()
        let owners = kennels.owners()
        #expect(owners.where { $0.dogs.count == 3 }.map(\.name) == ["Ann"])
        #expect(owners.where { $0.dogs.age > 5 }.map(\.name) == ["Bob"])
        #expect(owners.where { $0.scores.contains(5) }.map(\.name) == ["Ann"])
        #expect(owners.where { $0.dogs.age.max == 4 }.map(\.name) == ["Ann"])
        let dogs = FrozenResults<KennelDog>(context: owners.context, model: kennels.dog)
        let ann = try #require(owners.first)
        #expect(dogs.where { $0.owner == ann }.count == 3)
        #expect(owners.where { $0.dogs.contains(dogs[3]) }.map(\.name) == ["Bob"])
        #expect(ann.dogs.first?.name == "Rex")
        #expect(dogs[3].owners.map(\.name) == ["Bob", "Bob"])
    }

    /// The compiler finds the operators through their operands: this must not get slow to check.
    @Test func aLongConditionIsQuickToCheck() throws {
        let found = try numbers {
            $0.age > 0 && $0.age < 100 && $0.name != "x" && $0.good == true && $0.number >= 0
                && ($0.weight > 1 || $0.weight == nil || $0.nickname == "y")
                && !($0.name.contains("q")) && $0.mood != .playful && $0.age != 3
                && ($0.owner.name == "Ann" || $0.owner == nil) && $0.number <= 50
                && $0.name.starts(with: "\u{C9}") && $0.age.in([1, 4])
        }
        #expect(found == [2])
    }
}

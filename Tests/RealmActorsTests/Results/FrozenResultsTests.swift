import Foundation
import RealmActors
import Storage
import Testing

@Suite struct FrozenResultsTests {
    @Test func isACollection() throws {
        let dogs = try Kennels.filled().dogs()
        #expect(dogs.count == 6)
        #expect(dogs[5].name == "Rover")
        #expect(dogs.first?.name == "Rex" && dogs.last?.number == 5)
        #expect(dogs.map { $0.name } == dogs.map(\.name))
        #expect(Array(dogs).map(\.age) == dogs.values(of: \.age))
        #expect(dogs.index(of: dogs[2]) == 2)
        #expect(dogs.reversed().map { $0.number } == [5, 4, 3, 2, 1, 0])
        let none = dogs.where { $0.age > 100 }
        #expect(none.isEmpty && none.first == nil && none.last == nil && none.count == 0)
        #expect(dogs.map(\.owner?.name) == ["Ann", "Ann", "Ann", "Bob", "Bob", nil])
    }

    @Test func keptObjectsStayWhatTheyAre() throws {
        var held: [Frozen<KennelDog>] = []
        for dog in try Kennels.filled().dogs() where dog.number % 2 == 1 { held.append(dog) }
        #expect(held.map(\.number) == [1, 3, 5])
    }

    @Test func sorts() throws {
        let dogs = try Kennels.filled().dogs()
        #expect(dogs.sorted(by: \.name).map(\.number) == [3, 4, 0, 5, 1, 2])
        #expect(dogs.sorted(by: \.weight).map(\.number) == [2, 4, 0, 1, 3, 5])
        #expect(dogs.sorted(by: \.weight, ascending: false).map(\.number) == [5, 3, 1, 0, 4, 2])
        #expect(dogs.sorted(by: \.owner?.name).map(\.number) == [0, 1, 2, 3, 4, 5])
        #expect(
            dogs.sorted(by: \.owner?.name, ascending: false).map(\.number) == [5, 3, 4, 0, 1, 2])
        let both = try dogs.sorted(by: [
            SortDescriptor(keyPath: \KennelDog.mood, ascending: false),
            SortDescriptor(keyPath: "age", ascending: false),
        ])
        #expect(both.map(\.number) == [5, 4, 3, 2, 1, 0])
        #expect(both.where { $0.good }.map(\.number) == [4, 2, 0])
        #expect(both.limit(2).map(\.number) == [5, 4])
        #expect(both.limit(4).where { $0.good }.map(\.number) == [4, 2])
        #expect(dogs.sorted(by: \.age).sorted(by: \.good).map(\.number) == [1, 3, 5, 0, 2, 4])
        #expect(throws: RealmError.self) {
            try dogs.sorted(by: [SortDescriptor(keyPath: "colour")])
        }
        #expect(throws: RealmError.self) {
            try dogs.sorted(by: [SortDescriptor(keyPath: "owners.name")])
        }
    }

    @Test func distinctKeepsTheFirst() throws {
        let dogs = try Kennels.filled().dogs()
        #expect(dogs.distinct(by: \.mood).map(\.number) == [0, 3])
        #expect(
            dogs.sorted(by: \.age, ascending: false).distinct(by: \.mood).map(\.number) == [5, 2])
        #expect(dogs.distinct(by: [\.mood, \.good]).count == 4)
    }

    @Test func aggregates() throws {
        let dogs = try Kennels.filled().dogs()
        #expect(dogs.sum(of: \.age) == 30)
        #expect(dogs.average(of: \.age) == 5)
        #expect(dogs.min(of: \.age) == 0 && dogs.max(of: \.age) == 10)
        #expect(dogs.min(of: \.weight) == 0.5 && dogs.max(of: \.weight) == 5.5)
        let none = dogs.where { $0.age < 0 }
        #expect(none.sum(of: \.age) == 0 && none.average(of: \.age) == nil)
        #expect(none.min(of: \.age) == nil && none.max(of: \.born) == nil)
        #expect(dogs.where { $0.good }.sum(of: \.age) == 12)
        #expect(dogs.sorted(by: \.age).limit(3).max(of: \.age) == 4)
        #expect(dogs.where { $0.weight < 4 }.sum(of: \.weight) == 5.5)
    }
}

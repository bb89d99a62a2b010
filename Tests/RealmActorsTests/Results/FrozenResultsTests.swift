import Foundation
import RealmActors
import Storage
import Testing

extension KennelDog {
    fileprivate var ageText: String { "\(age)" }
    fileprivate var initial: String { String(name.prefix(1)) }
    fileprivate var label: String { "\(number) \(name)" }
}

@Suite struct FrozenResultsTests {
    @Test("Q1: all objects of a class, of the version that is asked")
    func allObjects() async throws {
        try await withFreshRealm([KennelDog.self, KennelOwner.self]) { realm in
            let before = realm.snapshot()
            try await realm.write { tx in
                for number in 0..<3 { try tx.create(KennelDog.self, value: ["number": number]) }
            }
            #expect(before.objects(KennelDog.self).isEmpty)
            #expect(realm.objects(KennelDog.self).map(\.number) == [0, 1, 2])
            #expect(realm.objects(KennelOwner.self).isEmpty)
        }
    }

    @Test("Q2: an object by its primary key, nil when there is none")
    func byPrimaryKey() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            try await realm.write { tx in
                try tx.create(Mark.self, value: ["number": 7, "weight": 3])
                #expect(tx.object(Mark.self, forPrimaryKey: 7)?.weight == 3)
                #expect(tx.object(Mark.self, forPrimaryKey: 8) == nil)
            }
            #expect(realm.object(Mark.self, forPrimaryKey: 7)?.weight == 3)
            #expect(realm.object(Mark.self, forPrimaryKey: 8) == nil)
        }
    }

    @Test("Q3, D16: without a sort the order is that of creation, whatever is deleted")
    func orderOfCreation() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let numbers = (0..<1_000).map { ($0 * 7) % 1_000 }
            var kept: [Int] = []
            try await realm.write { tx in
                for number in numbers { try tx.create(Mark.self, value: ["number": number]) }
            }
            for divisor in [3, 2] {
                kept = try await realm.write { tx in
                    for mark in tx.objects(Mark.self) where mark.number % divisor == 0 {
                        try tx.delete(mark)
                    }
                    return tx.objects(Mark.self).map(\.number)
                }
                #expect(realm.objects(Mark.self).map(\.number) == kept)
            }
            #expect(kept == numbers.filter { $0 % 3 != 0 && $0 % 2 != 0 })
            try await realm.write { tx in _ = try tx.create(Mark.self, value: ["number": 0]) }
            #expect(realm.objects(Mark.self).map(\.number) == kept + [0])
        }
    }

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

    /// What was computed of one property was read from the column as if it were that property, and
    /// with another type from memory that is no such value.
    @Test func valuesThatAreComputedOfAPropertyAreNotThoseOfItsColumn() throws {
        let dogs = try Kennels.filled().dogs()
        #expect(dogs.values(of: \.ageText) == ["0", "2", "4", "6", "8", "10"])
        #expect(dogs.values(of: \.initial) == ["R", "b", "\u{C9}", "", "A", "R"])
        #expect(dogs.values(of: \.name.count) == [3, 5, 5, 0, 3, 5])
        #expect(dogs.values(of: \.mood.rawValue) == dogs.values(of: \.mood).map(\.rawValue))
        #expect(dogs.values(of: \.label) == dogs.map { "\($0.number) \($0.name)" })
    }

    @Test func keptObjectsStayWhatTheyAre() throws {
        var held: [Frozen<KennelDog>] = []
        for dog in try Kennels.filled().dogs() where dog.number % 2 == 1 { held.append(dog) }
        #expect(held.map(\.number) == [1, 3, 5])
    }

    @Test("M6: what an accessor has beside its row does not reach the next row")
    func otherProperties() async throws {
        try await withFreshRealm([NotedCat.self]) { realm in
            try await realm.write { tx in
                for number in 0..<3 { try tx.create(NotedCat.self, value: ["number": number]) }
            }
            for cat in realm.objects(NotedCat.self) {
                #expect(cat.note == "")
                cat.withObject { $0.note = "seen" }
            }
        }
    }

    @Test("Q13: sorted results")
    func sorts() throws {
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

    @Test("Q14: distinct keeps the first")
    func distinctKeepsTheFirst() throws {
        let dogs = try Kennels.filled().dogs()
        #expect(dogs.distinct(by: \.mood).map(\.number) == [0, 3])
        #expect(
            dogs.sorted(by: \.age, ascending: false).distinct(by: \.mood).map(\.number) == [5, 2])
        #expect(dogs.distinct(by: [\.mood, \.good]).count == 4)
    }

    @Test("Q15: aggregates of results")
    func aggregates() throws {
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

import Foundation
import RealmActors
import Testing

/// Predicates of Foundation, translated: they find what they find when evaluated in Swift, or are
/// refused by name.
@Suite struct FoundationPredicateTests {
    private func withShips(_ body: (FrozenResults<Ship>) throws -> Void) async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: Ships.types))
        try await realm.write { tx in try Ships.fill(tx) }
        try body(realm.objects(Ship.self))
        try await realm.close()
    }

    /// What the translation finds, and what the predicate says of each object.
    private func check(
        _ ships: FrozenResults<Ship>, _ predicate: Predicate<Ship>, _ expected: [Int],
        location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try ships.filter(predicate).values(of: \.number)
        #expect(found == expected, sourceLocation: location)
        let evaluated = try ships.filter {
            try $0.withObject { ship in try predicate.evaluate(ship) }
        }
        #expect(evaluated.map(\.number) == expected, sourceLocation: location)
    }

    @Test("Q21: #Predicate with comparisons")
    func comparisonsFindWhatSwiftFinds() async throws {
        try await withShips { ships in
            let (three, code) = (3, Ships.code)
            try check(ships, #Predicate { $0.masts == three }, [1, 3])
            try check(ships, #Predicate { $0.masts != 3 && $0.number > 0 }, [2])
            try check(ships, #Predicate { 3 <= $0.masts || $0.number == 0 }, [0, 1, 3])
            try check(ships, #Predicate { !$0.fast }, [1, 2])
            try check(ships, #Predicate { $0.fast == false || !($0.masts < 3) }, [1, 2, 3])
            try check(ships, #Predicate { $0.tons == nil }, [2])
            try check(ships, #Predicate { $0.tons != 100 }, [1, 2, 3])
            try check(ships, #Predicate { ($0.tons ?? 0) < 50 }, [2, 3])
            try check(ships, #Predicate { ($0.nickname ?? "none") == "none" }, [1, 2])
            try check(ships, #Predicate { $0.code == code }, [0])
            try check(ships, #Predicate { $0.number < $0.masts }, [0, 1])
            try check(ships, #Predicate { $0.speed > 1 }, [0, 3])
            try check(ships, #Predicate { $0.masts == 3 ? $0.fast : $0.number == 2 }, [2, 3])
            try check(ships, #Predicate { _ in true }, [0, 1, 2, 3])
        }
    }

    @Test func linksAndTextsFindWhatSwiftFinds() async throws {
        try await withShips { ships in
            let rig = Rig.brig
            try check(ships, #Predicate { $0.captain?.name == "Ann" }, [0])
            try check(ships, #Predicate { $0.captain?.name != "Ann" }, [1, 2, 3])
            try check(ships, #Predicate { $0.captain == nil }, [2])
            try check(ships, #Predicate { $0.captain?.friend?.age == 30 }, [0])
            try check(
                ships,
                #Predicate { ship in
                    if let captain = ship.captain { captain.age > 45 } else { false }
                }, [1, 3])
            try check(
                ships,
                #Predicate { ship in
                    if let captain = ship.captain { captain.age > 45 } else { true }
                }, [1, 2, 3])
            try check(ships, #Predicate { $0.name.contains("rg") }, [0, 3])
            try check(ships, #Predicate { $0.name.starts(with: "A") }, [0])
            try check(ships, #Predicate { $0.name.contains("") }, [0, 1, 2, 3])
            try check(ships, #Predicate { $0.rig == rig }, [0])
            try check(ships, #Predicate { $0.place?.harbour == "Cadiz" }, [0])
        }
    }

    @Test func collectionsAndCalculationsFindWhatSwiftFinds() async throws {
        try await withShips { ships in
            let numbers = [3, 0]
            try check(ships, #Predicate { numbers.contains($0.number) }, [0, 3])
            try check(ships, #Predicate { (1...2).contains($0.number) }, [1, 2])
            try check(ships, #Predicate { (1..<2).contains($0.number) }, [1])
            try check(ships, #Predicate { $0.crew.count == 3 }, [0])
            try check(ships, #Predicate { $0.crew.isEmpty }, [2])
            try check(ships, #Predicate { $0.ports.contains("Oslo") }, [0, 1])
            try check(
                ships, #Predicate { $0.crew.contains { $0.age > 25 && $0.name != "Eve" } }, [0, 1])
            try check(ships, #Predicate { $0.crew.allSatisfy { $0.age > 45 } }, [1, 2, 3])
            try check(ships, #Predicate { $0.crew.filter { $0.age > 25 }.count > 1 }, [0, 1])
            try check(ships, #Predicate { $0.crew.filter { $0.age > 25 }.isEmpty }, [2])
            try check(ships, #Predicate { $0.marks.contains { $0 > 2 } }, [0, 1])
            try check(ships, #Predicate { $0.marks.allSatisfy { $0 > 1 } }, [1, 2, 3])
            try check(ships, #Predicate { $0.masts + 1 == 4 }, [1, 3])
            try check(ships, #Predicate { $0.masts * 2 - $0.number == 4 }, [0])
            try check(ships, #Predicate { -$0.masts < -2 }, [1, 3])
            try check(ships, #Predicate { $0.speed / 2 == 4.25 }, [0])
            try check(ships, #Predicate { $0.masts % 3 == 0 }, [1, 2, 3])
        }
    }

    @Test("Q21: what cannot be translated is named")
    func whatCannotBeTranslatedIsNamed() async throws {
        try await withShips { ships in
            func refusal(_ predicate: Predicate<Ship>) -> String {
                do throws(RealmError) {
                    _ = try ships.filter(predicate)
                    return "taken"
                } catch {
                    return error.description
                }
            }
            #expect(refusal(#Predicate { $0.visits == 1 }).contains("kind 'KeyPath'"))
            #expect(refusal(#Predicate { $0.name.count == 1 }).contains("kind 'KeyPath'"))
            #expect(
                refusal(#Predicate { $0.marks.contains { $0 > 2 && $0 < 5 } })
                    .contains("kind 'SequenceContainsWhere'"))
            #expect(
                refusal(#Predicate { ship in ship.crew.contains { $0.age > ship.masts } })
                    .contains("kind 'Variable'"))
        }
    }

    @Test func liveResultsAndListsTakePredicates() async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: Ships.types))
        try await realm.write { tx in
            try Ships.fill(tx)
            let ships = tx.objects(Ship.self)
            let fast = try ships.filter(#Predicate<Ship> { $0.fast })
            #expect(fast.map(\.number) == [0, 3])
            ships[1].fast = true
            #expect(fast.map(\.number) == [0, 1, 3])
            let crew = try ships[0].crew.filter(#Predicate<Sailor> { $0.age > 25 })
            #expect(crew.map(\.name) == ["Bob", "Cy"])
            #expect(try ships[0].crew.filter("age > %@", 25).map(\.name) == ["Bob", "Cy"])
            #expect(
                try ships[0].crew.filter("age > $age", arguments: ["age": 35]).map(\.name) == ["Cy"]
            )
        }
        let argo = try #require(realm.objects(Ship.self).first)
        #expect(try argo.crew.filter("age > 25 SORT(age DESC)").map(\.name) == ["Cy", "Bob"])
        #expect(
            try argo.crew.filter(#Predicate<Sailor> { $0.age < 25 }).map(\.name) == ["Ann"])
        #expect(
            try realm.objects(Ship.self).filter("number == $n", arguments: ["n": 1]).count == 1)
        #expect(try realm.dynamicObjects("Ship").filter("captain.age > 45").count == 2)
        try await realm.close()
    }
}

import Foundation
import RealmActors
import Testing

/// The operators of the type-safe form that look into collections, on frozen, live and uncommitted
/// objects.
@Suite struct TypedCollectionTests {
    @Test("Q9: conditions on one collection, all on the same element")
    func subqueries() async throws {
        try await Ships.check { ships in
            #expect(ships.numbers { ($0.crew.age >= 30).count >= 2 } == [0, 1])
            #expect(ships.numbers { ($0.crew.age == 20 && $0.crew.name == "Bob").count > 0 } == [])
            #expect(ships.numbers { $0.crew.age == 20 && $0.crew.name == "Bob" } == [0])
            #expect(ships.numbers { ($0.crew.age > 25 && $0.crew.name == "Bob").count == 1 } == [0])
            #expect(ships.numbers { ($0.crew.age > 100).count == 0 } == [0, 1, 2, 3])
            #expect(ships.numbers { ($0.crew.friend.age == 30).count == 1 } == [0])
            #expect(ships.numbers { !(($0.crew.pay == nil).count != 1) } == [1, 3])
            #expect(ships.numbers { (!($0.crew.age > 25)).count == 1 } == [0])
            #expect(ships.numbers { ($0.captain.ships.masts > 2).count == 2 } == [3])
            // One within another: crews of whom somebody sails on a ship with two fellows.
            #expect(ships.numbers { (($0.crew.ships.masts == 3).count == 2).count == 1 } == [1, 3])
        }
    }

    @Test("Q4: an optional number against one that is not, and calculations with both")
    func optionalNumbers() async throws {
        // Tons: 100, 250, nil, 3; masts: 2, 3, 0, 3.
        try await Ships.check { ships in
            #expect(ships.numbers { $0.tons > $0.masts } == [0, 1])
            #expect(ships.numbers { $0.masts < $0.tons } == [0, 1])
            #expect(ships.numbers { $0.tons == $0.masts } == [3])
            #expect(ships.numbers { $0.tons != $0.masts } == [0, 1, 2])
            #expect(ships.numbers { $0.masts != $0.tons } == [0, 1, 2])
            #expect(ships.numbers { $0.masts == $0.tons || $0.masts >= $0.tons } == [3])
            #expect(ships.numbers { $0.tons == $0.tons } == [0, 1, 2, 3])
            #expect(ships.numbers { $0.tons < $0.tons || $0.tons > $0.tons } == [])
            #expect(ships.numbers { $0.tons <= $0.tons && $0.tons >= $0.tons } == [0, 1, 2, 3])
            #expect(ships.numbers { $0.tons + $0.masts == 102 } == [0])
            #expect(ships.numbers { $0.masts + $0.tons == 102 } == [0])
            #expect(ships.numbers { $0.tons - $0.masts * 2 == 96 } == [0])
            #expect(ships.numbers { 1000 - $0.tons < 800 } == [1])
            #expect(ships.numbers { 2 * $0.tons == 200 } == [0])
            #expect(ships.numbers { $0.tons * $0.masts == nil } == [2])
            #expect(ships.numbers { $0.tons / $0.masts == 50 } == [0])
            #expect(ships.numbers { $0.masts / $0.tons == 0 } == [0, 1])
            #expect(
                ships.numbers { $0.captain.pay < $0.speed }
                    == ships.numbers { $0.speed > $0.captain.pay })
        }
    }

    @Test("Q6: any, all, none")
    func quantifiers() async throws {
        try await Ships.check { ships in
            #expect(ships.numbers { $0.crew.any.age > 45 } == [1, 3])
            #expect(ships.numbers { $0.crew.all.age > 45 } == [1, 2, 3])
            #expect(ships.numbers { $0.crew.none.age > 45 } == [0, 2])
            #expect(ships.numbers { $0.crew.friend != Sailor() } == [0, 1, 3])
            #expect(ships.numbers { $0.captain != Sailor() } == [0, 1, 2, 3])
            #expect(ships.numbers { $0.crew.contains(Sailor()) } == [])
            #expect(ships.numbers { $0.marks.any == 3 } == [0])
            #expect(ships.numbers { $0.marks.all > 1 } == [1, 2, 3])
            #expect(ships.numbers { $0.marks.none > 1 } == [2, 3])
            #expect(ships.numbers { $0.marks.none.in([5, 6]) } == [0, 2, 3])
            #expect(ships.numbers { $0.marks.any.contains(3...9) } == [0, 1])
            #expect(ships.numbers { $0.marks.all.contains(1..<4) } == [0, 2, 3])
            #expect(ships.numbers { $0.marks.none.contains(1..<4) } == [1, 2, 3])
            #expect(ships.numbers { $0.ports.all.starts(with: "O") } == [1, 2, 3])
            #expect(ships.numbers { $0.draughts.any == nil } == [0])
            #expect(ships.numbers { $0.draughts.all > 1 } == [1, 2, 3])
            #expect(ships.numbers { $0.crew.all.age > $0.masts } == [0, 1, 2, 3])
            #expect(ships.numbers { $0.crew.none.age == $0.masts + 47 } == [0, 2, 3])
        }
    }

    @Test("Q6: range means all; count, min, max, sum, avg of elements and key paths")
    func aggregates() async throws {
        try await Ships.check { ships in
            #expect(ships.numbers { $0.marks.contains(1...3) } == [0])
            #expect(ships.numbers { $0.crew.age.contains(20..<41) } == [0])
            #expect(ships.numbers { $0.marks.max == 3 || $0.marks.min == 5 } == [0, 1])
            #expect(ships.numbers { $0.marks.sum == 6 } == [0])
            #expect(ships.numbers { $0.marks.sum == 0 } == [2, 3])
            #expect(ships.numbers { $0.marks.avg == 2 } == [0])
            #expect(ships.numbers { $0.marks.min == nil && $0.marks.avg == nil } == [2, 3])
            #expect(ships.numbers { $0.draughts.sum == 5 && $0.draughts.avg == 2.5 } == [0])
            #expect(ships.numbers { $0.draughts.max < 3 } == [1])
            #expect(ships.numbers { $0.crew.pay.max == 4.5 } == [1])
            #expect(ships.numbers { $0.crew.pay.avg == 1.5 && $0.crew.age.sum == 90 } == [0])
            #expect(ships.numbers { $0.crew.count > $0.masts } == [0])
            #expect(ships.numbers { $0.ports.contains("Oslo") } == [0, 1])
            #expect(ships.numbers { $0.ports.containsAny(in: ["Cadiz", "Rome"]) } == [0])
            #expect(ships.numbers { $0.draughts.contains(nil) } == [0])
            #expect(ships.numbers { $0.ports.count == 0 } == [2, 3])
        }
    }

    /// Nothing but doubles could be compared with an average.
    @Test("Q6: an average compares with variables of the type of the values")
    func averages() async throws {
        try await Ships.check { ships in
            let (two, half): (Int, Double?) = (2, 2.5)
            #expect(ships.numbers { $0.marks.avg == two } == [0])
            #expect(ships.numbers { $0.marks.avg > two } == [1])
            #expect(ships.numbers { $0.draughts.avg == half } == [0])
            #expect(
                ships.numbers { $0.cargo.avg >= two } == ships.numbers { $0.cargo.avg >= 2.0 })
            #expect(
                ships.numbers { $0.captain.ships.length.avg < Float(9) }
                    == ships.numbers { $0.captain.ships.length.avg < 9 })
            #expect(
                ships.numbers { $0.captain.ships.tons.avg != Optional(two) }
                    == ships.numbers { $0.captain.ships.tons.avg != 2 })
            #expect(ships.numbers { $0.marks.avg.in([two]) } == [0])
        }
    }

    @Test("Q6: how many different values there are")
    func distinctCounts() async throws {
        try await Ships.check { ships throws in
            #expect(ships.numbers { $0.crew.age.distinctCount == 3 } == [0])
            #expect(ships.numbers { $0.crew.pay.distinctCount == 1 } == [1])
            #expect(ships.numbers { $0.draughts.distinctCount == 2 } == [0])
            #expect(ships.numbers { $0.ports.distinctCount > $0.masts - 2 } == [0, 2])
            #expect(ships.numbers { $0.cargo.distinctCount.in([1, 2]) } == [0, 1])
            #expect(ships.numbers { $0.extra.any.distinctCount == 3 } == [1])
            #expect(ships.numbers { $0.captain.ships.rig.distinctCount == 2 } == [3])
            #expect(try ships.find("crew.@distinctCount.pay == 1") == [1])
            #expect(try ships.find("crew.ships.@distinctCount.masts == 1.0") == [0, 1, 3])
            #expect(try ships.find("crew.ships.@distinctCount == 2") == [1, 3])
            #expect(try ships.find("ports.@DISTINCTCOUNT BETWEEN {1, 2}") == [0, 1])
            #expect(try ships.find("ports.@distinctCount + 2 == masts") == [1])
            #expect(try ships.find("extra[*].@distinctCount == 3") == [1])
            for wrong in ["ports.@distinctCount == 'x'", "masts.@distinctCount == 1"] {
                #expect(throws: RealmError.self) { try ships.find(wrong) }
            }
        }
    }

    /// None of several objects was none of one of them: nearly always.
    @Test func manyObjectsAreAskedForByQuantifier() async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: Ships.types))
        try await realm.write { tx in
            try Ships.fill(tx)
            let sailors = tx.objects(Sailor.self)
            let ships = tx.objects(Ship.self)
            let some = [sailors[0], sailors[3]]
            let last = [sailors[3], sailors[4]]
            #expect(ships.numbers { $0.crew.containsAny(in: some) } == [0, 1])
            #expect(ships.numbers { $0.crew.any.containsAny(in: some) } == [0, 1])
            #expect(ships.numbers { $0.crew.none.containsAny(in: some) } == [2, 3])
            #expect(ships.numbers { $0.crew.all.containsAny(in: last) } == [1, 2, 3])
            #expect(ships.numbers { $0.crew.none.containsAny(in: [Sailor]()) } == [0, 1, 2, 3])
            #expect(ships.numbers { $0.crew.containsAny(in: [Sailor]()) } == [])
        }
        try await realm.close()
    }

    @Test("Q7: keys, values and by key")
    func maps() async throws {
        try await Ships.check { ships in
            #expect(ships.numbers { $0.cargo["tea"] == 5 } == [0])
            #expect(ships.numbers { $0.cargo["tea"] > 0 } == [0, 1])
            #expect(ships.numbers { $0.cargo["tin"] != 50 } == [1, 2, 3])
            #expect(ships.numbers { $0.cargo["tea"].in([1, 2]) } == [1])
            #expect(ships.numbers { $0.cargo.keys == "tin" } == [0])
            #expect(ships.numbers { $0.cargo.keys.starts(with: "t") } == [0, 1])
            #expect(ships.numbers { $0.cargo.values > 40 } == [0])
            #expect(ships.numbers { $0.cargo.any < 5 } == [1])
            #expect(ships.numbers { $0.cargo.all < 6 } == [1, 2, 3])
            #expect(ships.numbers { $0.cargo.contains(5) || $0.cargo.sum == 1 } == [0, 1])
            #expect(ships.numbers { $0.cargo.count == 2 && $0.cargo.max == 50 } == [0])
            #expect(ships.numbers { $0.mates["first"].name == "Bob" } == [0])
            #expect(ships.numbers { $0.mates["first"].age > 0 } == [0, 1])
            #expect(ships.numbers { $0.mates["first"].name != "Bob" } == [1, 2, 3])
            #expect(ships.numbers { $0.mates["second"].isNil } == [0, 1, 2, 3])
            #expect(ships.numbers { $0.mates["first"].isNil } == [2, 3])
            #expect(ships.numbers { $0.mates["first"].friend.name == "Cy" } == [0])
            #expect(ships.numbers { $0.mates.count == 2 } == [0])
        }
    }

    @Test("Q8: by index, by key, any, nested")
    func valuesOfAnyType() async throws {
        try await Ships.check { ships in
            #expect(ships.numbers { $0.extra["b"] == 7 } == [0])
            #expect(ships.numbers { $0.extra["a"][2] == "deep" } == [0])
            #expect(ships.numbers { $0.extra["a"][-1] == "deep" } == [0])
            #expect(ships.numbers { $0.extra["a"].any == 2 } == [0])
            #expect(ships.numbers { $0.extra[1] == 20 } == [1])
            #expect(ships.numbers { $0.extra[3].isNil } == [0, 1, 2, 3])
            #expect(ships.numbers { $0.extra.any > 25 } == [1])
            #expect(ships.numbers { $0.extra.any.any == 1 } == [0])
            #expect(ships.numbers { $0.extra.keys == "a" } == [0])
            #expect(ships.numbers { $0.extra == "text" } == [3])
            #expect(ships.numbers { $0.extra.isNil } == [2])
        }
    }

    @Test("Q5: contains, starts, ends")
    func bytes() async throws {
        try await Ships.check { ships in
            #expect(ships.numbers { $0.flag.contains(Data([2])) } == [0])
            #expect(ships.numbers { $0.flag.starts(with: Data([1, 2])) } == [0])
            #expect(ships.numbers { $0.flag.ends(with: Data([2])) } == [])
            #expect(ships.numbers { $0.flag.contains(Data()) } == [])
            #expect(ships.numbers { $0.flag == Data([1, 2, 3]) } == [0])
        }
    }

    @Test("Q4: arithmetic on numbers")
    func arithmetic() async throws {
        try await Ships.check { ships in
            #expect(ships.numbers { $0.masts + 1 == 4 } == [1, 3])
            #expect(ships.numbers { $0.number + $0.masts > 4 } == [3])
            #expect(ships.numbers { $0.masts * 2 - $0.number == 4 } == [0])
            #expect(ships.numbers { 10 - $0.masts < 8 } == [1, 3])
            #expect(ships.numbers { 7 / $0.masts == 2 } == [1, 3])
            #expect(ships.numbers { $0.tons / 2 == 1 } == [3])
            #expect(ships.numbers { $0.tons + 1 != 101 } == [1, 2, 3])
            #expect(ships.numbers { $0.tons - $0.tons == 0 } == [0, 1, 3])
            #expect(ships.numbers { $0.speed * 2 == 17 } == [0])
            #expect(ships.numbers { $0.speed / 0 == .infinity } == [0, 3])
            #expect(ships.numbers { 1 / ($0.masts - 2) == 1 } == [1, 3])
            #expect(ships.numbers { $0.masts + .max > 0 } == [2])
            #expect(ships.numbers { $0.crew.count * 2 == $0.masts + 4 } == [0])
            #expect(ships.numbers { $0.captain.age + 5 > 50 } == [1, 3])
            #expect(ships.numbers { $0.price * 2 == 25 } == [0])
            #expect(ships.numbers { $0.marks.max - $0.marks.min == 2 } == [0])
        }
    }
}

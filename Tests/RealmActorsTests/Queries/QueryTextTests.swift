import Foundation
import RealmActors
import Testing

/// Queries in text, on frozen, live and uncommitted objects.
@Suite struct QueryTextTests {
    @Test("Q10: comparisons, AND, OR, NOT, constants of every kind")
    func comparisons() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("masts == 3") == [1, 3])
            #expect(try ships.find("masts = 3 AND number > 1") == [3])
            #expect(try ships.find("masts <> 3 && number != 2") == [0])
            #expect(try ships.find("3 <= masts or number == 2") == [1, 2, 3])
            #expect(try ships.find("NOT (masts >= 3 OR fast == YES)") == [2])
            #expect(try ships.find("!fast == true") == [1, 2])
            #expect(try ships.find("not fast = 1 AND masts => 0") == [1, 2])
            #expect(try ships.find("fast == NO || masts =< 2") == [0, 1, 2])
            #expect(try ships.find("speed > -1.5 AND speed < 8.5e0") == [1, 3])
            #expect(try ships.find("masts > 2.5") == [1, 3])
            #expect(try ships.find("tons == 250.0") == [1])
            #expect(try ships.find("length == 0.1") == [1])
            #expect(try ships.find("price == 0.1 OR price == 12.5") == [0, 1])
            #expect(try ships.find("number == 0x3") == [3])
            #expect(try ships.find("number > -9223372036854775808") == [0, 1, 2, 3])
            #expect(try ships.find("rig == 'ship'") == [1])
            #expect(try ships.find("rig == %@", Rig.brig) == [0])
            #expect(
                try ships.find("launched > %@", Date(timeIntervalSinceReferenceDate: 150)) == [1])
            #expect(try ships.find("code == %@", Ships.code) == [0])
            #expect(try ships.find("launched < %@", Date.distantFuture) == [0, 1])
            #expect(try ships.find("TRUEPREDICATE") == [0, 1, 2, 3])
            #expect(try ships.find("FALSEPREDICATE OR truepredicate AND number == 1") == [1])
            #expect(try ships.find("number < masts") == [0, 1])
            #expect(try ships.find("captain.age > tons") == [3])
            #expect(try ships.find("#number == 2") == [2])
        }
    }

    @Test("Q11: nil equals nil only, orders with nothing; NaN equals nothing")
    func nothing() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("tons == nil") == [2])
            #expect(try ships.find("tons == NULL OR nickname == nil") == [1, 2])
            #expect(try ships.find("tons != %@", nil) == [0, 1, 3])
            #expect(try ships.find("tons != 100") == [1, 2, 3])
            #expect(try ships.find("tons <= NULL") == [2])
            #expect(try ships.find("tons < NIL") == [])
            #expect(try ships.find("nickname == ''") == [3])
            #expect(try ships.find("speed == %f", Double.nan) == [])
            #expect(try ships.find("speed != %@", Double.nan) == [0, 1, 2, 3])
            #expect(try ships.find("speed >= 0 OR speed < 0") == [0, 1, 3])
            #expect(try ships.find("captain == nil") == [2])
            #expect(try ships.find("captain.friend.name == nil") == [1, 2, 3])
            #expect(try ships.find("number == nil") == [])
        }
    }

    @Test("Q5: operators, options, LIKE, empty and nil arguments never match")
    func texts() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("name BEGINSWITH 'A'") == [0])
            #expect(try ships.find("name beginswith[c] %@", "A") == [0, 3])
            #expect(try ships.find("name BEGINSWITH[cd] 'e'") == [1])
            #expect(try ships.find("name ENDSWITH \"II\"") == [3])
            #expect(try ships.find("name CONTAINS 'rg'") == [0, 3])
            #expect(try ships.find("name CONTAINS[d] 'Etoile'") == [1])
            #expect(try ships.find("name CONTAINS ''") == [])
            #expect(try ships.find("nickname CONTAINS %@", nil) == [])
            #expect(try ships.find("name LIKE 'a*' OR name LIKE '?rgo'") == [0, 3])
            #expect(try ships.find("name LIKE[c] 'A*'") == [0, 3])
            #expect(try ships.find("name ==[c] 'ARGO'") == [0])
            #expect(try ships.find("name !=[c] 'ARGO'") == [1, 2, 3])
            #expect(try ships.find("nickname ==[c] nil") == [1, 2])
            #expect(try ships.find("name == '\\u00C9toile'") == [1])
            #expect(try ships.find("name < 'B'") == [0, 2])
            #expect(try ships.find("name == %s", "Argo") == [0])
        }
    }

    @Test("Q5: BEGINSWITH, ENDSWITH, CONTAINS")
    func bytes() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("flag BEGINSWITH %@", Data([1])) == [0])
            #expect(try ships.find("flag ENDSWITH %@ OR flag == nil", Data([3])) == [0, 1, 2, 3])
            #expect(try ships.find("flag CONTAINS %@", Data()) == [])
            #expect(try ships.find("flag CONTAINS %@", nil) == [])
        }
    }

    @Test("Q10: BETWEEN two constants, IN")
    func ranges() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("number BETWEEN {1, 2}") == [1, 2])
            #expect(try ships.find("number BETWEEN %@", [0, 1]) == [0, 1])
            #expect(try ships.find("speed between {%f, %d}", -1.0, 2) == [1, 3])
            #expect(try ships.find("number IN {3, 0, 7}") == [0, 3])
            #expect(try ships.find("number IN %@", Set([1, 2])) == [1, 2])
            #expect(try ships.find("number IN {}") == [])
            #expect(try ships.find("tons IN {NULL, 3}") == [2, 3])
            #expect(try ships.find("NOT name IN {'Argo', ''}") == [1, 3])
            #expect(try ships.find("captain.name IN {'Ann', 'Eve'}") == [0, 3])
            #expect(try ships.find("marks.@count BETWEEN {1, 2}") == [1])
            #expect(try ships.find("marks.@count IN {0, 3}") == [0, 2, 3])
        }
    }

    @Test("Q6, Q10: ANY, SOME, NONE through collections; CONTAINS and IN of collections")
    func collections() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("ANY crew.age > 45") == [1, 3])
            #expect(try ships.find("SOME crew.name == 'Bob'") == [0])
            #expect(try ships.find("NONE crew.age > 45") == [0, 2])
            #expect(try ships.find("NONE crew.age > 45 AND number > 0") == [2])
            #expect(try ships.find("ANY marks == 3") == [0])
            #expect(try ships.find("ANY marks BETWEEN {3, 9}") == [0, 1])
            #expect(try ships.find("NONE marks IN {1, 5}") == [2, 3])
            #expect(try ships.find("ANY ports BEGINSWITH 'O'") == [0, 1])
            #expect(try ships.find("ports CONTAINS 'Cadiz'") == [0])
            #expect(try ships.find("'Oslo' IN ports") == [0, 1])
            #expect(try ships.find("%@ IN crew", ships.sailor("Bob")) == [0])
            #expect(try ships.find("ANY crew == %@", ships.sailor("Eve")) == [1, 3])
            #expect(
                try ships.find("NONE crew IN %@", [ships.sailor("Eve"), ships.sailor("Ann")]) == [2]
            )
            #expect(try ships.find("captain == %@", ships.sailor("Ann")) == [0])
            #expect(try ships.find("ANY crew != %@", ships.sailor("Eve")) == [0, 1])
            #expect(try ships.find("NONE crew != %@", ships.sailor("Eve")) == [2, 3])
            #expect(try ships.find("ANY crew == %@", Sailor()) == [])
            #expect(
                try ships.find("NONE crew == %@ AND captain != %@", Sailor(), Sailor()).count == 4)
            #expect(try ships.find("captain != %@", ships.sailor("Ann")) == [1, 2, 3])
            #expect(try ships.find("ANY captain.ships.name == 'Argo'") == [0])
            #expect(try ships.find("ANY draughts == nil") == [0])
            #expect(try ships.find("SELF == %@", ships.ship(2)) == [2])
            #expect(try ships.find("SELF.number == 1") == [1])
            #expect(try ships.find("ANY crew.age > masts + 40") == [1, 3])
            #expect(try ships.find("place.harbour == 'Cadiz'") == [0])
        }
    }

    @Test("Q6: @count, @min, @max, @sum, @avg of elements and of key paths")
    func aggregates() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("crew.@count == 3") == [0])
            #expect(try ships.find("0 == ports.@count") == [2, 3])
            #expect(try ships.find("crew.@max.age == 60") == [1, 3])
            #expect(try ships.find("crew.age.@min > 20") == [1, 3])
            #expect(try ships.find("crew.@sum.age == 90") == [0])
            #expect(try ships.find("crew.@avg.pay == 1.5") == [0])
            #expect(try ships.find("marks.@max == 5 OR marks.@sum == 6") == [0, 1])
            #expect(try ships.find("marks.@min == nil AND marks.@avg == nil") == [2, 3])
            #expect(try ships.find("marks.@sum == 0") == [2, 3])
            #expect(try ships.find("draughts.@avg == 2.5") == [0])
            #expect(try ships.find("crew.@count > masts") == [0])
            #expect(try ships.find("crew[SIZE] == 2 OR crew.@size == 1") == [1, 3])
            #expect(try ships.find("captain.ships.@count > 1") == [3])
        }
    }

    @Test("Q9: only @count, against a constant")
    func subqueries() async throws {
        try await Ships.check { ships throws in
            #expect(
                try ships.find("SUBQUERY(crew, $x, $x.age >= 30 AND $x.name != 'Cy').@count > 1")
                    == [1])
            #expect(
                try ships.find("SUBQUERY(crew, $x, $x.age >= 30).@count >= 2 AND masts == 2") == [0]
            )
            #expect(try ships.find("0 == SUBQUERY(crew, $c, $c.age > 100).@count") == [0, 1, 2, 3])
            // Whole numbers were refused that are written as fractions.
            #expect(try ships.find("SUBQUERY(crew, $x, $x.age >= 30).@count == 2.0") == [0, 1])
            #expect(try ships.find("SUBQUERY(captain.ships, $s, $s.masts > 2).@count == 2") == [3])
            #expect(
                try ships.find(
                    """
                    SUBQUERY(crew, $a,
                        SUBQUERY($a.ships, $b, $b.masts == 3).@count == 2).@count == 1
                    """) == [1, 3])
            #expect(
                try ships.find("SUBQUERY(crew, $x, $x == %@).@count == 1", ships.sailor("Cy")) == [
                    0
                ])
            #expect(try ships.find("SUBQUERY(crew, $x, $x.name == $0).@count == 1", "Bob") == [0])
        }
    }

    @Test("Q7, Q8: keys, positions, @allKeys, @allValues")
    func elements() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("cargo['tea'] > 1") == [0])
            #expect(try ships.find("cargo[%@] == nil", "tin") == [1, 2, 3])
            #expect(try ships.find("ANY cargo.@allKeys == 'tin'") == [0])
            #expect(try ships.find("ANY cargo.@allValues < 5") == [1])
            #expect(try ships.find("mates['first'].name == 'Bob'") == [0])
            #expect(try ships.find("mates['second'] == nil") == [0, 1, 2, 3])
            #expect(try ships.find("extra['a'][2] == 'deep' OR extra[1] == 20") == [0, 1])
            #expect(try ships.find("ANY extra['a'][*] == 2") == [0])
            #expect(try ships.find("crew[FIRST].name == 'Ann'") == [0])
            #expect(try ships.find("crew[LAST].age == 60") == [1, 3])
            #expect(try ships.find("ports[0] == 'Oslo'") == [1])
            #expect(try ships.find("ports[-1] == 'Oslo'") == [0, 1])
            #expect(try ships.find("extra == 'text'") == [3])
        }
    }

    @Test("Q4: arithmetic on numbers")
    func arithmetic() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("masts + 1 == 4") == [1, 3])
            #expect(try ships.find("number + masts * 2 > 7") == [3])
            #expect(try ships.find("(number + masts) * 2 > 7") == [1, 3])
            #expect(try ships.find("-masts == -3") == [1, 3])
            #expect(try ships.find("7 - 2 - 2 == masts") == [1, 3])
            #expect(try ships.find("tons / 2 == 50") == [0])
            let thirds = try ships.find("masts % 3 == 0")
            #expect(thirds == [1, 2, 3])
            #expect(try ships.find("masts %3 == 0") == thirds)
            #expect(try ships.find("masts % %@ == %d", 3, 0) == thirds)
            #expect(try ships.find("masts % (number % 2) >= 0") == [1, 3])
            #expect(try ships.find("masts % 0 == 0") == [])
            #expect(try ships.find("speed * %@ == 17", 2) == [0])
            #expect(try ships.find("tons / (masts - 2) > 0") == [1, 3])
            #expect(try ships.find("captain.age + 5 > 50 AND ((masts)) == (3)") == [1, 3])
            #expect(try ships.find("crew.@sum.age / crew.@count == 30") == [0])
            #expect(try ships.find("((number) == (1))") == [1])
        }
    }

    @Test("Q10: %@, %K, %d, $0, named")
    func arguments() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("%K == %@", "captain.name", "Ann") == [0])
            #expect(
                try ships.find("captain.%K > %d AND %K.@count == %ld", "age", 30, "crew", 2) == [1])
            #expect(try ships.find("%K > %i", "crew.@count", 2) == [0])
            #expect(try ships.find("number == $1 OR number == $0 OR number == $1", 3, 1) == [1, 3])
            #expect(
                try ships.find("number > $low AND name != $name", named: ["low": 0, "name": ""])
                    == [1, 3])
            #expect(try ships.find("tons == $nothing", named: ["nothing": nil]) == [2])
            #expect(try ships.find("number == %@", NSNumber(value: 3)) == [3])
            #expect(try ships.find("fast == %@", NSNumber(value: true)) == [0, 3])
            #expect(try ships.find("number IN %@", [NSNumber(value: 2)] as NSArray) == [2])
            #expect(try ships.find("length > %f", Float(29)) == [0])
            #expect(try ships.find("number == %@", UInt8(2)) == [2])
            #expect(try ships.find("extra == %@", AnyRealmValue.string("text")) == [3])
            let text: String? = "Argo"
            #expect(try ships.find("name == %@", text) == [0])
        }
    }

    /// Only numbers and arrays of Foundation were values; its bytes were a list of integers.
    @Test("Q10: objects of Foundation are the values that they hold")
    func argumentsOfFoundation() async throws {
        try await Ships.check { ships throws in
            let launched = NSDate(timeIntervalSinceReferenceDate: 100)
            #expect(try ships.find("name == %@", NSString(string: "Argo")) == [0])
            #expect(try ships.find("name == %s", NSString(string: "Argo")) == [0])
            #expect(try ships.find("name IN %@", [NSString(string: "Argo")]) == [0])
            #expect(try ships.find("flag == %@", NSData(data: Data([1, 2, 3]))) == [0])
            #expect(try ships.find("launched == %@", launched) == [0])
            #expect(try ships.find("code == %@", NSUUID(uuidString: Ships.code.uuidString)) == [0])
            #expect(try ships.find("tons == %@", NSNull()) == [2])
        }
    }

    @Test("Q10: SORT, DISTINCT, LIMIT")
    func stages() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("TRUEPREDICATE SORT(masts DESC, number DESC)") == [3, 1, 0, 2])
            #expect(try ships.find("masts > 0 SORT(captain.age ascending)") == [0, 1, 3])
            #expect(try ships.find("TRUEPREDICATE DISTINCT(masts)") == [0, 1, 2])
            #expect(
                try ships.find("TRUEPREDICATE SORT(number DESC) DISTINCT(masts) LIMIT(2)") == [
                    3, 2,
                ])
            #expect(try ships.find("number >= 0 LIMIT(1) SORT(number DESC)") == [0])
            #expect(try ships.find("number > 0 LIMIT(%d)", 2) == [1, 2])
            // A captain who has no pay, and no captain.
            #expect(try ships.find("TRUEPREDICATE DISTINCT(captain.pay)") == [0, 1, 2])
        }
    }

    /// Limits and positions were refused unless they were of type `Int`.
    @Test func limitsAndPositionsAreIntegersOfAnyType() async throws {
        try await Ships.check { ships throws in
            let same: [Any] = [Int64(2), Int8(2), UInt(2), NSNumber(value: 2), Optional(2) as Any]
            for two in same {
                #expect(try ships.find("TRUEPREDICATE LIMIT(%@)", two) == [0, 1])
                #expect(try ships.find("crew[$0].name == 'Cy'", two) == [0])
            }
            #expect(try ships.find("number > 0 LIMIT(%lld)", Int64(1)) == [1])
            #expect(try ships.find("crew[%@].name == 'Eve'", Int16(-1)) == [1, 3])
            let others: [Any] = [2.5, true, UInt64.max]
            for other in others {
                #expect(throws: RealmError.self) {
                    try ships.find("TRUEPREDICATE LIMIT(%@)", other)
                }
                #expect(throws: RealmError.self) { try ships.find("crew[%@].age == 1", other) }
            }
            #expect(throws: RealmError.self) { try ships.find("TRUEPREDICATE LIMIT(%@)", "2") }
            #expect(throws: RealmError.self) { try ships.find("masts > 0 LIMIT(%d)", Int64(-1)) }
        }
    }

    @Test("Q19: queries in text on a class that the realm was opened without")
    func dynamicObjects() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(.init(path: path, objectTypes: Ships.types))
            try await realm.write { tx in try Ships.fill(tx) }
            try await realm.close()
            let other = try await Realm.open(.init(path: path, objectTypes: [KennelPlain.self]))
            let ships = try other.dynamicObjects("Ship")
            #expect(try ships.filter("ANY crew.age > 45 SORT(number DESC)").count == 2)
            #expect(throws: RealmError.self) { try ships.filter("weight == 1") }
            try await other.write { tx in
                let live = try tx.dynamicObjects("Ship").filter("masts == $0", 3)
                #expect(live.count == 2)
            }
            try await other.close()
        }
    }

    @Test("N11: a stream follows what a subquery, an operand and a key look at")
    func streamsFollowQueriesAcrossRows() async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: Ships.types))
        try await realm.write { tx in try Ships.fill(tx) }
        for text in [
            "SUBQUERY(crew, $x, $x.age == 99).@count > 0", "ANY crew.age - 9 == 90",
            "mates['first'].age == 99",
        ] {
            let stream = try realm.objects(Ship.self).filter(text).changes()
            var changes = stream.makeAsyncIterator()
            guard case .initial(let none)? = try await changes.next() else {
                Issue.record("\(text) begins without its objects")
                return
            }
            #expect(none.isEmpty)
            for age in [99, 30] {
                try await realm.write { tx in
                    tx.objects(Sailor.self).where { $0.name == "Bob" }.first?.age = age
                }
                guard case .update(let ships, _, _, _)? = try await changes.next() else {
                    Issue.record("\(text) is not reported")
                    return
                }
                #expect(ships.map(\.number) == (age == 99 ? [0] : []))
            }
        }
        try await realm.close()
    }
}

final class KennelPlain: Object {
    @Persisted var name: String
}

import Foundation
import Testing

@testable import RealmActors

private final class Purse: Object {
    @Persisted var price: Decimal128
    @Persisted var coins: List<Decimal128>
}

/// What Realm's query language and its predicates take, and text refused or answered wrongly.
@Suite struct RealmLanguageTests {
    @Test("Q5, Q10: IN and CONTAINS with options, in lists and in collections of texts")
    func membershipWithOptions() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("name IN[c] {'ARGO', 'x'}") == [0])
            #expect(try ships.find("name IN {'ARGO', 'x'}") == [])
            #expect(try ships.find("name in [cd] %@", ["ETOILE", "argo ii"]) == [1, 3])
            #expect(try ships.find("NOT name IN[c] {'argo'}") == [1, 2, 3])
            #expect(try ships.find("name IN[c] {}") == [])
            #expect(try ships.find("nickname IN[c] {NULL, 'old one'}") == [0, 1, 2])
            #expect(try ships.find("captain.name IN[c] {'ANN', 'eve'}") == [0, 3])
            #expect(try ships.find("ANY ports IN[c] {'CADIZ'}") == [0])
            #expect(try ships.find("NONE ports IN[c] {'CADIZ', 'x'}") == [1, 2, 3])
            #expect(try ships.find("'cadiz' IN[c] ports") == [0])
            #expect(try ships.find("ports CONTAINS[c] 'OSLO'") == [0, 1])
            #expect(try ships.find("ports CONTAINS 'OSLO'") == [])
            #expect(try ships.find("flag IN[c] %@", [Data([1, 2, 3])]) == [0])
            #expect(try ships.find("extra IN[c] {'TEXT', 7}") == [3])
            #expect(try ships.find("number IN[c] {1, 2}") == [1, 2])
            #expect(try ships.find("captain IN[c] %@", [ships.sailor("Ann")]) == [0])
        }
    }

    /// Realm takes them behind every comparison, as a program that makes the text of queries does.
    @Test("Q5, Q10: options say nothing of what is no text")
    func optionsOfOtherTypes() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("masts >[c] 2") == [1, 3])
            #expect(try ships.find("masts ==[cd] 3") == [1, 3])
            #expect(try ships.find("fast ==[c] YES") == [0, 3])
            #expect(
                try ships.find("launched <[c] %@", Date(timeIntervalSinceReferenceDate: 150)) == [0]
            )
            #expect(try ships.find("code !=[c] %@", Ships.code) == [1, 2, 3])
            #expect(try ships.find("price ==[cd] 0.1") == [1])
            #expect(try ships.find("captain ==[c] nil") == [2])
            #expect(try ships.find("captain ==[c] %@", ships.sailor("Ann")) == [0])
            #expect(try ships.find("cargo['tea'] >=[cd] 5") == [0])
            #expect(try ships.find("ANY crew.age >[c] 45") == [1, 3])
            #expect(try ships.find("ANY marks !=[c] 5") == [0])
            #expect(try ships.find("number ==[c] masts") == [3])
            #expect(try ships.find("extra ==[c] 'TEXT'") == [3])
            #expect(try ships.find("extra !=[c] 'TEXT'") == [0, 1, 2])
            #expect(try ships.find("extra['b'] ==[c] 7") == [0])
            #expect(try ships.find("extra[0] >[c] 5") == [1])
            for query in [
                "name >[c] 'a'", "name <=[c] nickname", "extra <[c] 'a'", "name ==[c] 3",
                "name ==[c] masts", "masts CONTAINS[c] 1", "masts BETWEEN[c] {1, 2}",
                "extra.@type IN[c] {'int'}", "fast >[c] NO",
            ] {
                #expect(throws: RealmError.self) { try ships.find(query) }
            }
        }
    }

    /// It was a link, as in Realm before values of any type had maps.
    @Test("Q8, Q10: the type 'object' is that of maps, and 'objectlink' that of links")
    func typesOfMapsAndLinks() async throws {
        try await Ships.check { ships throws in
            let maps = try ships.find("extra.@type == 'dictionary'")
            #expect(maps == [0])
            #expect(try ships.find("extra.@type == 'object'") == maps)
            let links = try ships.find("extra.@type == 'objectlink'")
            #expect(try ships.find("extra.@type == 'link'") == links && links != maps)
        }
    }

    /// A number, compared so with itself, was not the same.
    @Test("Q5, Q8: two values of any type, with options")
    func valuesOfAnyTypeWithOptions() async throws {
        try await Letters.check { letters throws in
            #expect(try letters.find("value ==[c] value") == [0, 1, 2, 3])
            #expect(try letters.find("value !=[c] value") == [])
            #expect(try letters.find("value ==[c] title") == [1])
            #expect(try letters.find("value !=[c] reply.value") == [0, 1, 2])
            #expect(try letters.find("ANY values ==[c] values[0]") == [0, 1])
        }
    }

    @Test("Q6, Q10: IN asks whether a property is one of the elements of a collection")
    func propertiesInCollections() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("masts IN marks") == [0])
            #expect(try ships.find("NOT masts IN marks") == [1, 2, 3])
            #expect(try ships.find("captain IN crew") == [0, 1, 3])
            #expect(try ships.find("SELF IN captain.ships") == [0, 1, 3])
            #expect(try ships.find("captain.name IN crew.name") == [0, 1, 3])
            #expect(try ships.find("captain.name IN[c] crew.name") == [0, 1, 3])
            #expect(try ships.find("place.harbour IN ports") == [0])
            for query in [
                "crew.age IN crew.age", "masts IN number", "masts IN ports", "captain IN ports",
                "ANY masts IN marks", "captain IN captain.ships",
            ] {
                #expect(throws: RealmError.self) { try ships.find(query) }
            }
        }
    }

    /// The numbers of their rows were compared, whatever the classes.
    @Test("Q20: links of different classes are not compared with each other")
    func linksOfDifferentClasses() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("captain == captain") == [0, 1, 2, 3])
            #expect(try ships.find("captain.friend != captain") == [0, 1, 3])
            #expect(try ships.find("ANY crew == captain") == [0, 1, 3])
            for query in [
                "captain == place", "captain != SELF", "SELF == place", "ANY crew == place",
                "ANY crew != SELF", "extra == captain", "captain != extra['a']",
                "SUBQUERY(crew, $x, ANY $x.ships == $x.friend).@count > 0",
            ] {
                #expect(throws: RealmError.self) { try ships.find(query) }
            }
        }
    }

    /// Lists had them, too, and a map within a value of any type had none.
    @Test("Q7, Q8: @allValues is of maps, and of values of any type that hold one")
    func valuesOfMaps() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("ANY cargo.@allValues < 5") == [1])
            #expect(try ships.find("ANY mates.@values.name == 'Bob'") == [0])
            #expect(try ships.find("ANY extra.@allValues == 7") == [0])
            #expect(try ships.find("ANY extra['a'].@values == 'deep'") == [0])
            // Behind a collection, and within one: those were compared themselves.
            #expect(try ships.find("ANY captain.ships.extra.@values == 7") == [0])
            #expect(try ships.find("ANY captain.ships.extra.@values == 20") == [1, 3])
            #expect(try ships.find("ANY extra.@values.@values == 'deep'") == [0])
            #expect(try ships.find("ANY extra[*].@values == 7") == [])
            for query in [
                "ANY ports.@allValues == 'Oslo'", "ANY marks.@values == 1",
                "ANY crew.@allValues.age > 1", "ANY captain.ships.@allValues.masts > 1",
                "name.@allValues == 'Argo'", "extra.@allValues == 7", "cargo['tea'].@values == 5",
                "ANY extra" + String(repeating: ".@values", count: 1_000) + " == 1",
            ] {
                #expect(throws: RealmError.self) { try ships.find(query) }
            }
        }
    }

    /// A third of 0.6 was 0.19999999999999998, and no decimal number was an average.
    @Test("Q6, Q15: the average of decimal numbers is the double that is nearest to it")
    func averagesOfDecimals() async throws {
        try await withFreshRealm([Purse.self]) { realm in
            let coins = ["0.1", "0.2", "0.3"]
            try await realm.write { tx in
                for price in coins {
                    let row: [String: Any] = ["price": price, "coins": coins]
                    try tx.create(Purse.self, value: row)
                }
                try tx.create(Purse.self)
            }
            let purses = realm.objects(Purse.self)
            let average: Decimal128 = "0.2"
            #expect(purses.where { $0.price > 0 }.average(of: \.price) == 0.2)
            #expect(purses.where { $0.coins.avg == 0.2 }.count == 3)
            #expect(purses.where { $0.coins.avg == average }.count == 3)
            #expect(purses.where { $0.coins.avg <= average }.count == 3)
            #expect(purses.where { $0.coins.avg.in([average, 7]) }.count == 3)
            #expect(purses.where { $0.coins.avg.contains(average...average) }.count == 3)
            #expect(purses.where { $0.coins.avg > average }.isEmpty)
            #expect(try purses.filter("coins.@avg == 0.2").count == 3)
            #expect(try purses.filter("coins.@avg == %@", average).count == 3)
            #expect(try purses.filter("coins.@avg == '0.2'").count == 3)
            #expect(try purses.filter("coins.@avg IN {'0.2', 7}").count == 3)
            #expect(try purses.filter("coins.@avg BETWEEN %@", [average, average]).count == 3)
            #expect(try purses.filter("coins.@avg > %@", average).isEmpty)
            #expect(try purses.filter("coins.@avg == nil").count == 1)
            // Beside decimal numbers of the same object.
            #expect(purses.where { $0.coins.avg == $0.price }.map(\.price) == [average])
            #expect(purses.where { $0.price >= $0.coins.avg }.map(\.price) == [average, "0.3"])
            #expect(try purses.filter("coins.@avg == price").map(\.price) == [average])
            #expect(try purses.filter("price < coins.@avg").map(\.price) == ["0.1"])
            #expect(try purses.filter("coins.@sum == '0.6' AND coins.@max == %@", "0.3").count == 3)
        }
    }

    @Test("Q10: a dot may end a number")
    func numbersThatEndWithADot() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("speed == 2.") == [3])
            #expect(try ships.find("speed > -1. AND speed < 8.5") == [3])
            #expect(try ships.find("number IN {1., 2.}") == [1, 2])
            #expect(try ships.find("(masts*2.)==6.") == [1, 3])
            #expect(try ships.find("price < .5 AND price > 0.") == [1])
            for query in [
                "number == 1..0", "number == 1.0.", "number == 1.x", "number == 1.@count",
                "number == .", "crew[1.].age > 1", "number > 0 LIMIT(1.)", "speed == 2e+-1",
            ] {
                #expect(throws: RealmError.self) { try ships.find(query) }
            }
        }
    }

    @Test("Q4: what is out of the range of a property is compared all the same")
    func numbersOutOfRange() async throws {
        try await Ships.check { ships throws in
            let all = [0, 1, 2, 3]
            #expect(try ships.find("number < 9223372036854775808") == all)
            #expect(try ships.find("number == 9223372036854775808") == [])
            #expect(try ships.find("number > -9223372036854775809") == all)
            #expect(try ships.find("number >= -9223372036854775808") == all)
            #expect(try ships.find("number < 1e300 AND number != 1e300") == all)
            #expect(try ships.find("number IN {1e300, 1.5, 2.0, 9223372036854775808}") == [2])
            #expect(try ships.find("number BETWEEN {0.5, 1e300}") == [1, 2, 3])
            #expect(try ships.find("tons BETWEEN {-INFINITY, INFINITY}") == [0, 1, 3])
            #expect(try ships.find("length < 3.5e38 AND length != 3.5e38") == all)
            #expect(try ships.find("length > -3.5e38") == all)
            #expect(try ships.find("length == 3.5e38 OR length == NAN") == [])
            #expect(try ships.find("price < 'Inf' AND price > '-Inf'") == all)
            #expect(try ships.find("price == '1.25e1' OR price == 1e6000") == [0])
            #expect(try ships.find("price BETWEEN {'0.05', '1e1'}") == [1])
            #expect(try ships.find("fast IN {0, 1}") == all)
            for query in ["fast IN {2}", "fast == 1.5", "price == 'x'", "name == INFINITY"] {
                #expect(throws: RealmError.self) { try ships.find(query) }
            }
        }
    }
}

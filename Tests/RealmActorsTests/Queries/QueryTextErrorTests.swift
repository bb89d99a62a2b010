import Foundation
import Testing

@testable import RealmActors

/// Mistakes in queries in text: each is an error that says where it is, and none a trap.
@Suite struct QueryTextErrorTests {
    private func withShips(
        _ body: (FrozenResults<Ship>) throws -> Void
    ) async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: Ships.types))
        try await realm.write { tx in try Ships.fill(tx) }
        try body(realm.objects(Ship.self))
        try await realm.close()
    }

    /// The mistake is found at the caret of the second line.
    private func expectMistake(
        _ ships: FrozenResults<Ship>, _ query: String, _ caret: String, _ words: String,
        _ arguments: Any?..., location: SourceLocation = #_sourceLocation
    ) {
        do throws(RealmError) {
            _ = try ships.numbers(query, QueryArguments(positional: arguments))
            Issue.record("'\(query)' is taken", sourceLocation: location)
        } catch {
            guard case .invalidQuery(let message, let position) = error else {
                Issue.record("\(error)", sourceLocation: location)
                return
            }
            #expect(message.contains(words), sourceLocation: location)
            #expect(position == caret.count - 1, "\(message)", sourceLocation: location)
            #expect(message.hasSuffix("\n    \(caret)"), "\(message)", sourceLocation: location)
        }
    }

    @Test("Q10: unknown names are errors")
    func unknownNamesAreErrors() async throws {
        try await withShips { ships in
            expectMistake(
                ships, "masts > 1 AND weight > 3", "              ^",
                "Property 'weight' not found in class 'Ship'")
            expectMistake(ships, "captain.weight > 3", "^", "'weight' not found in class 'Sailor'")
            expectMistake(ships, "name.length > 3", "^", "not a link")
            expectMistake(ships, "masts.@count > 3", "^", "leads through none")
            expectMistake(ships, "cargo[1] == 3", "^", "has no such part")
            expectMistake(ships, "name['k'] == 3", "^", "has no such part")
        }
    }

    @Test("Q10: types that do not fit are errors")
    func typesThatDoNotFitAreErrors() async throws {
        try await withShips { ships in
            expectMistake(ships, "speed % 2 == 0", "^", "Only integers have a remainder")
            expectMistake(ships, "masts % 2.5 == 0", "        ^", "Only integers have a remainder")
            expectMistake(ships, "masts == 'three'", "         ^", "'masts' is an integer")
            expectMistake(
                ships, "name == 3", "        ^", "'name' is a text, and cannot be compared with 3")
            expectMistake(ships, "launched == 3", "            ^", "a date")
            expectMistake(ships, "fast > true", "^", "only == and != compare")
            expectMistake(ships, "fast == 2", "        ^", "a truth value")
            expectMistake(ships, "code < %@", "^", "only == and != compare", Ships.code)
            expectMistake(ships, "name == masts", "     ^", "their types differ")
            expectMistake(
                ships, "masts CONTAINS 'a'", "               ^", "CONTAINS compares texts")
            expectMistake(ships, "name + 1 == 2", "^", "Only numbers")
            expectMistake(ships, "captain == 'Ann'", "           ^", "an object")
            expectMistake(ships, "crew.@max.name > 3", "^", "no numbers")
        }
    }

    @Test("Q10: what Realm refuses is refused")
    func realmRefuses() async throws {
        try await withShips { ships in
            expectMistake(ships, "ALL crew.age > 3", "^", "ALL is not supported")
            expectMistake(ships, "name MATCHES 'a.*'", "     ^", "MATCHES is not supported")
            expectMistake(ships, "1 == 1", "^", "Two constants")
            expectMistake(ships, "crew.age > 3", "^", "Begin with ANY or NONE")
            expectMistake(ships, "ANY name == 'x'", "    ^", "require a path")
            expectMistake(ships, "masts BETWEEN {1, 2, 3}", "              ^", "two constants")
            expectMistake(
                ships, "masts BETWEEN {1, number}", "                  ^", "constants only")
            expectMistake(
                ships, "SUBQUERY(crew, $x, $x.age > 3).@sum > 3",
                "                               ^", "@count")
            expectMistake(ships, "SUBQUERY(crew, $x, $x.age > 3).@count > masts", "^", "a constant")
            expectMistake(
                ships, "SUBQUERY(ports, $x, $x.age > 3).@count > 1", "         ^", "not one")
            expectMistake(
                ships, "SUBQUERY(crew, $x, age > 3).@count > 1", "                   ^", "'$x.'")
            expectMistake(
                ships,
                "SUBQUERY(crew, $x, SUBQUERY($x.ships, $y, $x.age > 3).@count > 1)",
                "                                          ^", "outer subquery")
            expectMistake(ships, "name LIKE[d] 'a'", "         ^", "'c' only")
            expectMistake(ships, "name >[c] 'a'", "     ^", "take no options")
            expectMistake(ships, "masts BETWEEN[c] {1, 2}", "             ^", "no options")
        }
    }

    @Test func textThatIsNoQueryIsAnError() async throws {
        try await withShips { ships in
            expectMistake(ships, "", "^", "the end")
            expectMistake(ships, "masts", "     ^", "'=='")
            expectMistake(ships, "masts >", "       ^", "a property or a value")
            expectMistake(ships, "masts > 3 number", "          ^", "AND or OR")
            expectMistake(ships, "(masts > 3", "          ^", "')'")
            expectMistake(ships, "name == 'abc", "        ^", "not closed")
            expectMistake(ships, "name == 'a\\q'", "            ^", "escape")
            expectMistake(ships, "masts ~ 3", "      ^", "'~' is not valid")
            expectMistake(ships, "masts > 3x", "        ^", "not a number")
            expectMistake(
                ships, "masts == 3 SORT(crew)", "                ^", "does not lead to one value")
            expectMistake(ships, "masts == 3 LIMIT(-1)", "                 ^", "a count")
        }
    }

    @Test func argumentsThatDoNotFitAreErrors() async throws {
        try await withShips { ships in
            expectMistake(ships, "masts > %@", "        ^", "takes more")
            expectMistake(
                ships, "masts > 3", "         ^", "2 arguments were given, and the text takes 0", 1,
                2)
            expectMistake(ships, "masts > $1", "        ^", "$0 is the first", 1)
            expectMistake(ships, "masts > $x", "        ^", "the name 'x'")
            expectMistake(ships, "masts > %d", "        ^", "no number", "three")
            expectMistake(ships, "masts > %@", "        ^", "cannot be compared with a list", [1])
            expectMistake(ships, "masts IN %@", "         ^", "a range", 0...(.max - 1))
            expectMistake(ships, "masts == %@", "         ^", "a dictionary", ["a": 1])
            expectMistake(ships, "masts == %@", "         ^", "'Thread'", Thread.current)
            expectMistake(ships, "%K == 3", "^", "must be a key path", 3)
            expectMistake(
                ships, "%K == 3", "^", "Property 'masts == 3 OR masts' not found",
                "masts == 3 OR masts")
        }
    }

    /// The caret stands below the mistake in its line, also when that is long or not ASCII.
    @Test func caretsStandBelowTheMistake() async throws {
        try await withShips { ships in
            #expect(
                throws: RealmError.invalidQuery(
                    message: """
                        Expected a property or a value, and found ')'.
                            OR masts > )
                                       ^
                        """, position: 22)
            ) { try ships.filter("masts == 1\nOR\u{9}masts > )\nOR masts == 2") }
            let long = String(repeating: "masts == 1 OR ", count: 50)
            do throws(RealmError) {
                _ = try ships.filter(long + "weight == 1")
            } catch {
                let lines = error.description.split(separator: "\n").map(String.init)
                let caret = lines[2].count - 1
                #expect(lines[1].dropFirst(caret).hasPrefix("weight") && lines[1].count < 90)
            }
            do throws(RealmError) {
                _ = try ships.filter("name == 'e\u{301}e\u{301}' AND weight == 1")
            } catch {
                let lines = error.description.split(separator: "\n").map(String.init)
                #expect(Array(lines[1])[lines[2].prefix { $0 == " " }.count] == "w")
            }
        }
    }

    /// However deep or long, a query is answered or refused.
    @Test func depthIsLimited() async throws {
        try await withShips { ships in
            func repeated(_ a: String, _ middle: String, _ b: String, _ count: Int) -> String {
                String(repeating: a, count: count) + middle + String(repeating: b, count: count)
            }
            let parentheses = try ships.find(repeated("(", "masts == 3", ")", 50))
            let negations = try ships.find(repeated("NOT (", "masts == 3", ")", 24))
            #expect(parentheses == [1, 3] && negations == [1, 3])
            for text in [
                repeated("(", "masts == 3", ")", 10_000), repeated("!", "masts == 3", "", 10_000),
                repeated("(", "masts", ") == 3", 10_000), repeated("-", "1 == masts", "", 10_000),
                repeated("{", "", "}", 10_000), repeated("masts + ", "1 == 2", "", 10_000),
                "ANY " + repeated("crew.ships.", "crew.age == 2", "", 10),
                "ANY " + repeated("crew.ships.", "crew.age == 2", "", 4),
                repeated("captain.", "age == 2", "", 10_000),
                "extra" + repeated("[1]", " == 2", "", 10_000),
                repeated("SUBQUERY(crew, $x, ", "", "", 10_000),
                "TRUEPREDICATE " + repeated("LIMIT(1) ", "", "", 10_000),
            ] {
                #expect(throws: RealmError.self) { try ships.filter(text) }
            }
            let many = String(repeating: "masts == 1 OR ", count: 20_000)
            #expect(try ships.find(many + "masts == 2") == [0])
            let all = String(repeating: "masts != 1 AND ", count: 20_000)
            #expect(try ships.find(all + "masts == 2") == [0])
            #expect(try ships.find("number IN %@", Array(0..<100_000)) == [0, 1, 2, 3])
        }
    }

    /// What nests as deep as may be needs no more stack than a secondary thread has.
    @Test func deepQueriesFitASmallStack() async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: Ships.types))
        try await realm.write { tx in try Ships.fill(tx) }
        let ships = realm.objects(Ship.self)
        let depth = QueryParser.depthMax
        let found = await withCheckedContinuation { continuation in
            let thread = Thread {
                let parentheses =
                    String(repeating: "(", count: depth) + "masts == 3"
                    + String(repeating: ")", count: depth)
                let negations =
                    String(repeating: "NOT (", count: depth / 2) + "masts == 3"
                    + String(repeating: ")", count: depth / 2)
                let counts = [parentheses, negations].map { try? ships.filter($0).count }
                continuation.resume(returning: counts)
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(found == [2, 2])
        try await realm.close()
    }
}

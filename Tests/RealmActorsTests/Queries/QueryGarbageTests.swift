import Foundation
import StorageHarness
import Testing

@testable import RealmActors

/// Random texts and arguments: whatever they are, they are a query or an error with a place in the
/// text, and never a trap.
@Suite struct QueryGarbageTests {
    private static let words = [
        "masts", "tons", "name", "captain", "crew", "marks", "ports", "cargo", "mates", "extra",
        "place", "rig", "fast", "launched", "code", "price", "length", "flag", "nothing", "SELF",
        ".", ".", ",", "(", ")", "(", ")", "{", "}", "[", "]", "==", "!=", "<", ">=", "=", "!",
        "AND", "OR", "NOT", "&&", "||", "ANY", "NONE", "SOME", "ALL", "BETWEEN", "IN", "LIKE",
        "CONTAINS", "BEGINSWITH", "ENDSWITH", "MATCHES", "GEOWITHIN", "[c]", "[cd]", "[x]", "+",
        "-", "*", "/", "1", "0", "-3", "2.5", "1e400", "0x7f", "9223372036854775808", "'a'",
        "\"b\"", "'", "\\", "nil", "NULL", "TRUE", "NO", "%@", "%K", "%d", "%f", "%s", "%", "$0",
        "$x", "$", "@count", "@max", "@sum", "@avg", "@allKeys", "@x", "#", "#name", "SUBQUERY",
        "SUBQUERY(crew, $x, $x.age > 3).@count", "FIRST", "LAST", "SIZE", "TRUEPREDICATE",
        "FALSEPREDICATE", "SORT", "DISTINCT", "LIMIT", "LIMIT(3)", "SORT(name ASC)", "ASC",
        "\u{E9}", "e\u{301}", "\u{1F436}", "\0", "\n", "\t", "\u{2028}",
        "@distinctCount", "@links", "$K0", "2.5f", "binary('a')", "B64'YQ=='", "\\ ",
    ]

    private func value(_ random: inout SeededGenerator, depth: Int = 2) -> Any? {
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return nil
        case 1: return Int.min
        case 2: return Double.nan
        case 3: return "name"
        case 4: return "crew.age"
        case 5: return "crew.@count"
        case 6: return ".."
        case 7: return true
        case 8: return Date.distantPast
        case 9: return UUID()
        case 10: return Data([0])
        case 11: return Sailor()
        case 12: return 0..<Int.max
        case 13 where depth > 0:
            return (0..<3).map { _ in value(&random, depth: depth - 1) }
        case 14: return AnyRealmValue.list(List([AnyRealmValue.int(1)]))
        case 15: return Thread.current
        default: return random.small()
        }
    }

    @Test func whateverTheTextItIsAQueryOrAnError() async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: Ships.types))
        try await realm.write { tx in try Ships.fill(tx) }
        let ships = realm.objects(Ship.self)
        // What texts can make a parser call itself must fit the stack of a secondary thread.
        let taken = await onSmallStack { self.queries(ships) }
        #expect(taken > 500)
        try await realm.close()
    }

    /// How many of the texts were queries.
    private func queries(_ ships: FrozenResults<Ship>) -> Int {
        var random = SeededGenerator()
        let seed = random.seed
        var taken = 0
        for number in 0..<6_000 {
            var text: String
            var arguments = (0..<Int.random(in: 0...3, using: &random)).map { _ in value(&random) }
            if number % 2 == 0 {
                text = (0..<Int.random(in: 0...12, using: &random))
                    .map { _ in Self.words.randomElement(using: &random) ?? "" }
                    .joined(separator: random.chance(4) ? "" : " ")
            } else {
                // What is nearly a query goes deeper.
                var writer = ConditionText(random)
                text = writer.text(writer.random.condition(2))
                random = writer.random
                arguments = writer.arguments + (random.chance(8) ? arguments : [])
                var scalars = Array(text.unicodeScalars)
                for _ in 0..<Int.random(in: 0...2, using: &random) where !scalars.isEmpty {
                    let place = scalars.indices.randomElement(using: &random) ?? 0
                    let word = Array(
                        (Self.words.randomElement(using: &random) ?? "").unicodeScalars)
                    let end = min(scalars.count, place + Int.random(in: 0...3, using: &random))
                    scalars.replaceSubrange(place..<end, with: word)
                }
                text = ""
                text.unicodeScalars.append(contentsOf: scalars)
            }
            do throws(RealmError) {
                _ = try ships.numbers(text, QueryArguments(positional: arguments))
                taken += 1
            } catch {
                guard case .invalidQuery(_, let position?) = error,
                    position >= 0, position <= text.unicodeScalars.count
                else {
                    Issue.record("SEED=\(seed), \(number): \(text)\n\(error)")
                    return taken
                }
            }
        }
        return taken
    }
}

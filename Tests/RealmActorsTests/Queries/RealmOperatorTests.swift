import Foundation
import Testing

@testable import RealmActors

/// Operators of Realm's that the compatibility table had as "the same" and that were not there,
/// each on frozen, live and uncommitted objects, in the type-safe form and in text.
@Suite struct RealmOperatorTests {
    @Test("Q6: == != < > v means ANY")
    func comparisonsOfCollectionsMeanAny() async throws {
        try await Letters.check { letters throws in
            #expect(letters.ids { $0.moods == .calm } == [0])
            #expect(letters.ids { $0.moods != .calm } == [0, 1])
            #expect(letters.ids { $0.maybeMoods == nil } == [0])
            #expect(letters.ids { $0.maybeMoods != nil } == [0, 2])
            #expect(letters.ids { $0.maybeMoods == .playful } == [2])
            #expect(letters.ids { $0.prices == 2 } == [0, 1])
            #expect(letters.ids { $0.prices < 1 } == [0])
            #expect(letters.ids { $0.prices <= "0.10" } == [0])
            #expect(letters.ids { $0.prices > 1 } == [0, 1])
            #expect(letters.ids { $0.prices >= 3 } == [])
            #expect(letters.ids { !($0.prices > 1) } == [2, 3])
            #expect(letters.ids { $0.dates > Date(timeIntervalSinceReferenceDate: 4) } == [0])
            #expect(letters.ids { $0.dates == nil } == [0])
            #expect(letters.ids { $0.dates <= nil } == [0])
            #expect(letters.ids { $0.pages == 9 } == [0])
            #expect(letters.ids { $0.pages < 2 && $0.pages > 8 } == [0])
            #expect(letters.ids { $0.values == 2 } == [1])
            #expect(letters.ids { $0.values == "two" } == [0])
            #expect(letters.ids { $0.values != 1 } == [0, 1])
            #expect(letters.ids { $0.values > 1 } == [1])
            #expect(letters.ids { $0.values < 2 } == [0])
            #expect(letters.ids { $0.values >= 2 && $0.values <= 2 } == [1])
            #expect(letters.ids { $0.copies.moods == .playful } == [0, 1])
        }
    }

    @Test("Q4: raw values of optional enums, and of enums in lists and sets")
    func rawValues() async throws {
        try await Letters.check { letters throws in
            #expect(letters.ids { $0.mood.rawValue == "calm" } == [0])
            #expect(letters.ids { $0.mood.rawValue.starts(with: "p") } == [1])
            #expect(letters.ids { $0.mood.rawValue == nil } == [2, 3])
            #expect(letters.ids { $0.moods.rawValue == "calm" } == [0])
            #expect(letters.ids { $0.moods.rawValue.ends(with: "ful") } == [0, 1])
            #expect(letters.ids { $0.maybeMoods.rawValue == nil } == [0])
            #expect(letters.ids { $0.maybeMoods.rawValue.contains("lay") } == [2])
            #expect(letters.ids { $0.ranks.rawValue > 1 } == [1, 2])
            #expect(letters.ids { $0.ranks.rawValue.in([1, 5]) } == [0, 2])
            #expect(letters.ids { $0.ranks.rawValue.sum == 8 } == [2])
            #expect(letters.ids { $0.mood == .calm } == [0])
            #expect(try letters.find("mood == %@", Mood.calm) == [0])
        }
    }

    @Test("Q6: of any, all and none of the elements, of links and of values of any type")
    func members() async throws {
        try await Letters.check { letters throws in
            #expect(letters.ids { $0.moods.any.in([Mood.calm]) } == [0])
            #expect(letters.ids { $0.moods.all.in([Mood.playful]) } == [1, 2, 3])
            let values: [AnyRealmValue] = [2.0, "two"]
            #expect(letters.ids { $0.values.any.in(values) } == [0, 1])
            #expect(letters.ids { $0.values.none.in(values) } == [2, 3])
            let others: [AnyRealmValue] = [3, "red"]
            #expect(letters.ids { $0.value.in(others) } == [0, 1])
            #expect(letters.ids { $0.value.in([AnyRealmValue]()) } == [])
            let given: [Mood] = [.calm, .playful]
            #expect(letters.ids { $0.mood.in(given) } == [0, 1])
            #expect(letters.ids { $0.mood.in([nil, Mood.calm]) } == [0, 2, 3])
            #expect(letters.linked(to: [0, 2], .reply) == [1])
            #expect(letters.linked(to: [], .reply) == [])
            #expect(letters.linked(to: [1, 3], .anyCopy) == [0, 1])
            #expect(letters.linked(to: [2], .contained) == [0])
            // Each of the copies is one of them, not all of them the same one.
            #expect(letters.linked(to: [1, 2], .allCopies) == [0, 1, 2, 3])
            #expect(letters.linked(to: [1], .allCopies) == [1, 2, 3])
            #expect(letters.linked(to: [], .allCopies) == [2, 3])
            #expect(letters.linked(to: [2], .noCopy) == [1, 2, 3])
            #expect(letters.linked(to: [], .noCopy) == [0, 1, 2, 3])
        }
    }

    @Test("Q5: operators between two properties")
    func textsOfTwoProperties() async throws {
        try await Letters.check { letters throws in
            #expect(letters.ids { $0.title.contains($0.body) } == [0])
            #expect(try letters.find("title CONTAINS body") == [0])
            #expect(letters.ids { $0.title.contains($0.body, options: .caseInsensitive) } == [0])
            #expect(letters.ids { $0.title.like($0.body, caseInsensitive: true) } == [1, 2])
            #expect(try letters.find("title LIKE[c] body") == [1, 2])
            #expect(letters.ids { $0.title.like($0.body) } == [2])
            #expect(letters.ids { $0.body.like($0.reply.body) } == [0, 3])
            #expect(letters.ids { $0.title.equals($0.body) } == [2])
            #expect(letters.ids { $0.title.notEquals($0.body) } == [0, 1, 3])
            #expect(try letters.find("title !=[c] body") == [0, 1, 3])
            let loose: StringOptions = [.caseInsensitive, .diacriticInsensitive]
            #expect(letters.ids { $0.title.equals($0.reply.body, options: loose) } == [1])
            #expect(try letters.find("title ==[cd] reply.body") == [1])
            #expect(letters.ids { $0.title.starts(with: $0.body) } == [])
            #expect(letters.ids { $0.reply.title.ends(with: $0.body) } == [])
            #expect(
                letters.ids { $0.reply.title.ends(with: $0.title, options: .caseInsensitive) }
                    == [])
            #expect(letters.ids { $0.copies.title.starts(with: $0.title) } == [1])
            #expect(try letters.find("ANY copies.title BEGINSWITH title") == [1])
            #expect(letters.ids { $0.copies.none.title.starts(with: $0.title) } == [0, 2, 3])
            #expect(try letters.find("NONE copies.title BEGINSWITH title") == [0, 2, 3])
            #expect(letters.ids { $0.copies.all.title.starts(with: $0.title) } == [1, 2, 3])
            #expect(letters.ids { $0.bytes.contains($0.more) } == [1, 2])
            #expect(try letters.find("bytes ENDSWITH more") == [1, 2])
            #expect(letters.ids { $0.bytes.equals($0.more, options: .caseInsensitive) } == [0])
            #expect(try letters.find("value CONTAINS body OR value == %@", 3) == [0])
            #expect(
                try letters.find("SUBQUERY(copies, $x, $x.title LIKE $x.body).@count > 0") == [0])
        }
    }

    /// Text had them; the type-safe form did not compile.
    @Test("Q4, Q20: two links, and two values of any type, with each other")
    func linksAndAnyValuesOfTwoProperties() async throws {
        try await Ships.check { ships throws in
            #expect(ships.numbers { $0.captain == $0.captain } == [0, 1, 2, 3])
            #expect(ships.numbers { $0.captain != $0.captain } == [])
            #expect(ships.numbers { $0.captain.friend != $0.captain } == [0, 1, 3])
            #expect(ships.numbers { $0.crew.any.friend == $0.captain } == [])
            #expect(ships.numbers { $0.crew.any.friend != $0.captain } == [0, 1, 3])
            #expect(
                ships.numbers { $0.captain.friend == $0.mates["first"] && $0.number < 2 } == [0])
        }
        try await Letters.check { letters throws in
            #expect(letters.ids { $0.value == $0.reply.value } == [3])
            #expect(letters.ids { $0.value != $0.reply.value } == [0, 1, 2])
            #expect(letters.ids { $0.value < $0.reply.value } == [])
            #expect(letters.ids { $0.reply.value <= $0.value } == [3])
            #expect(letters.ids { $0.values.any == $0.value } == [])
            #expect(letters.ids { $0.value > $0.values.any } == [0])
            #expect(try letters.find("ANY values < value") == [0])
            #expect(letters.ids { $0.values.any >= $0.values.any } == [0, 1])
        }
    }

    /// Text had them; the type-safe form did not compile.
    @Test("Q6, Q8: the least, greatest, sum and average of values of any type")
    func aggregatesOfAnyValues() async throws {
        // The values: 1, "two" and nil; 2.0; none; none.
        try await Letters.check { letters throws in
            #expect(letters.ids { $0.values.min == 1 } == [0])
            #expect(letters.ids { $0.values.max == "two" } == [0])
            #expect(letters.ids { $0.values.max == .int(2) } == [1])
            #expect(letters.ids { $0.values.max.isNil } == [2, 3])
            #expect(letters.ids { $0.values.max > 1 } == [1])
            #expect(letters.ids { $0.values.sum == 1 } == [0])
            #expect(letters.ids { $0.values.sum == 0 } == [2, 3])
            #expect(letters.ids { $0.values.avg >= 1.5 } == [1])
            #expect(letters.ids { $0.values.avg == .int(1) } == [0])
            let most: [AnyRealmValue] = ["two", 5]
            #expect(letters.ids { $0.values.max.in(most) } == [0])
            #expect(letters.ids { $0.copies.value.max == "red" && $0.id > 0 } == [1])
            #expect(letters.ids { $0.copies.value.sum == 0 } == [0, 1, 2, 3])
            #expect(try letters.find("values.@max == 'two' OR values.@sum == 2") == [0, 1])
            // No part of what is computed, and no object that it might be.
            #expect(letters.ids { $0.values.max["key"] == 1 } == [])
            #expect(letters.ids { $0.values.max == .object(Letter()) } == [])
        }
    }

    @Test("Q5: options, equals, nil")
    func optionsOfBytes() async throws {
        try await Letters.check { letters throws in
            let rex = Data("REX".utf8)
            #expect(letters.ids { $0.bytes.contains(rex) } == [])
            #expect(letters.ids { $0.bytes.contains(rex, options: .caseInsensitive) } == [0, 2])
            #expect(letters.ids { $0.bytes.equals(rex, options: .caseInsensitive) } == [0])
            #expect(
                letters.ids { $0.bytes.notEquals(rex, options: .caseInsensitive) } == [1, 2, 3])
            #expect(letters.ids { $0.more.starts(with: rex, options: .caseInsensitive) } == [0])
            #expect(letters.ids { $0.more.ends(with: nil) } == [])
            #expect(letters.ids { $0.more.equals(nil) } == [3])
            #expect(letters.ids { $0.more.notEquals(nil) } == [0, 1, 2])
            // No text: the bytes themselves.
            let none = Data([0xFF, 0x52])
            #expect(letters.ids { $0.bytes.equals(none, options: .caseInsensitive) } == [1])
            #expect(try letters.find("bytes CONTAINS[c] %@", rex) == [0, 2])
            #expect(try letters.find("bytes ==[c] %@", rex) == [0])
            #expect(throws: RealmError.self) { try letters.find("bytes LIKE %@", rex) }
        }
    }

    @Test("Q11: LIKE NULL is null only")
    func likeNull() async throws {
        try await Letters.check { letters throws in
            #expect(letters.ids { $0.body.like(nil) } == [3])
            #expect(try letters.find("body LIKE NULL") == [3])
            #expect(try letters.find("body LIKE[c] %@", nil) == [3])
            #expect(try letters.find("NOT (body LIKE NULL)") == [0, 1, 2])
            #expect(try letters.find("body CONTAINS NULL") == [])
            #expect(letters.ids { $0.title.like(nil) } == [])
        }
    }

    @Test("Q10: text for decimal numbers")
    func textForDecimals() async throws {
        try await Letters.check { letters throws in
            #expect(try letters.find("price == '12.5'") == [0])
            #expect(try letters.find("price > %@", "0.09") == [0, 1])
            #expect(try letters.find("price IN {'0.10', '-1'}") == [1, 2])
            #expect(try letters.find("price BETWEEN {'-1', '0.1'}") == [1, 2, 3])
            #expect(try letters.find("ANY prices == '2.000'") == [0, 1])
            #expect(try letters.find("prices.@max < '2.01'") == [0, 1])
            #expect(throws: RealmError.self) { try letters.find("price == 'twelve'") }
            #expect(throws: RealmError.self) { try letters.find("id == '1'") }
        }
    }

    /// They were rounded to doubles, of which no decimal number with so many digits is one.
    @Test("Q10, D24: fractions with many digits are exact for decimal numbers")
    func longFractionsForDecimals() async throws {
        try await withFreshRealm(Letters.types) { realm in
            let digits = "0.1234567890123456789012345678901234"
            try await realm.write { tx in
                let prices = [digits, "0.1234567890123456", "-\(digits)", "1E-400"]
                for (id, price) in prices.enumerated() {
                    let value: [String: Any] = ["id": id, "price": price, "prices": [price]]
                    try tx.create(Letter.self, value: value)
                }
                tx.object(Letter.self, forPrimaryKey: 3)?.value = .double(Double.pi)
            }
            let letters = realm.objects(Letter.self)
            func ids(_ query: String) throws -> [Int] { try letters.filter(query).map(\.id) }
            #expect(try ids("price == \(digits)") == [0])
            #expect(try ids("price > 0.12345678901234567890123456789") == [0])
            #expect(try ids("price == -\(digits)") == [2])
            #expect(try ids("price IN {1e-400, \(digits)}") == [0, 3])
            #expect(try ids("price BETWEEN {-\(digits), 0}") == [2])
            #expect(try ids("prices.@max == \(digits) OR prices.@sum == -\(digits)") == [0, 2])
            #expect(try ids("price + 0 == \(digits)") == [0])
            #expect(try ids("price - \(digits) == 0") == [0])
            // To all others they are the nearest double, as they are in Swift.
            #expect(try ids("value == 3.14159265358979323846264338327950288") == [3])
            #expect(try ids("id < 0.99999999999999999999999999") == [0])
            #expect(throws: RealmError.self) { try ids("id % \(digits) == 0") }
            #expect(throws: RealmError.self) { try ids("price IN \(digits)") }
            #expect(throws: RealmError.self) { try ids("title == \(digits)") }
        }
    }

    /// The least, the greatest and the sum of decimal numbers, and what is calculated with them,
    /// were compared with the double that is nearest to what is written, and floats likewise.
    @Test("Q6: what is made of decimal numbers and floats compares as they do")
    func fractionsForAggregates() async throws {
        try await Letters.check { letters throws in
            #expect(try letters.find("prices.@min == 0.1") == [0])
            #expect(try letters.find("prices.@sum == 2.1") == [0])
            #expect(try letters.find("prices.@sum IN {2.1, 2}") == [0, 1])
            #expect(try letters.find("price + 0.2 == 0.3") == [1])
            #expect(try letters.find("price * 3 BETWEEN {0.3, 0.3}") == [1])
            #expect(try letters.find("price * 3 IN {0.3, -3}") == [1, 2])
            #expect(try letters.find("prices.@min * 2 == %@", 0.2) == [0])
            // Foundation's decimal numbers were refused as arguments.
            let price = try #require(Decimal(string: "0.1"))
            #expect(try letters.find("price == %@ OR price IN %@", price, [-price * 10]) == [1, 2])
        }
        try await Ships.check { ships throws in
            #expect(try ships.find("captain.ships.@max.length == 0.1") == [1, 3])
        }
    }

    @Test func whatTextRefusesSaysWhy() async throws {
        try await Letters.check { letters throws in
            for (query, part) in [
                ("title CONTAINS id", "an integer"), ("title CONTAINS bytes", "types differ"),
                ("bytes LIKE more", "texts only"), ("copies.title CONTAINS body", "ANY"),
                ("title < [c] body", "options"),
                ("title CONTAINS id + 1", "property or a constant"),
            ] {
                expect(query, part, letters)
            }
        }
    }

    private func expect(_ query: String, _ part: String, _ letters: any LetterQueries) {
        do {
            _ = try letters.find(query)
            Issue.record("\(query) is understood")
        } catch {
            #expect("\(error)".contains(part), "\(query): \(error)")
        }
    }

    @Test("D12: an optional enum as primary key and as index")
    func optionalEnumsAsKeys() async throws {
        try await withFreshRealm(Letters.types) { realm in
            try await realm.write { tx in
                try Letters.fill(tx)
                for mood in [nil, Mood.playful] {
                    let weather = Weather()
                    weather.mood = mood
                    weather.note = "\(mood?.rawValue ?? "none")"
                    try tx.add(weather)
                }
                #expect(throws: RealmError.self) {
                    try tx.create(Weather.self, value: ["mood": "playful"])
                }
                try tx.create(
                    Weather.self, value: ["mood": "playful", "rank": 1], update: .modified)
            }
            #expect(realm.object(Weather.self, forPrimaryKey: Mood.playful)?.note == "playful")
            #expect(realm.object(Weather.self, forPrimaryKey: Mood?.none)?.note == "none")
            #expect(realm.object(Weather.self, forPrimaryKey: Mood.calm) == nil)
            let found = realm.objects(Weather.self).where { $0.rank == .low }
            #expect(found.map(\.note) == ["playful"])
            let schema = Weather.sharedSchema()
            #expect(
                schema["rank"]?.isIndexed == true && schema.primaryKeyProperty?.name == "mood")
            #expect(realm.objects(Weather.self).where { $0.rank == .high }.map(\.note) == ["none"])
            let letters = realm.objects(Letter.self).sorted(by: \.mood)
            #expect(letters.map(\.id) == [2, 3, 0, 1])
            #expect(try await realm.verify().isIntact)
        }
    }
}

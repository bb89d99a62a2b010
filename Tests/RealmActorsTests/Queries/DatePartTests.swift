import Foundation
import RealmActors
import StorageHarness
import Testing

final class DatedLetter: Object {
    @Persisted var number: Int
    @Persisted(indexed: true) var sent: Date
    @Persisted var read: Date?
    @Persisted var answer: DatedLetter?
    @Persisted var reminders: List<Date>
    /// A property that is called as a part of a date is one all the same.
    @Persisted var year: Int
}

/// Parts of dates in queries, against Foundation's calendar of ISO 8601.
@Suite struct DatePartTests {
    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
        return calendar
    }()

    private static let names = ["year", "month", "day", "weekday", "hour", "minute", "second"]

    private static func part(_ name: String, of date: Date) -> Int {
        switch name {
        case "year": calendar.component(.year, from: date)
        case "month": calendar.component(.month, from: date)
        case "day": calendar.component(.day, from: date)
        case "weekday": (calendar.component(.weekday, from: date) + 5) % 7 + 1
        case "hour": calendar.component(.hour, from: date)
        case "minute": calendar.component(.minute, from: date)
        default: calendar.component(.second, from: date)
        }
    }

    private static func typed(_ name: String, _ letter: Query<DatedLetter>) -> Query<Int> {
        switch name {
        case "year": letter.sent.year
        case "month": letter.sent.month
        case "day": letter.sent.day
        case "weekday": letter.sent.weekday
        case "hour": letter.sent.hour
        case "minute": letter.sent.minute
        default: letter.sent.second
        }
    }

    /// Dates of eight centuries, and those at the ends of days, months, years and eras.
    private static func dates(_ random: inout SeededGenerator) -> [Date] {
        let edges = [
            "2000-02-29T23:59:59Z", "2000-03-01T00:00:00Z", "1900-02-28T23:59:59Z",
            "1900-03-01T00:00:00Z", "2001-01-01T00:00:00Z", "2000-12-31T23:59:59Z",
            "1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2024-02-29T12:00:00Z",
            "2400-02-29T00:00:00Z", "1600-02-29T00:00:00Z", "1999-12-31T00:00:00Z",
        ]
        let days = (0..<300).map { _ in
            Date(
                timeIntervalSinceReferenceDate: Double.random(in: -1.3e10...1.3e10, using: &random))
        }
        let formatter = ISO8601DateFormatter()
        return edges.compactMap { formatter.date(from: $0) } + days
    }

    private func withLetters(
        _ dates: [Date], _ body: (FrozenResults<DatedLetter>) throws -> Void
    ) async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [DatedLetter.self]))
        try await realm.write { tx in
            var last: DatedLetter?
            for (number, date) in dates.enumerated() {
                let letter = try tx.create(DatedLetter.self, value: ["number": number])
                letter.sent = date
                letter.read = number % 3 == 0 ? nil : date
                letter.answer = last
                letter.year = number
                letter.reminders.append(objectsIn: number % 2 == 0 ? [date, dates[0]] : [])
                last = letter
            }
        }
        try body(realm.objects(DatedLetter.self))
        try await realm.close()
    }

    @Test func partsAreThoseOfTheCalendar() async throws {
        var random = SeededGenerator()
        let seed = random.seed
        let dates = Self.dates(&random)
        #expect(dates.count == 312)
        try await withLetters(dates) { letters in
            for name in Self.names {
                for date in dates.shuffled(using: &random).prefix(20) {
                    let wanted = Self.part(name, of: date)
                    let expected = dates.indices.filter { Self.part(name, of: dates[$0]) == wanted }
                    let comment: Comment = "SEED=\(seed), \(name) \(wanted)"
                    let text = try letters.filter("sent.\(name) == %@", wanted)
                    #expect(text.map(\.number) == expected, comment)
                    let typed = letters.where { Self.typed(name, $0) == wanted }
                    #expect(typed.map(\.number) == expected, comment)
                    // Of what may be nil, and across links.
                    let read = try letters.filter("read.\(name) >= %@", wanted).map(\.number)
                    let later = dates.indices.filter {
                        $0 % 3 != 0 && Self.part(name, of: dates[$0]) >= wanted
                    }
                    #expect(read == later, comment)
                    let linked = try letters.filter("answer.sent.\(name) == %@", wanted)
                    let followers = dates.indices.filter {
                        $0 > 0 && Self.part(name, of: dates[$0 - 1]) == wanted
                    }
                    #expect(linked.map(\.number) == followers, comment)
                }
            }
        }
    }

    @Test func partsAreNumbersToCalculateWith() async throws {
        var random = SeededGenerator()
        let dates = Self.dates(&random)
        try await withLetters(dates) { letters in
            let expected = dates.indices.filter {
                Self.part("year", of: dates[$0]) % 4 == 0
                    && Self.part("month", of: dates[$0]) * 2 > Self.part("day", of: dates[$0])
            }
            let text = try letters.filter("sent.year % 4 == 0 AND sent.month * 2 > sent.day")
            #expect(text.map(\.number) == expected)
            let typed = letters.where { $0.sent.year % 4 == 0 && $0.sent.month * 2 > $0.sent.day }
            #expect(typed.map(\.number) == expected)
            let unread = letters.where { $0.read.year == nil }
            #expect(unread.map(\.number) == dates.indices.filter { $0 % 3 == 0 })
            let without = try letters.filter("read.year == nil")
            #expect(without.map(\.number) == unread.map(\.number))
            let between = try letters.filter("sent.month BETWEEN {3, 5}")
            #expect(
                between.map(\.number)
                    == dates.indices.filter { (3...5).contains(Self.part("month", of: dates[$0])) })
            // No index is usable, and the plan says so.
            #expect(text.explain().contains("no usable index"))
            #expect(text.explain().contains("sent.year % 4"))
        }
    }

    @Test func partsOfManyDatesAndOfNone() async throws {
        var random = SeededGenerator()
        let dates = Self.dates(&random)
        try await withLetters(dates) { letters in
            let year = Self.part("year", of: dates[0])
            let any = try letters.filter("ANY reminders.year == %@", year)
            #expect(any.map(\.number) == dates.indices.filter { $0 % 2 == 0 })
            for wrong in [
                "reminders.year == 3", "ANY sent.year == 3", "number.year == 3",
                "sent.century == 3", "sent.year == 'x'",
            ] {
                #expect(throws: RealmError.self, "\(wrong)") { _ = try letters.filter(wrong) }
            }
            // The property of that name.
            let named = try letters.filter("answer.year == 3")
            #expect(named.map(\.number) == [4])
        }
        // What no calendar reaches has no year.
        let odd = [Double.nan, .infinity, -1e300].map { Date(timeIntervalSinceReferenceDate: $0) }
        try await withLetters(odd) { letters in
            let found = try letters.filter("sent.year == 2001 OR sent.year < 0")
            #expect(found.isEmpty)
        }
    }

    @Test func theMomentBeforeMidnightIsOfTheDayBefore() async throws {
        try await withLetters([Date(timeIntervalSinceReferenceDate: -1e-12)]) { letters in
            let last = try letters.filter("sent.hour == 23 AND sent.minute == 59")
            #expect(try last.filter("sent.second == 59 AND sent.day == 31").count == 1)
            #expect(try letters.filter("sent.hour == 24 OR sent.year == 2001").isEmpty)
        }
    }
}

import Foundation
import RealmActors
import StorageHarness
import Testing

/// Parts of dates in time zones, against Foundation's calendar of ISO 8601.
@Suite struct DatePartZoneTests {
    private static let names = ["year", "month", "day", "weekday", "hour", "minute", "second"]

    /// Zones with parts of hours, a day that was left out, and clocks that are set by half an hour.
    private static let zones = [
        "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Pacific/Apia",
        "Australia/Lord_Howe", "GMT-0730",
    ].compactMap { TimeZone(identifier: $0) }

    /// The parts of a date, in the order of the names.
    private static func parts(of date: Date, in zone: TimeZone) -> [Int] {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = zone
        return [
            calendar.component(.year, from: date), calendar.component(.month, from: date),
            calendar.component(.day, from: date),
            (calendar.component(.weekday, from: date) + 5) % 7 + 1,
            calendar.component(.hour, from: date), calendar.component(.minute, from: date),
            calendar.component(.second, from: date),
        ]
    }

    private static func typed<Number>(
        _ name: String, _ parts: QueryDateParts<Number>
    ) -> Query<Number> {
        switch name {
        case "year": parts.year
        case "month": parts.month
        case "day": parts.day
        case "weekday": parts.weekday
        case "hour": parts.hour
        case "minute": parts.minute
        default: parts.second
        }
    }

    /// Dates of eight centuries, and those around the moments at which clocks are set.
    private static func dates(_ random: inout SeededGenerator) -> [Date] {
        var dates = (0..<60).map { _ in
            Date(
                timeIntervalSinceReferenceDate: Double.random(in: -1.3e10...1.3e10, using: &random))
        }
        for zone in zones {
            var moment = Date(
                timeIntervalSinceReferenceDate: Double.random(in: 0...3e8, using: &random))
            for _ in 0..<3 {
                guard let next = zone.nextDaylightSavingTimeTransition(after: moment) else { break }
                dates += [next - 1, next, next + 1]
                moment = next
            }
        }
        return dates.shuffled(using: &random)
    }

    private func withLetters(
        _ dates: [Date], _ body: (FrozenResults<DatedLetter>) throws -> Void
    ) async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [DatedLetter.self]))
        try await realm.write { tx in
            for (number, date) in dates.enumerated() {
                let letter = try tx.create(DatedLetter.self, value: ["number": number])
                letter.sent = date
                letter.read = number % 3 == 0 ? nil : date
                letter.reminders.append(objectsIn: number % 2 == 0 ? [date, dates[0]] : [])
            }
        }
        try body(realm.objects(DatedLetter.self))
        try await realm.close()
    }

    @Test func partsAreThoseOfTheCalendarInTheZone() async throws {
        var random = SeededGenerator()
        let seed = random.seed
        let dates = Self.dates(&random)
        #expect(Self.zones.count == 6)
        try await withLetters(dates) { letters in
            for zone in Self.zones {
                let parts = dates.map { Self.parts(of: $0, in: zone) }
                for (index, name) in Self.names.enumerated() {
                    for wanted in parts.shuffled(using: &random).prefix(4).map({ $0[index] }) {
                        let expected = dates.indices.filter { parts[$0][index] == wanted }
                        let comment: Comment =
                            "SEED=\(seed), \(name) \(wanted) in \(zone.identifier)"
                        let typed = letters.where { Self.typed(name, $0.sent.in(zone)) == wanted }
                        #expect(typed.map(\.number) == expected, comment)
                        let text = try letters.filter(
                            "sent.\(name)['\(zone.identifier)'] == %@", wanted)
                        #expect(text.map(\.number) == expected, comment)
                        // Of what may be nil.
                        let read = letters.where { Self.typed(name, $0.read.in(zone)) == wanted }
                        #expect(read.map(\.number) == expected.filter { $0 % 3 != 0 }, comment)
                    }
                }
            }
        }
    }

    @Test func aZoneIsTheArgumentOfAQuery() async throws {
        var random = SeededGenerator()
        let dates = Self.dates(&random)
        let zone = Self.zones[2]
        try await withLetters(dates) { letters in
            let early = dates.indices.filter { Self.parts(of: dates[$0], in: zone)[4] < 12 }
            let name = zone.identifier
            for found in [
                try letters.filter("sent.hour[%@] < 12", zone),
                try letters.filter("sent.hour[%@] < 12", name),
                try letters.filter("sent.hour[$zone] < 12", arguments: ["zone": zone]),
                try letters.filter("sent.hour['\(name)'] BETWEEN {0, 11}"),
                letters.where { $0.sent.in(zone).hour < 12 },
            ] {
                #expect(found.map(\.number) == early)
                #expect(found.explain().contains("sent.hour['\(name)']"), "\(found.explain())")
            }
            // One calculation with the parts in two zones.
            let utc = TimeZone.gmt
            let moved = dates.indices.filter {
                Self.parts(of: dates[$0], in: zone)[2] != Self.parts(of: dates[$0], in: utc)[2]
            }
            let text = try letters.filter("sent.day[%@] - sent.day != 0", zone)
            #expect(text.map(\.number) == moved)
            #expect(letters.where { $0.sent.in(zone).day != $0.sent.day }.map(\.number) == moved)
            #expect(letters.where { $0.read.in(zone).day == nil }.count == (dates.count + 2) / 3)
            let reminded = try letters.filter(
                "ANY reminders.year[%@] == %@", zone, Self.parts(of: dates[0], in: zone)[0])
            #expect(reminded.map(\.number) == dates.indices.filter { $0 % 2 == 0 })
        }
    }

    /// The name that Foundation has for it is that of a zone 28 seconds away.
    @Test func aZoneWithSecondsIsNotTakenForAnother() async throws {
        let amsterdam = try #require(TimeZone(secondsFromGMT: 1_172))
        let before = try #require(TimeZone(secondsFromGMT: -3_610))
        let date = Date(timeIntervalSinceReferenceDate: 0)
        try await withLetters([date]) { letters in
            let found = letters.where { $0.sent.in(amsterdam).second == 32 }
            #expect(found.count == 1)
            let plan = found.explain()
            #expect(plan.contains("sent.second['GMT+00:19:32']"), "\(plan)")
            let earlier = letters.where { $0.sent.in(before).second == 50 }
            #expect(earlier.count == 1)
            #expect(earlier.explain().contains("sent.second['GMT-01:00:10']"))
        }
    }

    @Test func whatIsNoZoneIsAnError() async throws {
        try await withLetters([]) { letters in
            for wrong in [
                "sent.year['Nowhere'] == 3", "sent.year[3] == 3", "sent.year[] == 3",
                "sent.year['GMT' == 3", "sent.year['GMT'].month == 3", "sent['GMT'].year == 3",
                "number.year['GMT'] == 3", "reminders.year['GMT'] == 3",
            ] {
                #expect(throws: RealmError.self, "\(wrong)") { _ = try letters.filter(wrong) }
            }
            #expect(throws: RealmError.self) { _ = try letters.filter("sent.year[%@] == 3", 7) }
            do throws(RealmError) {
                _ = try letters.filter("sent.year['Nowhere'] == 3")
            } catch .invalidQuery(let message, let position) {
                #expect(message.contains("Unknown time zone"))
                #expect(position == 10)
            } catch {
                Issue.record(error)
            }
        }
    }
}

import Foundation
import RealmActors
import StorageHarness
import Testing

/// Conditions across links, and with indexes, against plain Swift: on what is committed, on what is
/// not yet, frozen and live. Classes are of sizes at which links are followed in different ways.
@Suite struct LinkQueryTests {
    private struct Question {
        let name: String
        let typed: (Query<Tram>) -> Query<Bool>
        let test: (PlainTrams.Tram, PlainTrams) -> Bool

        init(
            _ name: String, _ typed: @escaping (Query<Tram>) -> Query<Bool>,
            _ test: @escaping (PlainTrams.Tram, PlainTrams) -> Bool
        ) {
            (self.name, self.typed, self.test) = (name, typed, test)
        }
    }

    private static func questions(_ random: inout SeededGenerator) -> [Question] {
        aboutDepots(&random) + aboutLines(&random) + aboutTrams(&random)
    }

    private static func aboutDepots(_ random: inout SeededGenerator) -> [Question] {
        let (name, room, color) = (random.name(), random.small(), random.color())
        let names = Set([random.name(), random.name()])
        var all: [Question] = []
        all.append(Question("name", { $0.depot.name == name }) { $1.depot($0)?.name == name })
        all.append(Question("not name", { $0.depot.name != name }) { $1.depot($0)?.name != name })
        all.append(
            Question("prefix", { $0.depot.name.starts(with: name) }) { tram, plain in
                plain.depot(tram)?.name.hasPrefix(name) ?? false
            })
        all.append(
            Question("name in", { $0.depot.name.in(names) }) { tram, plain in
                plain.depot(tram).map { names.contains($0.name) } ?? false
            })
        all.append(
            Question("room", { $0.depot.room > room }) { tram, plain in
                (plain.depot(tram)?.room).map { $0 > room } ?? false
            })
        all.append(
            Question("no room", { $0.depot.room == nil }) { $1.depot($0)?.room == nil })
        all.append(
            Question("line of depot", { $0.depot.line.color == color }) { tram, plain in
                plain.lineOfDepot(tram)?.color == color
            })
        all.append(
            Question("no line of depot", { $0.depot.line == nil }) { tram, plain in
                plain.lineOfDepot(tram) == nil
            })
        return all
    }

    private static func aboutLines(_ random: inout SeededGenerator) -> [Question] {
        let (color, room) = (random.color(), random.small())
        var all: [Question] = []
        all.append(Question("color", { $0.line.color == color }) { $1.line($0)?.color == color })
        all.append(
            Question("number", { $0.line.number == 3 && $0.seats > room }) { tram, plain in
                plain.line(tram) != nil && tram.line == 3 && tram.seats > room
            })
        all.append(
            Question("stop color", { $0.stops.color == color }) { tram, plain in
                plain.stops(tram).contains { $0.color == color }
            })
        all.append(
            Question("stop number", { $0.stops.number == 2 }) { tram, plain in
                tram.stops.contains(2) && plain.lines[2] != nil
            })
        all.append(
            Question("no stop", { $0.stops.none.color == color }) { tram, plain in
                !plain.stops(tram).contains { $0.color == color }
            })
        return all
    }

    private static func aboutTrams(_ random: inout SeededGenerator) -> [Question] {
        let (name, color) = (random.name(), random.color())
        let low = Int.random(in: 0..<400, using: &random)
        var all: [Question] = []
        all.append(
            Question(
                "either",
                { $0.depot.name == name || $0.line.color == color || $0.age == low }
            ) { tram, plain in
                plain.depot(tram)?.name == name || plain.line(tram)?.color == color
                    || tram.age == low
            })
        all.append(
            Question(
                "all kinds",
                { $0.depot.name == name && $0.age >= low && $0.nickname != nil }
            ) { tram, plain in
                plain.depot(tram)?.name == name && tram.age >= low && tram.nickname != nil
            })
        all.append(Question("age", { $0.age == low }) { tram, _ in tram.age == low })
        all.append(
            Question("ages", { $0.age > low && $0.age <= low + 9 }) { tram, _ in
                tram.age > low && tram.age <= low + 9
            })
        all.append(
            Question("nickname", { $0.nickname == name }) { tram, _ in tram.nickname == name })
        all.append(
            Question("no nickname", { $0.nickname == nil && $0.age < low }) { tram, _ in
                tram.nickname == nil && tram.age < low
            })
        all.append(
            Question("nickname prefix", { $0.nickname.starts(with: "name 1") }) { tram, _ in
                tram.nickname?.hasPrefix("name 1") ?? false
            })
        return all
    }

    private static func check<Found: QueryableResults<Tram>>(
        _ trams: Found, _ plain: PlainTrams, _ random: inout SeededGenerator, _ comment: String
    ) {
        for question in questions(&random) {
            let (typed, test) = (question.typed, question.test)
            let expected = plain.numbers { test($0, plain) }
            let found = trams.where(typed)
            let comment: Comment = "SEED=\(random.seed), \(comment), \(question.name)"
            #expect(found.values(of: \.number) == expected, comment)
            #expect(trams.where(typed).count == expected.count, comment)
            #expect(trams.where(typed).isEmpty == expected.isEmpty, comment)
            #expect(
                Array(trams.where(typed).limit(3).values(of: \.number))
                    == Array(expected.prefix(3)), comment)
            let sorted = expected.sorted {
                (plain.trams[$0]?.age ?? 0, $0) < (plain.trams[$1]?.age ?? 0, $1)
            }
            #expect(trams.where(typed).sorted(by: \.age).values(of: \.number) == sorted, comment)
            #expect(
                trams.where(typed).sorted(by: \.age).limit(4).values(of: \.number)
                    == Array(sorted.prefix(4)), comment)
            let seats = expected.reduce(0) { $0 + (plain.trams[$1]?.seats ?? 0) }
            #expect(trams.where(typed).sum(of: \.seats) == seats, comment)
        }
    }

    /// Sizes of trams, depots and lines.
    @Test(arguments: [(700, 300, 9), (1500, 1200, 4), (300, 5, 2)])
    func conditionsAcrossLinksHoldInEveryState(_ sizes: (Int, Int, Int)) async throws {
        let seed = SeededGenerator().seed
        try await withFreshRealm(PlainTrams.types) { realm in
            var (plain, random) = try await realm.write { tx in
                var random = SeededGenerator(seed: seed)
                var plain = PlainTrams()
                try plain.create(
                    trams: sizes.0, depots: sizes.1, lines: sizes.2, tx, &random)
                Self.check(tx.objects(Tram.self), plain, &random, "first write")
                return (plain, random)
            }
            for round in 0..<3 {
                let before = plain
                (plain, random) = try await realm.write { [plain, random] tx in
                    var (plain, random) = (plain, random)
                    for step in 0..<3 {
                        try plain.change(40, tx, &random)
                        Self.check(
                            tx.objects(Tram.self), plain, &random, "write \(round).\(step)")
                    }
                    return (plain, random)
                }
                Self.check(realm.objects(Tram.self), plain, &random, "frozen \(round)")
                #expect(before.trams.count != 0)
            }
            random = try await Self.checkLive(realm, plain, random)
        }
    }

    /// On a live realm, within its own write and after that was given up.
    @MainActor private static func checkLive(
        _ realm: Realm, _ plain: PlainTrams, _ random: SeededGenerator
    ) async throws -> SeededGenerator {
        var random = random
        let live = try await realm.live()
        let trams = live.objects(Tram.self)
        check(trams, plain, &random, "live")
        var changed = plain
        try await live.beginWrite()
        for number in changed.trams.keys.sorted().prefix(30) {
            let tram = live.object(Tram.self, forPrimaryKey: number)
            tram?.age = number
            tram?.depot = nil
            changed.trams[number]?.age = number
            changed.trams[number]?.depot = nil
        }
        check(trams, changed, &random, "in a live write")
        live.cancelWrite()
        check(trams, plain, &random, "after a live write was given up")
        return random
    }
}

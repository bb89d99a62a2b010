import Foundation
import RealmActors
import StorageHarness
import Testing

/// Random JSON gives the same store whether its values become dictionaries first or go straight
/// into rows.
@Suite struct JSONImportRandomTests {
    @Test func importsAreThoseOfCreate() async throws {
        var random = SeededGenerator()
        let seed = random.seed
        for round in 0..<12 {
            try await withFreshRealm(Film.types) { straight in
                try await withFreshRealm(Film.types) { converted in
                    for step in 0..<3 {
                        let update: UpdatePolicy =
                            step == 0 ? .error : [.modified, .all].randomElement(using: &random)!
                        let films = RandomFilms(using: &random, isUpdate: step > 0).films
                        let json = try JSONSerialization.data(withJSONObject: films)
                        try await straight.write { tx in
                            _ = try tx.create(Film.self, json: json, update: update)
                        }
                        try await converted.write { tx in
                            let values = try JSONSerialization.jsonObject(with: json) as? [Any]
                            for value in values ?? [] {
                                try tx.create(Film.self, value: value, update: update)
                            }
                        }
                        let (a, b) = (try text(straight), try text(converted))
                        #expect(
                            a == b,
                            """
                            SEED=\(seed) round \(round) step \(step) \(update):
                            \(String(decoding: json, as: UTF8.self))
                            \(a)
                            \(b)
                            """)
                        if a != b { return }
                    }
                    let (a, b) = (try await straight.verify(), try await converted.verify())
                    #expect(a.isIntact, "SEED=\(seed) round \(round): \(a.problems)")
                    #expect(a.checked.objects == b.checked.objects, "SEED=\(seed) round \(round)")
                }
            }
        }
    }

    /// All that a realm holds; links by key, since they may lead in circles.
    private func text(_ realm: Realm) throws -> String {
        let snapshot = realm.snapshot()
        let films = snapshot.objects(Film.self).sorted(by: \.id).map { film -> String in
            let parts: [Any] = [
                film.id, film.title, film.year as Any, film.rank, film.token, Array(film.ratings),
                Array(film.genres), film.lead?.name as Any, film.cast.map(\.name),
                film.place?.city as Any, film.places.map(\.city), film.awards.description,
                film.parts.map { "\($0.key): \($0.value?.name as Any)" }, film.extra,
                film.sequel?.id as Any, Array(film.labels),
            ]
            return "\(parts)"
        }
        let cast = snapshot.objects(Actress.self).sorted(by: \.name)
            .map { "\($0.name) \($0.age) \($0.films.count)" }
        return (films + cast).joined(separator: "\n")
    }
}

/// Films as JSON has them, each with some of its properties.
private struct RandomFilms {
    private(set) var films: [[String: Any]] = []
    private var nextActress = 0
    private var used: Set<Int> = []
    private let isUpdate: Bool

    init(using random: inout SeededGenerator, isUpdate: Bool) {
        self.isUpdate = isUpdate
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            films.append(film(depth: 0, &random))
        }
    }

    private mutating func film(depth: Int, _ random: inout SeededGenerator) -> [String: Any] {
        var film: [String: Any] = ["id": key(&random), "token": UUID().uuidString]
        let makers: [(String, (inout RandomFilms, inout SeededGenerator) -> Any)] = [
            ("title", { _, random in "title \(Int.random(in: 0..<5, using: &random))" }),
            ("year", { $0.null(Int.random(in: 1900..<2000, using: &$1), &$1) }),
            ("rank", { Bool.random(using: &$1) ? 1 : 7 }),
            (
                "ratings",
                { films, random in
                    films.array(&random) { _, random in
                        Double(Int.random(in: 0..<8, using: &random)) / 2
                    }
                }
            ),
            (
                "genres",
                { films, random in
                    films.array(&random) { _, random in
                        ["a", "b", "c"].randomElement(using: &random)!
                    }
                }
            ),
            ("lead", { films, random in films.null(films.actress(&random), &random) }),
            ("cast", { films, random in films.array(&random) { $0.actress(&$1) } }),
            ("place", { films, random in films.null(films.place(&random), &random) }),
            ("places", { films, random in films.array(&random) { $0.place(&$1) } }),
            (
                "awards",
                { films, random in films.map(&random) { Int.random(in: 0..<4, using: &$1) } }
            ),
            (
                "parts",
                { films, random in
                    films.map(&random) { films, random in
                        films.null(films.actress(&random), &random)
                    }
                }
            ),
            (
                "extra",
                { films, random in
                    ["text", 5, 2.5, true, NSNull()].randomElement(using: &random)!
                }
            ),
            ("labels", { films, random in films.array(&random) { _, _ in "label" } }),
        ]
        for (name, make) in makers where Bool.random(using: &random) {
            film[name] = make(&self, &random)
        }
        if depth < 2, Int.random(in: 0..<3, using: &random) == 0 {
            film["sequel"] = self.film(depth: depth + 1, &random)
        }
        return film
    }

    /// A key that nothing else in this JSON has: what a key stands for twice, the two ways may
    /// write in another order.
    private mutating func key(_ random: inout SeededGenerator) -> Int {
        while true {
            let key = Int.random(in: 0..<(isUpdate ? 12 : 100), using: &random)
            if used.insert(key).inserted { return key }
        }
    }

    private func null(_ value: Any, _ random: inout SeededGenerator) -> Any {
        Int.random(in: 0..<4, using: &random) == 0 ? NSNull() : value
    }

    private mutating func array(
        _ random: inout SeededGenerator,
        _ element: (inout RandomFilms, inout SeededGenerator) -> Any
    ) -> Any {
        (0..<Int.random(in: 0..<4, using: &random)).map { _ in element(&self, &random) }
    }

    private mutating func map(
        _ random: inout SeededGenerator,
        _ value: (inout RandomFilms, inout SeededGenerator) -> Any
    ) -> Any {
        var entries: [String: Any] = [:]
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            entries["k\(Int.random(in: 0..<5, using: &random))"] = value(&self, &random)
        }
        return entries
    }

    private mutating func actress(_ random: inout SeededGenerator) -> Any {
        nextActress += 1
        var actress: [String: Any] = ["name": "\(isUpdate ? "u" : "a")\(nextActress)"]
        if Bool.random(using: &random) { actress["age"] = Int.random(in: 1..<90, using: &random) }
        return actress
    }

    private func place(_ random: inout SeededGenerator) -> Any {
        ["city": ["Rome", "Oslo"].randomElement(using: &random)!, "street": "Elm"]
    }
}

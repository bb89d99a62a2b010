import Foundation
import RealmActors
import Testing

/// `create(_:json:)`: the same rules as `create(_:value:)`, without the values in between.
@Suite struct JSONImportTests {
    /// What a realm has after imports.
    private func imported<R>(
        _ texts: String..., update: UpdatePolicy = .error,
        _ body: (Snapshot) throws -> R
    ) async throws -> R {
        try await withFreshRealm(Film.types) { realm in
            for text in texts {
                try await realm.write { tx in
                    _ = try tx.create(Film.self, json: Data(text.utf8), update: update)
                }
            }
            return try body(realm.snapshot())
        }
    }

    @Test func anArrayOfObjectsIsImported() async throws {
        try await imported(
            #"[{"id": 1, "title": "Dune", "year": 1984}, {"id": 2}, {"id": 3, "year": null}]"#
        ) { snapshot in
            let films = snapshot.objects(Film.self)
            #expect(films.map(\.id) == [1, 2, 3])
            #expect(films.map(\.title) == ["Dune", "untitled", "untitled"])
            #expect(films.map(\.year) == [1984, nil, nil])
            #expect(films.where { $0.title == "Dune" }.count == 1)
            #expect(snapshot.object(Film.self, forPrimaryKey: 3) != nil)
        }
    }

    @Test func oneObjectIsImportedAndReturned() async throws {
        try await withFreshRealm(Film.types) { realm in
            let title = try await realm.write { tx in
                let film = try tx.create(Film.self, json: Data(#"{"id": 1, "title": "M"}"#.utf8))
                film.first?.title += "!"
                return film[0].title
            }
            #expect(title == "M!" && realm.objects(Film.self).first?.title == "M!")
        }
    }

    @Test func linksEmbeddedObjectsAndCollectionsNest() async throws {
        let text = """
            [{"id": 1, "ratings": [4.5, 3], "genres": ["b", "a", "b"],
            "lead": {"name": "Ada", "age": 30}, "cast": [{"name": "Bea"}, {"name": "Cy"}],
            "place": {"city": "Rome"}, "places": [{"city": "Oslo"}, {"street": "Elm"}],
            "awards": {"y": 2, "x": 1}, "parts": {"hero": {"name": "Dee"}, "villain": null},
            "extra": 4.5, "sequel": {"id": 2, "sequel": {"id": 3}}, "unknown": {"a": [1]}}]
            """
        try await imported(text) { snapshot in
            let film = try #require(snapshot.object(Film.self, forPrimaryKey: 1))
            #expect(Array(film.ratings) == [4.5, 3] && Array(film.genres) == ["a", "b"])
            #expect(film.lead?.age == 30 && film.cast.map(\.name) == ["Bea", "Cy"])
            #expect(film.cast[0].age == 20 && film.cast[0].films.count == 1)
            #expect(film.place?.city == "Rome" && film.places.map(\.city) == ["Oslo", ""])
            #expect(film.awards.keys == ["x", "y"] && film.awards["y"] == 2)
            #expect(film.parts["hero"]??.name == "Dee" && film.parts["villain"] == .some(nil))
            #expect(film.extra == .double(4.5) && film.sequel?.sequel?.id == 3)
            #expect(snapshot.objects(Actress.self).count == 4)
        }
    }

    @Test func absentPropertiesGetTheirDefaultsAnew() async throws {
        try await imported(#"[{"id": 1}, {"id": 2}, {"id": 3, "labels": []}]"#) { snapshot in
            let films = snapshot.objects(Film.self)
            #expect(Set(films.map(\.token)).count == 3)
            #expect(films.map { Array($0.labels) } == [["new"], ["new"], []])
            #expect(films[0].rank == .high && films[0].extra == .none)
        }
        try await withFreshRealm([Stamped.self]) { realm in
            try await realm.write { tx in
                let text = #"[{"number": 1, "children": [{"number": 2}]}, {"number": 3}]"#
                _ = try tx.create(Stamped.self, json: Data(text.utf8))
            }
            let stamps = realm.objects(Stamped.self).map(\.stamp)
            #expect(stamps.count == 3 && Set(stamps).count == 3 && !stamps.contains(nil))
        }
    }

    @Test func anUpdateLeavesAbsentPropertiesAlone() async throws {
        for update in [UpdatePolicy.modified, .all] {
            try await imported(
                """
                {"id": 1, "title": "Dune", "year": 1984, "ratings": [1, 2], "genres": ["a"],
                "place": {"city": "Rome", "street": "Elm"}, "awards": {"x": 1},
                "places": [{"city": "Oslo"}], "lead": {"name": "Ada", "age": 30}}
                """,
                """
                {"id": 1, "year": null, "ratings": [3], "genres": null, "awards": {"y": 2},
                "places": [{"city": "Bern"}], "lead": {"name": "Ada"}}
                """, update: update
            ) { snapshot in
                let film = try #require(snapshot.objects(Film.self).first)
                #expect(snapshot.objects(Film.self).count == 1)
                #expect(film.title == "Dune" && film.year == nil && film.lead?.age == 30)
                #expect(Array(film.ratings) == [3] && film.genres.isEmpty)
                #expect(film.awards.keys == ["y"] && film.place?.street == "Elm")
                #expect(film.places.map(\.city) == ["Bern"])
            }
        }
    }

    @Test func anUpdateReplacesEmbeddedObjectsOrChangesThemInPlace() async throws {
        for update in [UpdatePolicy.modified, .all] {
            try await imported(
                #"{"id": 1, "place": {"city": "Rome", "street": "Elm"}}"#,
                #"{"id": 1, "place": {"city": "Oslo"}}"#, update: update
            ) { snapshot in
                let place = try #require(snapshot.objects(Film.self).first?.place)
                #expect(place.city == "Oslo")
                #expect(place.street == (update == .modified ? "Elm" : ""))
            }
        }
    }

    @Test func equalValuesAreNotReportedByModified() async throws {
        try await withFreshRealm(Film.types) { realm in
            let text = Data(
                #"[{"id": 1, "title": "A", "ratings": [1], "lead": {"name": "X"}}]"#.utf8)
            let film = try await realm.write { tx in
                try tx.create(Film.self, json: text)[0].freeze()
            }
            var changes = film.changes().makeAsyncIterator()
            try await realm.write { tx in
                _ = try tx.create(Film.self, json: text, update: .modified)
            }
            try await realm.write { tx in
                let next = Data(#"{"id": 1, "title": "A", "year": 1}"#.utf8)
                _ = try tx.create(Film.self, json: next, update: .modified)
            }
            guard case .change(_, let properties) = try await changes.next() else {
                Issue.record("no change")
                return
            }
            #expect(properties.map(\.name) == ["year"])
        }
    }

    @Test func cyclesByPrimaryKeyEnd() async throws {
        try await imported(
            #"[{"id": 1, "sequel": {"id": 2, "sequel": {"id": 1, "title": "Ring"}}}]"#,
            update: .modified
        ) { snapshot in
            let film = try #require(snapshot.object(Film.self, forPrimaryKey: 1))
            #expect(snapshot.objects(Film.self).count == 2)
            #expect(film.title == "Ring" && film.sequel?.sequel?.id == 1)
        }
    }

    @Test func theDecodersStrategiesHold() async throws {
        try await withFreshRealm(Film.types) { realm in
            try await realm.write { tx in
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .iso8601
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                let text = #"{"id": 1, "released": "2001-01-01T00:00:02Z"}"#
                _ = try tx.create(Film.self, json: Data(text.utf8), decoder: decoder)
            }
            let date = realm.objects(Film.self).first?.released
            #expect(date == Date(timeIntervalSinceReferenceDate: 2))
        }
    }

    @Test func whatIsExportedIsImportedAgain() async throws {
        try await withFreshRealm(Film.types) { realm in
            let text = """
                [{"id": 1, "title": "Dune", "ratings": [4.5], "genres": ["a"], "year": 1984,
                "lead": {"name": "Ada"}, "places": [{"city": "Oslo"}], "awards": {"x": 1},
                "extra": "x", "released": 5}]
                """
            try await realm.write { tx in
                _ = try tx.create(Film.self, json: Data(text.utf8))
            }
            let first = realm.objects(Film.self)
            let data = try JSONEncoder().encode(first)
            try await realm.write { tx in
                try tx.deleteAll()
                _ = try tx.create(Film.self, json: data)
            }
            #expect(realm.objects(Film.self).map(\.description) == first.map(\.description))
        }
    }

    @Test @MainActor func aLiveRealmImportsToo() async throws {
        try await withFreshRealm(Film.types) { realm in
            let live = try await realm.live()
            let text = Data(#"[{"id": 1}, {"id": 2}]"#.utf8)
            let films = try await live.write { try live.create(Film.self, json: text) }
            #expect(films.map(\.id) == [1, 2])
            #expect(throws: RealmError.notInWriteTransaction) {
                try live.create(Film.self, json: text)
            }
        }
    }
}

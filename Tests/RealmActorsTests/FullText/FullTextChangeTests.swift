import Foundation
import RealmActors
import StorageHarness
import Testing

private enum Plain {
    final class Note: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var text: String?
    }
}
private enum Ordered {
    final class Note: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: true) var text: String?
    }
}
private enum Searched {
    final class Note: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: .fullText) var text: String?
    }
}

/// Full-text indexes as texts and models change.
@Suite struct FullTextChangeTests {
    private static func find(_ realm: Realm, _ search: String) -> [Int] {
        realm.objects(Searched.Note.self).where { $0.text.fullText(search) }.map(\.id)
    }

    @Test func updatesAreFoundWithinTheirTransactionAndNotBefore() async throws {
        let realm = try await freshRealm([Searched.Note.self])
        try await realm.write { tx in
            let note = try tx.create(Searched.Note.self, value: ["id": 1, "text": "old words"])
            let notes = tx.objects(Searched.Note.self)
            #expect(notes.where { $0.text.fullText("old") }.count == 1)
            note.text = "new words"
            #expect(notes.where { $0.text.fullText("old") }.count == 0)
            #expect(notes.where { $0.text.fullText("new words") }.count == 1)
        }
        let before = realm.objects(Searched.Note.self)
        try await realm.write { tx in
            tx.object(Searched.Note.self, forPrimaryKey: 1)?.text = "other words words"
        }
        #expect(before.where { $0.text.fullText("new") }.count == 1)
        #expect(before.where { $0.text.fullText("other") }.count == 0)
        #expect(Self.find(realm, "other") == [1] && Self.find(realm, "new") == [])
        struct Undone: Error {}
        await #expect(throws: Undone.self) {
            try await realm.write { tx in
                tx.object(Searched.Note.self, forPrimaryKey: 1)?.text = "undone"
                throw Undone()
            }
        }
        #expect(Self.find(realm, "other") == [1] && Self.find(realm, "undone") == [])
        try await realm.write { tx in
            if let note = tx.object(Searched.Note.self, forPrimaryKey: 1) {
                try tx.delete(note)
            }
        }
        #expect(Self.find(realm, "words") == [])
        #expect(try await realm.verify().isIntact)
    }

    @Test func streamsTellWhatEntersAndLeavesAsTextsChange() async throws {
        let realm = try await freshRealm([Searched.Note.self])
        try await realm.write { tx in
            try tx.create(Searched.Note.self, value: ["id": 1, "text": "swift"])
            try tx.create(Searched.Note.self, value: ["id": 2, "text": "rust"])
        }
        let found = realm.objects(Searched.Note.self).where { $0.text.fullText("swift") }
        var changes = found.changes().makeAsyncIterator()
        _ = try await changes.next()
        try await realm.write { tx in
            tx.object(Searched.Note.self, forPrimaryKey: 2)?.text = "swift too"
        }
        guard case .update(let more, let deletions, let insertions, _)? = try await changes.next()
        else {
            Issue.record("expected an update")
            return
        }
        #expect(more.map(\.id) == [1, 2] && deletions.isEmpty && insertions == [1])
        try await realm.write { tx in
            tx.object(Searched.Note.self, forPrimaryKey: 1)?.text = "other"
        }
        guard case .update(let less, let deleted, _, _)? = try await changes.next() else {
            Issue.record("expected an update")
            return
        }
        #expect(less.map(\.id) == [2] && deleted == [0])
    }

    @Test func anIndexComesAndGoesWithTheModel() async throws {
        try await withStorePath { path in
            func open(_ type: Object.Type) async throws -> Realm {
                try await Realm.open(.init(path: path, objectTypes: [type]))
            }
            let plain = try await open(Plain.Note.self)
            try await plain.write { tx in
                for id in 0..<500 {
                    try tx.create(
                        Plain.Note.self,
                        value: ["id": id, "text": id % 7 == 0 ? nil : "note \(id) of \(id % 10)"])
                }
            }
            try await plain.close()
            for _ in 0..<2 {
                let searched = try await open(Searched.Note.self)
                #expect(Self.find(searched, "note 3").count == 43)
                #expect(try await searched.verify().isIntact)
                try await searched.compact()
                #expect(Self.find(searched, "note 3").count == 43)
                #expect(try await searched.verify().isIntact)
                try await searched.close()
                let again = try await open(Searched.Note.self)
                #expect(Self.find(again, "note 3 -13").count == 42)
                try await again.close()
                let ordered = try await open(Ordered.Note.self)
                let notes = ordered.objects(Ordered.Note.self)
                #expect(notes.where { $0.text == "note 3 of 3" }.map(\.id) == [3])
                #expect(throws: RealmError.self) { try notes.filter("text TEXT 'note'") }
                #expect(try await ordered.verify().isIntact)
                try await ordered.close()
            }
        }
    }

    /// Random texts written, changed and deleted, in many transactions, against the naive search.
    @Test func randomChangesAgreeWithTheNaiveSearch() async throws {
        try await withStorePath { path in
            var random = SeededGenerator()
            let seed = random.seed
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Searched.Note.self])
            var realm = try await Realm.open(configuration)
            var texts: [Int: String?] = [:]
            for round in 0..<24 {
                var changes: [(Int, String??)] = []
                for _ in 0..<Int.random(in: 1...(round % 5 == 0 ? 900 : 40), using: &random) {
                    let id = Int.random(in: 0..<1000, using: &random)
                    let isDeleted = Int.random(in: 0..<4, using: &random) == 0
                    changes.append((id, isDeleted ? .none : .some(SearchText.make(&random))))
                }
                for (id, text) in changes { texts[id] = text }
                try await realm.write { [changes] tx in
                    for (id, text) in changes {
                        let note = tx.object(Searched.Note.self, forPrimaryKey: id)
                        if let text {
                            if let note {
                                note.text = text
                            } else {
                                let new = try tx.create(Searched.Note.self, value: ["id": id])
                                new.text = text
                            }
                        } else if let note {
                            try tx.delete(note)
                        }
                    }
                }
                if round % 6 == 3 {
                    try await realm.close()
                    realm = try await Realm.open(configuration)
                }
                for _ in 0..<12 {
                    let search = SearchText.search(&random)
                    let naive = NaiveSearch(search)
                    let expected = texts.filter { naive.matches($0.value ?? "") && $0.value != nil }
                    #expect(
                        Self.find(realm, search).sorted() == expected.keys.sorted(),
                        "SEED=\(seed), round \(round), '\(search)'")
                }
                #expect(try await realm.verify().isIntact, "SEED=\(seed), round \(round)")
            }
            try await realm.close()
        }
    }
}

import Foundation
import RealmActors
import Testing

private final class Note: Object, Codable {
    @Persisted(primaryKey: true) var id: Int = 0
    @Persisted var title: String?
    @Persisted var mood: Mood = .calm
    @Persisted var pages: List<Int>
}

@Suite struct CodableTests {
    @Test func unmanagedObjectsDecodeAndEncode() throws {
        let json = #"{"id": 7, "mood": "playful", "pages": [1, 2]}"#
        let note = try JSONDecoder().decode(Note.self, from: Data(json.utf8))
        #expect(note.id == 7 && note.title == nil && note.mood == .playful)
        #expect(Array(note.pages) == [1, 2])
        let again = try JSONDecoder().decode(Note.self, from: JSONEncoder().encode(note))
        #expect(again.id == 7 && Array(again.pages) == [1, 2])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Note.self, from: Data("{}".utf8))
        }
    }

    @Test func managedObjectsDoNotEncode() async throws {
        let realm = try await freshRealm([Note.self])
        let frozen = try await realm.write { tx in
            let note = try tx.create(Note.self, value: ["id": 1])
            #expect(throws: EncodingError.self) { try JSONEncoder().encode(note) }
            return note.freeze()
        }
        _ = try JSONEncoder().encode(frozen)
    }
}

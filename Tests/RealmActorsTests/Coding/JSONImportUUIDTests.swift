import Foundation
import RealmActors
import Testing

private final class Ticket: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var parent: UUID?
    @Persisted var seats: List<UUID>
    @Persisted var guests: Map<String, UUID?>
}

/// JSON for UUIDs.
@Suite struct JSONImportUUIDTests {
    private static let id = "021e1f8c-c36c-495a-93fc-0c247a3e6e5f"

    /// Foundation takes a blank and a sign for digits that are not there: a damaged text was
    /// imported as a UUID.
    @Test(
        "V5: an import takes a text for a UUID only when it is one exactly",
        arguments: [
            " 21e1f8c-c36c-495a-93fc-0c247a3e6e5f", "+21e1f8c-c36c-495a-93fc-0c247a3e6e5f",
            "021e1f8c-c36c-495a-93fc-0c247a3e6e5f ", "021e1f8cc36c495a93fc0c247a3e6e5f", "",
        ])
    func damagedTexts(_ text: String) async throws {
        try await withFreshRealm([Ticket.self]) { realm in
            for (json, place) in [
                (#"{"id": "\#(text)"}"#, "id"),
                (#"{"id": "\#(Self.id)", "parent": "\#(text)"}"#, "parent"),
                (#"{"id": "\#(Self.id)", "seats": ["\#(Self.id)", "\#(text)"]}"#, "seats[1]"),
                (#"{"id": "\#(Self.id)", "guests": {"a": "\#(text)"}}"#, "guests.a"),
            ] {
                let error = await #expect(throws: RealmError.self) {
                    try await realm.write { tx in
                        _ = try tx.create(Ticket.self, json: Data(json.utf8))
                    }
                }
                #expect("\(error as Any)".contains("at \(place) takes"), "\(error as Any)")
            }
            #expect(realm.objects(Ticket.self).isEmpty)
        }
    }

    @Test func canonicalTexts() async throws {
        let id = try #require(UUID(uuidString: Self.id))
        try await withFreshRealm([Ticket.self]) { realm in
            try await realm.write { tx in
                let json = """
                    {"id": "\(Self.id)", "parent": "\(Self.id.uppercased())",
                    "seats": ["\(Self.id)"], "guests": {"a": null, "b": "\(Self.id)"}}
                    """
                _ = try tx.create(Ticket.self, json: Data(json.utf8))
            }
            let ticket = try #require(realm.object(Ticket.self, forPrimaryKey: id))
            #expect(ticket.parent == id && Array(ticket.seats) == [id])
            #expect(ticket.guests["a"] == .some(nil) && ticket.guests["b"] == id)
        }
    }
}

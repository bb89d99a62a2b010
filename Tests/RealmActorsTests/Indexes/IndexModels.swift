import Foundation
import RealmActors

/// A class with an index of several properties in two directions, and unique ones.
final class Tenant: Object, IndexedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var city: String
    @Persisted var since: Date?
    @Persisted var rent: Double
    @Persisted var flat: Int
    @Persisted var mail: String?
    @Persisted var friend: Tenant?

    static var indexes: [Index<Tenant>] {
        [
            Index(.ascending(\.city), .descending(\.since), .ascending(\.rent)),
            Index(unique: \.mail),
            Index(unique: .ascending(\.city), .descending(\.flat)),
        ]
    }

    /// So many tenants in five cities, none of whom has another's flat or address.
    static func fill(_ count: Int, _ tx: WriteTransaction) throws {
        for id in 0..<count {
            let since =
                id % 7 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(id * 31 % 100))
            try tx.create(
                Tenant.self,
                value: [
                    "id": id, "city": "City number \(id % 5)", "since": since as Any,
                    "rent": Double(id % 3), "flat": id, "mail": "\(id)@example.org",
                ])
        }
    }
}

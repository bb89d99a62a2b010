import Foundation
import RealmActors

final class Film: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var title: String = "untitled"
    @Persisted var year: Int?
    @Persisted var released: Date?
    @Persisted var rank: Rank = .high
    @Persisted var token: UUID
    @Persisted var ratings: List<Double>
    @Persisted var genres: MutableSet<String>
    @Persisted var lead: Actress?
    @Persisted var cast: List<Actress>
    @Persisted var place: Address?
    @Persisted var places: List<Address>
    @Persisted var awards: Map<String, Int>
    @Persisted var parts: Map<String, Actress?>
    @Persisted var extra: AnyRealmValue
    @Persisted var sequel: Film?
    @Persisted var labels: List<String> = ["new"]

    override class func propertiesMapping() -> [String: String] { ["year": "published"] }

    static let types: [ObjectBase.Type] = [
        Film.self, Actress.self, Address.self, Everything.self, Stamped.self,
    ]
}

final class Actress: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var age: Int = 20
    @Persisted(originProperty: "cast") var films: LinkingObjects<Film>
}

/// Assigns to a property when it is made.
final class Stamped: Object {
    @Persisted var number: Int
    @Persisted var stamp: UUID?
    @Persisted var children: List<Stamped>

    required init() {
        super.init()
        stamp = UUID()
    }

    required init(value: Any) throws(RealmError) { try super.init(value: value) }
}

package import RealmActors

/// A carrier, such as "UA", United Air Lines.
package final class Airline: Object {
    @Persisted(primaryKey: true) package var code: String
    @Persisted package var name: String
    /// Every flight of this airline: the other direction of `Flight.airline`, kept by the database.
    @Persisted(originProperty: "airline") package var flights: LinkingObjects<Flight>
}

package import RealmActors

/// A plane by its tail number.
package final class Plane: Object {
    @Persisted(primaryKey: true) package var tailNumber: String
    @Persisted package var built: Int?
    @Persisted package var kind: String
    @Persisted package var manufacturer: String
    @Persisted package var model: String
    @Persisted package var engines: Int
    @Persisted package var seats: Int
    /// Cruising speed in miles per hour.
    @Persisted package var speed: Int?
    @Persisted package var engine: String
    @Persisted(originProperty: "plane") package var flights: LinkingObjects<Flight>
}

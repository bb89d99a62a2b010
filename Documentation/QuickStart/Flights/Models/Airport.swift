package import RealmActors

/// An airport by its FAA code.
package final class Airport: Object {
    @Persisted(primaryKey: true) package var code: String
    @Persisted package var name: String
    @Persisted package var latitude: Double
    @Persisted package var longitude: Double
    /// Feet above the sea.
    @Persisted package var altitude: Int
    @Persisted package var timeZone: String?
    @Persisted(originProperty: "origin") package var departures: LinkingObjects<Flight>
    @Persisted(originProperty: "destination") package var arrivals: LinkingObjects<Flight>
}

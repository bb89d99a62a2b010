import RealmActors

/// An object with a place.
final class Spot: Object {
    @Persisted var number: Int
    @Persisted var location: Location?
}

/// A place, with an index.
final class Location: EmbeddedObject, IndexedModel {
    @Persisted var type: String = "Point"
    @Persisted var coordinates: List<Double>

    static var indexes: [Index<Location>] { [.places] }

    convenience init(_ point: Places.Point) {
        self.init()
        coordinates.append(objectsIn: [point.longitude, point.latitude])
    }
}

extension Query where T: GeoQueryable {
    /// The place of the embedded object lies within the area. One that is not a point matches
    /// nothing.
    public func geoWithin(_ area: some GeoShape) -> Query<Bool> {
        Query<Bool>(.geoWithin(path, GeoArea(shape: area)))
    }
}

/// An optional embedded object, which may have a place. The library conforms it.
public protocol GeoQueryable: PersistedValue {}

extension Optional: GeoQueryable where Wrapped: EmbeddedObject {}

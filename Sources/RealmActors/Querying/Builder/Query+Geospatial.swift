extension Query where T: GeoQueryable {
    /// The place that the embedded object says lies within the area. One that is no point matches
    /// nothing.
    public func geoWithin(_ area: some GeoShape) -> Query<Bool> {
        Query<Bool>(.geoWithin(path, GeoArea(shape: area)))
    }
}

/// An optional embedded object, which may say a place. The library conforms it.
public protocol GeoQueryable: PersistedValue {}

extension Optional: GeoQueryable where Wrapped: EmbeddedObject {}

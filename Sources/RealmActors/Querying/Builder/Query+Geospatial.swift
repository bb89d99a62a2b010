extension Query where T: GeoQueryable {
    /// The embedded object is a point within the area. An object that is not a point does not
    /// match.
    public func geoWithin(_ area: some GeoShape) -> Query<Bool> {
        Query<Bool>(.geoWithin(path, GeoArea(shape: area)))
    }
}

/// An optional embedded object, which may be a point. The library conforms its types.
public protocol GeoQueryable: PersistedValue {}

extension Optional: GeoQueryable where Wrapped: EmbeddedObject {}

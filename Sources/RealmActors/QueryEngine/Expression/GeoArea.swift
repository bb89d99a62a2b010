/// An area of a geospatial query.
package struct GeoArea: Sendable {
    let shape: any GeoShape
}

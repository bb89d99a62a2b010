/// An area that a query looks in.
package struct GeoArea: Sendable {
    let shape: any GeoShape
}

import Storage

/// The columns of embedded objects that hold a place.
package struct GeoColumns: Sendable, Hashable {
    let columns: PlaceColumns

    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a class without a place.
    init(_ schema: ClassSchema) throws(RealmError) {
        guard schema.isEmbedded, let columns = PlaceColumns(schema) else {
            throw .invalidKeyPath(
                "A place is an embedded object with the properties 'type: String' and "
                    + "'coordinates: List<Double>', or 'latitude: Double' and 'longitude: Double', "
                    + "which '\(schema.name)' does not have.")
        }
        self.columns = columns
    }

    /// The place of a row; nil when it is not a point.
    func point(_ row: RowLocation) -> GeoPoint? {
        columns.place(row.cluster, row.slot).flatMap { GeoPoint($0) }
    }
}

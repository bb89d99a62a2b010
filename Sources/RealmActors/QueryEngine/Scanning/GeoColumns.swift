import Storage

/// The columns in which embedded objects say a place.
package struct GeoColumns: Sendable {
    private let type: Int
    private let coordinates: Int
    private let schema: ClassSchema

    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a class that says no place.
    init(_ schema: ClassSchema) throws(RealmError) {
        let type = schema.column(named: "type")
        let coordinates = schema.column(named: "coordinates")
        guard schema.isEmbedded, let type, let coordinates,
            schema.columns[type.rawValue].kind == .string,
            schema.columns[type.rawValue].container == .none,
            schema.columns[coordinates.rawValue].kind == .double,
            schema.columns[coordinates.rawValue].container == .list,
            !schema.columns[coordinates.rawValue].isNullable
        else {
            throw .invalidKeyPath(
                "geoWithin needs an embedded class with the properties 'type: String' and "
                    + "'coordinates: List<Double>', which '\(schema.name)' has not.")
        }
        self.type = type.rawValue
        self.coordinates = coordinates.rawValue
        self.schema = schema
    }

    /// The place of a row; nil when it is no point.
    func point(_ row: RowLocation) -> GeoPoint? {
        let kind = row.cluster.value(type, row.slot, schema.columns[type])
        guard kind == .string("Point") else { return nil }
        let values = row.cluster.sequence(coordinates, row.slot, schema.columns[coordinates])
        guard values.count >= 2, case .double(let longitude) = values[0],
            case .double(let latitude) = values[1]
        else { return nil }
        return GeoPoint(latitude: latitude, longitude: longitude)
    }
}

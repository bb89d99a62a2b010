/// The columns that represent the place of a row: `type`, which is "Point", and `coordinates`, a
/// list of longitude and latitude, or `latitude` and `longitude`.
package struct PlaceColumns: Sendable, Hashable {
    private let first: IndexPart
    private let second: IndexPart

    /// The properties that can represent a place; the first pair that a class has is used.
    private static let names = [["type", "coordinates"], ["latitude", "longitude"]]

    /// The place columns of a class; nil if it has none.
    package init?(_ schema: ClassSchema) {
        for names in Self.names {
            let columns = names.compactMap { schema.column(named: $0) }
            guard Self.fit(columns.map { schema.columns[$0.rawValue] }) else { continue }
            var parts = IndexParts(isOfPlaces: true)
            for column in columns {
                parts.append(column, schema.columns[column.rawValue], isDescending: false)
            }
            self.init(parts)
            return
        }
        return nil
    }

    /// The index of the places.
    package var parts: IndexParts {
        var parts = IndexParts(isOfPlaces: true)
        for part in [first, second] { parts.append(part) }
        return parts
    }

    /// The place columns of an index of places; nil for any other.
    package init?(_ parts: IndexParts) {
        guard parts.isOfPlaces else { return nil }
        (first, second) = (parts[0], parts[1])
    }

    /// Whether columns have the types of a place, in this order.
    static func fit(_ columns: [ColumnSchema]) -> Bool {
        guard columns.count == 2, columns[0].container == .none, columns[1].kind == .double
        else { return false }
        switch columns[0].kind {
        case .string: return columns[1].container == .list && !columns[1].isNullable
        case .double: return columns[1].container == .none
        case .bool, .int, .float, .data, .date, .uuid, .link, .mixed, .objectID, .decimal:
            return false
        }
    }

    /// The place of a row in degrees; nil if it is invalid.
    @inline(__always)
    package func place(_ cluster: Cluster, _ slot: Int) -> (latitude: Double, longitude: Double)? {
        if first.hasNulls, cluster.isNull(first.column.rawValue, slot) { return nil }
        let place: (latitude: Double, longitude: Double)
        if first.kind == .string {
            guard cluster.bytes(first.column.rawValue, slot).elementsEqual("Point".utf8) else {
                return nil
            }
            let values = cluster.sequence(second.column.rawValue, slot, Self.list)
            guard values.count >= 2, case .double(let longitude) = values[0],
                case .double(let latitude) = values[1]
            else { return nil }
            place = (latitude, longitude)
        } else {
            if second.hasNulls, cluster.isNull(second.column.rawValue, slot) { return nil }
            place = (
                cluster.double(first.column.rawValue, slot),
                cluster.double(second.column.rawValue, slot)
            )
        }
        guard (-90...90).contains(place.latitude), (-180...180).contains(place.longitude) else {
            return nil
        }
        return place
    }

    private static let list = ColumnSchema(name: "", kind: .double, container: .list)
}

extension ClassSchema {
    /// The index of the places in `columns`.
    package func placeIndex(_ columns: PlaceColumns) -> ColumnID? {
        composites.first { PlaceColumns(self.columns[$0.rawValue].parts) == columns }
    }
}

import Foundation
import Storage

/// A criterion of a sort.
package enum SortMeasure: Sendable, Hashable {
    /// The value at the end of the path.
    case value
    /// The distance of the place of the object at the end of the path.
    case distance(GeoOrigin, GeoColumns)
    /// A string in the order of a collation.
    case collated
}

/// One criterion of a sort, bound to a schema.
package struct SortKey: Sendable {
    /// The identity of a criterion regardless of its direction.
    struct Subject: Hashable {
        let path: ValuePath
        let measure: SortMeasure
    }

    package let path: ValuePath
    package let ascending: Bool
    package let measure: SortMeasure

    package init(path: ValuePath, ascending: Bool, measure: SortMeasure = .value) {
        self.path = path
        self.ascending = ascending
        self.measure = measure
    }

    var subject: Subject { Subject(path: path, measure: measure) }

    /// The value to sort by; nil if a link on the path is nil, or there is no place.
    func value(_ row: RowLocation, _ view: TreeView) -> StoredValue? {
        switch measure {
        case .value: path.value(row, view)
        case .distance(let origin, let columns):
            distance(row, view, origin, columns).map { .double($0) }
        case .collated:
            path.value(row, view).map { value in
                guard case .string(let text) = value else { return .null }
                return .data(Data(CollationKey.bytes(of: text)))
            }
        }
    }

    /// The distance of the place of a row, as an angle.
    func distance(
        _ row: RowLocation, _ view: TreeView, _ origin: GeoOrigin, _ columns: GeoColumns
    ) -> Double? {
        guard case .value(let column, let schema) = path.end, let target = schema.target,
            let last = row.following(path.steps[...], view),
            let key = last.cluster.link(column, last.slot),
            let place = view.classView(target).locate(key)
        else { return nil }
        return columns.point(place.location).map { origin.angle(to: $0) }
    }
}

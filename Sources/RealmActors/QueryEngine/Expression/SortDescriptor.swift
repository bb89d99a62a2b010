/// One criterion of a sort: a property, possibly across to-one links, and a direction.
///
///     dogs.sorted(by: [.init(keyPath: \Dog.owner?.name), .init(keyPath: "age", ascending: false)])
///
/// Foundation has a type of the same name. In expressions the compiler distinguishes them by their
/// initialisers; as a type annotation, use ``RealmSortDescriptor``.
public struct SortDescriptor: Sendable, Hashable {
    /// The names of the properties, separated by dots.
    public let keyPath: String
    /// Whether small values come first.
    public let ascending: Bool
    let measure: Measure

    /// The value of the property that is compared.
    enum Measure: Sendable, Hashable {
        case value
        case distance(GeoPoint)
        case collated
    }

    /// A criterion by name. The name is checked when the descriptor is used.
    public init(keyPath: String, ascending: Bool = true) {
        self.init(keyPath, ascending, .value)
    }

    /// The distance of an embedded point from `point`, by the name of its property. Objects without
    /// a point count as farther than any other.
    public init(distanceFrom point: GeoPoint, on keyPath: String, ascending: Bool = true) {
        self.init(keyPath, ascending, .distance(point))
    }

    /// A string property in a collation, by the name of the property.
    public init(keyPath: String, collation: Collation, ascending: Bool = true) {
        self.init(keyPath, ascending, .collated)
    }

    init(_ keyPath: String, _ ascending: Bool, _ measure: Measure) {
        self.keyPath = keyPath
        self.ascending = ascending
        self.measure = measure
    }

    /// The same criterion in the other direction.
    public func reversed() -> SortDescriptor { SortDescriptor(keyPath, !ascending, measure) }

    var steps: [String] {
        keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }
}

/// ``SortDescriptor`` by a name that Foundation does not have.
public typealias RealmSortDescriptor = SortDescriptor

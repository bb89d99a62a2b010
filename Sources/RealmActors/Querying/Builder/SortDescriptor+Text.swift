extension SortDescriptor: ExpressibleByStringLiteral {
    /// An ascending criterion by name: `dogs.sorted(by: ["age", "name"])`.
    public init(stringLiteral keyPath: String) { self.init(keyPath: keyPath) }
}

extension SortDescriptor: CustomStringConvertible {
    /// The key path, the collation or the point if there is one, and the direction.
    public var description: String {
        let direction = ascending ? "ascending" : "descending"
        return switch measure {
        case .value: "SortDescriptor(keyPath: \(keyPath), direction: \(direction))"
        case .collated:
            "SortDescriptor(keyPath: \(keyPath), collation: people, direction: \(direction))"
        case .distance(let point):
            "SortDescriptor(distanceFrom: \(point), on: \(keyPath), direction: \(direction))"
        }
    }
}

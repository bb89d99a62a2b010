/// Describes an index of several properties of a class, or a unique one.
public struct ObjectIndex: Sendable, Hashable {
    /// A property of an index.
    public struct Part: Sendable, Hashable {
        /// The name of the property.
        public let name: String
        /// Whether small values come first.
        public let ascending: Bool
        /// The collation of strings, if there is one.
        public let collation: Collation?
    }

    /// The properties, in their order; empty for an index of places.
    public let parts: [Part]
    /// Whether no two objects have the same values, none of them nil.
    public let isUnique: Bool

    /// Whether it is an index of the places of the objects.
    public let isOfPlaces: Bool

    init(_ index: DeclaredIndex) {
        isOfPlaces = index.isOfPlaces
        parts = index.parts.map {
            Part(
                name: $0.name, ascending: !$0.isDescending,
                collation: $0.isCollated ? .people : nil)
        }
        isUnique = index.isUnique
    }
}

extension ObjectIndex: CustomStringConvertible {
    /// The kind of the index, with its properties.
    public var description: String {
        if isOfPlaces { return "index of places" }
        let names = parts.map { part in
            part.name + (part.collation == nil ? "" : " collated")
                + (part.ascending ? "" : " descending")
        }
        return (isUnique ? "unique index: " : "index: ") + names.joined(separator: ", ")
    }
}

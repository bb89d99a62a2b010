/// An index of several properties of a class, or a unique one, to be looked at.
public struct ObjectIndex: Sendable, Hashable {
    /// A property of an index.
    public struct Part: Sendable, Hashable {
        /// The name of the property.
        public let name: String
        /// Whether small values come first.
        public let ascending: Bool
    }

    /// The properties, in their order.
    public let parts: [Part]
    /// Whether no two objects have the same values, none of them nil.
    public let isUnique: Bool

    init(_ index: DeclaredIndex) {
        parts = index.parts.map { Part(name: $0.name, ascending: !$0.isDescending) }
        isUnique = index.isUnique
    }
}

extension ObjectIndex: CustomStringConvertible {
    /// What it is, with its properties.
    public var description: String {
        let names = parts.map { $0.name + ($0.ascending ? "" : " descending") }
        return (isUnique ? "unique index: " : "index: ") + names.joined(separator: ", ")
    }
}

/// One criterion of a sort: a property, possibly across to-one links, and a direction.
///
///     dogs.sorted(by: [.init(keyPath: \Dog.owner?.name), .init(keyPath: "age", ascending: false)])
///
/// Foundation has a type of this name too. In expressions the compiler tells them apart by their
/// initialisers; where only a type is written, use the other name of this one,
/// ``RealmSortDescriptor``.
public struct SortDescriptor: Sendable, Hashable {
    /// The names of the properties, separated by dots.
    public let keyPath: String
    /// Whether small values come first.
    public let ascending: Bool

    /// A criterion by name. The name is checked when the descriptor is used.
    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// The same criterion in the other direction.
    public func reversed() -> SortDescriptor {
        SortDescriptor(keyPath: keyPath, ascending: !ascending)
    }

    var steps: [String] {
        keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }
}

/// ``SortDescriptor`` by a name that Foundation does not have.
public typealias RealmSortDescriptor = SortDescriptor

/// A model with indexes of several properties, or with unique values.
///
///     final class Dog: Object, IndexedModel {
///         @Persisted var city: String
///         @Persisted var name: String
///         @Persisted var born: Date
///         @Persisted var chip: String?
///
///         static var indexes: [Index<Dog>] {
///             [
///                 Index(.ascending(\.city), .descending(\.born)),
///                 Index(unique: \.chip),
///                 Index(unique: \.city, \.name),
///             ]
///         }
///     }
///
/// The class must be final, because `Self` is the root of the key paths. For an index of one
/// property that need not be unique, use `@Persisted(indexed: true)`.
public protocol IndexedModel: ModelObject {
    /// The indexes. Adding or removing one needs no migration: it is built or dropped when a realm
    /// opens.
    static var indexes: [Index<Self>] { get }
}

extension IndexedModel {
    static var _declaredIndexes: [DeclaredIndex] { indexes.map(\.declared) }
}

/// An index of one to eight properties of a model, in their order.
///
/// It serves equality conditions on its first properties, with a range of the next one or a sort by
/// the remaining ones: `city == "Oslo"`, newest first. Such a sort, in the declared directions or
/// in the reverse of all of them, reads the index in order.
///
/// A **unique** index has each combination of values once. This is checked when the transaction
/// ends, so that two objects may swap their values within it. A transaction that would leave two
/// objects with the same values throws `RealmError.duplicateValues` and changes nothing. As in SQL,
/// an object with nil in one of the properties equals no other. NaN equals itself, and zero equals
/// minus zero.
public struct Index<Root: ModelObject>: Sendable, Hashable {
    /// A property of an index, and its direction.
    public struct Property: Sendable, Hashable {
        let part: DeclaredIndex.Part

        private init<Value: PersistedValue>(
            _ keyPath: KeyPath<Root, Value>, isDescending: Bool, isCollated: Bool = false
        ) {
            part = DeclaredIndex.Part(
                keyPath, isDescending: isDescending, isCollated: isCollated)
        }

        /// Ascending in the collation.
        public static func ascending<Value: CollatableValue>(
            _ keyPath: KeyPath<Root, Value>, collation: Collation
        ) -> Property { Property(keyPath, isDescending: false, isCollated: true) }

        /// Descending in the collation.
        public static func descending<Value: CollatableValue>(
            _ keyPath: KeyPath<Root, Value>, collation: Collation
        ) -> Property { Property(keyPath, isDescending: true, isCollated: true) }

        /// Small values first.
        public static func ascending<Value: PersistedValue>(
            _ keyPath: KeyPath<Root, Value>
        ) -> Property { Property(keyPath, isDescending: false) }

        /// Large values first.
        public static func descending<Value: PersistedValue>(
            _ keyPath: KeyPath<Root, Value>
        ) -> Property { Property(keyPath, isDescending: true) }
    }

    let declared: DeclaredIndex

    private init(_ parts: [DeclaredIndex.Part], isUnique: Bool) {
        declared = DeclaredIndex(parts: parts, isUnique: isUnique)
    }

    /// An index of the places of the objects of an embedded class, for `geoWithin` and for orders
    /// by distance.
    ///
    ///     final class Location: EmbeddedObject, IndexedModel {
    ///         @Persisted var type: String = "Point"
    ///         @Persisted var coordinates: List<Double>
    ///         static var indexes: [Index<Location>] { [.places] }
    ///     }
    ///
    /// An object whose properties are not a point on the earth is allowed, and is not found by such
    /// queries.
    public static var places: Index { Index(.places) }

    private init(_ declared: DeclaredIndex) { self.declared = declared }

    /// An index of properties, each with its direction.
    public init(_ properties: Property...) {
        self.init(properties.map(\.part), isUnique: false)
    }

    /// An index of a string property in a collation. It serves sorts by that collation, but neither
    /// conditions on the property nor other sorts.
    public init<Value: CollatableValue>(
        _ keyPath: KeyPath<Root, Value>, collation: Collation
    ) {
        self.init(.ascending(keyPath, collation: collation))
    }

    /// A unique index of properties, each with its direction.
    public init(unique properties: Property...) {
        self.init(properties.map(\.part), isUnique: true)
    }

    /// An index of properties that all ascend.
    public init<First: PersistedValue, each Rest: PersistedValue>(
        _ first: KeyPath<Root, First>, _ rest: repeat KeyPath<Root, each Rest>
    ) {
        var parts = [DeclaredIndex.Part(first, isDescending: false)]
        repeat parts.append(DeclaredIndex.Part(each rest, isDescending: false))
        self.init(parts, isUnique: false)
    }

    /// A unique index of properties that all ascend.
    public init<First: PersistedValue, each Rest: PersistedValue>(
        unique first: KeyPath<Root, First>, _ rest: repeat KeyPath<Root, each Rest>
    ) {
        var parts = [DeclaredIndex.Part(first, isDescending: false)]
        repeat parts.append(DeclaredIndex.Part(each rest, isDescending: false))
        self.init(parts, isUnique: true)
    }
}

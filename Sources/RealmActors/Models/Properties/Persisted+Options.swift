extension Persisted where Value: IndexableValue {
    /// A property with an index: queries by equality, range, prefix and order are fast.
    @inlinable
    public init(indexed: Bool) {
        self.init(options: indexed ? .indexed : [], makeDefault: nil)
    }

    /// A property with an index and a default.
    @inlinable
    public init(wrappedValue: @autoclosure @escaping () -> Value, indexed: Bool) {
        self.init(options: indexed ? .indexed : [], makeDefault: wrappedValue)
    }
}

/// An index of parts of a string; `indexed: true` indexes the whole string.
public enum TextIndex: Sendable, Hashable {
    /// An index of the words: makes queries with `fullText(_:)`, or `TEXT`, possible.
    case fullText
}

extension Persisted where Value == String {
    /// A string with an index of its words.
    @inlinable
    public init(indexed: TextIndex) { self.init(options: .fullText, makeDefault: nil) }

    /// A string with an index of its words, and a default.
    @inlinable
    public init(wrappedValue: @autoclosure @escaping () -> Value, indexed: TextIndex) {
        self.init(options: .fullText, makeDefault: wrappedValue)
    }
}

extension Persisted where Value == String? {
    /// An optional string with an index of its words.
    @inlinable
    public init(indexed: TextIndex) { self.init(options: .fullText, makeDefault: nil) }

    /// An optional string with an index of its words, and a default.
    @inlinable
    public init(wrappedValue: @autoclosure @escaping () -> Value, indexed: TextIndex) {
        self.init(options: .fullText, makeDefault: wrappedValue)
    }
}

extension Persisted where Value: PrimaryKeyValue {
    /// The primary key: unique in its class, and constant once the object was added.
    @inlinable
    public init(primaryKey: Bool) {
        self.init(options: primaryKey ? .primaryKey : [], makeDefault: nil)
    }

    /// The primary key, with a default.
    @inlinable
    public init(wrappedValue: @autoclosure @escaping () -> Value, primaryKey: Bool) {
        self.init(options: primaryKey ? .primaryKey : [], makeDefault: wrappedValue)
    }
}

extension Persisted {
    /// The objects of `Origin` whose property of this name links to this object.
    public init<Origin: ObjectBase>(originProperty: String) where Value == LinkingObjects<Origin> {
        self.init(
            options: [], makeDefault: { LinkingObjects<Origin>(originProperty: originProperty) })
    }
}

/// A type of properties that can be indexed.
public protocol IndexableValue: PersistedValue {}

/// A type of properties that can be primary keys.
public protocol PrimaryKeyValue: IndexableValue {}

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

/// An index of the contents of a string; `indexed: true` is one of the whole string.
public enum TextIndex: Sendable, Hashable {
    /// Of the words: queries with `fullText(_:)`, or `TEXT`, are fast.
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
    /// A string, or none, with an index of its words.
    @inlinable
    public init(indexed: TextIndex) { self.init(options: .fullText, makeDefault: nil) }

    /// A string, or none, with an index of its words, and a default.
    @inlinable
    public init(wrappedValue: @autoclosure @escaping () -> Value, indexed: TextIndex) {
        self.init(options: .fullText, makeDefault: wrappedValue)
    }
}

extension Persisted where Value: PrimaryKeyValue {
    /// The property that names an object: unique in its class and constant once added.
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
    /// The objects of `Origin` whose property of this name refers to this object.
    public init<Origin: ObjectBase>(originProperty: String) where Value == LinkingObjects<Origin> {
        self.init(
            options: [], makeDefault: { LinkingObjects<Origin>(originProperty: originProperty) })
    }
}

/// A type that `indexed:` takes.
public protocol IndexableValue: PersistedValue {}

/// A type that `primaryKey:` takes.
public protocol PrimaryKeyValue: IndexableValue {}

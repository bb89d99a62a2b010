// Types that are often declared in models by mistake. They conform so that the compiler can name
// the replacement; the conformance cannot be used.

/// A type that ``Persisted`` does not store. Its requirements are never called.
@_documentation(visibility: internal)
public protocol UnstorableValue: PersistedValue {}

extension UnstorableValue {
    /// Never called.
    public static var _shape: PropertyShape { preconditionFailure(unstorable) }
    /// Never called.
    public static func _initial() -> Self { preconditionFailure(unstorable) }
    /// Never called.
    public static func _read(_ object: ObjectBase, _ column: Int) -> Self {
        preconditionFailure(unstorable)
    }
    /// Never called.
    public static func _traced(_ object: ObjectBase, _ column: Int) -> Self {
        preconditionFailure(unstorable)
    }
    /// Never called.
    public static func _assigned(_ value: Self, over current: Self?) -> Self? {
        preconditionFailure(unstorable)
    }
    /// Never called.
    public static func _store(
        _ value: Self, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) { preconditionFailure(unstorable) }
    /// Never called.
    public static func _insert(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool { preconditionFailure(unstorable) }
    /// Never called.
    public static func _connect(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) { preconditionFailure(unstorable) }
    /// Never called.
    public static func _convert(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> Self { preconditionFailure(unstorable) }
    /// Never called.
    public var _storable: StorableValue { preconditionFailure(Self.unstorable) }

    private static var unstorable: String { "A '\(Self.self)' cannot be a property of a model." }
}

@available(
    *, unavailable, message: "a link to an object is optional: declare it as in 'var dog: Dog?'"
)
extension ObjectBase: UnstorableValue, PersistedValue {}

@available(*, unavailable, message: "declare a list instead, as in 'var ages: List<Int>'")
extension Array: UnstorableValue, PersistedValue {}

@available(*, unavailable, message: "declare a set instead, as in 'var ages: MutableSet<Int>'")
extension Set: UnstorableValue, PersistedValue {}

@available(*, unavailable, message: "declare a map instead, as in 'var ages: Map<String, Int>'")
extension Dictionary: UnstorableValue, PersistedValue {}

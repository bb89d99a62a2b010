import Storage

/// An optional scalar in queries.
public protocol QueryOptional: PersistedValue {
    /// The type of the value if it is not nil.
    associatedtype QueryWrapped: PersistableScalar
}

extension Optional: QueryOptional where Wrapped: PersistableScalar {
    /// The type of the value if it is not nil.
    public typealias QueryWrapped = Wrapped
}

extension Query where T: QueryOptional {
    /// Equals.
    public static func == (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.equal, b._storable.value)
    }

    /// Differs; null differs from every value.
    public static func != (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.notEqual, b._storable.value)
    }
}

extension Query where T: QueryOptional, T.QueryWrapped: Comparable {
    /// Is less; null is not.
    public static func < (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.less, b._storable.value)
    }

    /// Is less or equal; null with null only.
    public static func <= (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.lessOrEqual, b._storable.value)
    }

    /// Is greater; null is not.
    public static func > (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.greater, b._storable.value)
    }

    /// Is greater or equal; null with null only.
    public static func >= (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.greaterOrEqual, b._storable.value)
    }
}

import Storage

// Enums and custom types that are not Comparable in Swift compare by their stored form. These
// operators are disfavored, so that they are not ambiguous for types that are Comparable.

extension Query where T: PersistableEnum, T.RawValue: Comparable {
    /// The raw value is less; null is not.
    @_disfavoredOverload
    public static func < (a: Query<T>, b: T) -> Query<Bool> { a.compare(.less, b._storable.value) }

    /// The raw value is less or equal; null with null only.
    @_disfavoredOverload
    public static func <= (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.lessOrEqual, b._storable.value)
    }

    /// The raw value is greater; null is not.
    @_disfavoredOverload
    public static func > (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.greater, b._storable.value)
    }

    /// The raw value is greater or equal; null with null only.
    @_disfavoredOverload
    public static func >= (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.greaterOrEqual, b._storable.value)
    }
}

extension Query
where T: QueryOptional, T.QueryWrapped: PersistableEnum, T.QueryWrapped.RawValue: Comparable {
    /// The raw value is less; null is not.
    @_disfavoredOverload
    public static func < (a: Query<T>, b: T) -> Query<Bool> { a.compare(.less, b._storable.value) }

    /// The raw value is less or equal; null with null only.
    @_disfavoredOverload
    public static func <= (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.lessOrEqual, b._storable.value)
    }

    /// The raw value is greater; null is not.
    @_disfavoredOverload
    public static func > (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.greater, b._storable.value)
    }

    /// The raw value is greater or equal; null with null only.
    @_disfavoredOverload
    public static func >= (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.greaterOrEqual, b._storable.value)
    }
}

extension Query
where T: FailableCustomPersistable, T.PersistedType: PersistableScalar & Comparable {
    /// The stored value is less; null is not.
    @_disfavoredOverload
    public static func < (a: Query<T>, b: T) -> Query<Bool> { a.compare(.less, b._storable.value) }

    /// The stored value is less or equal; null with null only.
    @_disfavoredOverload
    public static func <= (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.lessOrEqual, b._storable.value)
    }

    /// The stored value is greater; null is not.
    @_disfavoredOverload
    public static func > (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.greater, b._storable.value)
    }

    /// The stored value is greater or equal; null with null only.
    @_disfavoredOverload
    public static func >= (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.greaterOrEqual, b._storable.value)
    }
}

extension Query
where
    T: QueryOptional, T.QueryWrapped: FailableCustomPersistable,
    T.QueryWrapped.PersistedType: PersistableScalar & Comparable
{
    /// The stored value is less; null is not.
    @_disfavoredOverload
    public static func < (a: Query<T>, b: T) -> Query<Bool> { a.compare(.less, b._storable.value) }

    /// The stored value is less or equal; null with null only.
    @_disfavoredOverload
    public static func <= (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.lessOrEqual, b._storable.value)
    }

    /// The stored value is greater; null is not.
    @_disfavoredOverload
    public static func > (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.greater, b._storable.value)
    }

    /// The stored value is greater or equal; null with null only.
    @_disfavoredOverload
    public static func >= (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.greaterOrEqual, b._storable.value)
    }
}

// Comparisons of an enum with another property of its type.

extension Query where T: PersistableEnum, T.RawValue: Comparable {
    /// The raw value is less; null is not.
    @_disfavoredOverload
    public static func < (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compare(.less, b) }

    /// The raw value is less or equal; null with null only.
    @_disfavoredOverload
    public static func <= (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compare(.lessOrEqual, b) }

    /// The raw value is greater; null is not.
    @_disfavoredOverload
    public static func > (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compare(.greater, b) }

    /// The raw value is greater or equal; null with null only.
    @_disfavoredOverload
    public static func >= (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.greaterOrEqual, b)
    }
}

extension Query
where T: QueryOptional, T.QueryWrapped: PersistableEnum, T.QueryWrapped.RawValue: Comparable {
    /// The raw value is less; null is not.
    @_disfavoredOverload
    public static func < (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compare(.less, b) }

    /// The raw value is less or equal; null with null only.
    @_disfavoredOverload
    public static func <= (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compare(.lessOrEqual, b) }

    /// The raw value is greater; null is not.
    @_disfavoredOverload
    public static func > (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compare(.greater, b) }

    /// The raw value is greater or equal; null with null only.
    @_disfavoredOverload
    public static func >= (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.greaterOrEqual, b)
    }
}

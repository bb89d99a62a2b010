import Storage

// Operators are static members of `Query`, so that the compiler finds them through their operands'
// type and long conditions stay fast to check.

extension Query where T: PersistableScalar {
    /// Equals.
    public static func == (a: consuming Query<T>, b: T) -> Query<Bool> {
        a.compare(.equal, b._storable.value)
    }

    /// Differs; null differs from every value.
    public static func != (a: consuming Query<T>, b: T) -> Query<Bool> {
        a.compare(.notEqual, b._storable.value)
    }
}

extension Query where T: PersistableScalar & Comparable {
    /// Is less; null is not.
    public static func < (a: consuming Query<T>, b: T) -> Query<Bool> {
        a.compare(.less, b._storable.value)
    }

    /// Is less or equal; null with null only.
    public static func <= (a: consuming Query<T>, b: T) -> Query<Bool> {
        a.compare(.lessOrEqual, b._storable.value)
    }

    /// Is greater; null is not.
    public static func > (a: consuming Query<T>, b: T) -> Query<Bool> {
        a.compare(.greater, b._storable.value)
    }

    /// Is greater or equal; null with null only.
    public static func >= (a: consuming Query<T>, b: T) -> Query<Bool> {
        a.compare(.greaterOrEqual, b._storable.value)
    }
}

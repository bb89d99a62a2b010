// A property against another one of the same object.

extension Query where T: PersistableScalar {
    /// Equals.
    public static func == (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.equal, b)
    }

    /// Differs; null differs from every value.
    public static func != (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.notEqual, b)
    }
}

extension Query where T: PersistableScalar & Comparable {
    /// Is less; null is not.
    public static func < (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.less, b)
    }

    /// Is less or equal; null with null only.
    public static func <= (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.lessOrEqual, b)
    }

    /// Is greater; null is not.
    public static func > (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.greater, b)
    }

    /// Is greater or equal; null with null only.
    public static func >= (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.greaterOrEqual, b)
    }
}

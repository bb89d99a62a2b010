// Comparisons of two properties of the same object.

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

extension Query where T: ObjectLink {
    /// Both links lead to the same object, or both are nil.
    public static func == (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.equal, b)
    }

    /// The links lead to different objects, or one of them is nil.
    public static func != (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.notEqual, b)
    }
}

// Numbers of any kind compare numerically, everything else by kind and value.
extension Query where T: QueryAnyValue {
    /// Equals.
    public static func == (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.equal, b)
    }

    /// Differs; null differs from every value.
    public static func != (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.notEqual, b)
    }

    /// Is less, within numbers, or within values of one other kind.
    public static func < (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.less, b)
    }

    /// Is less or equal, within numbers, or within values of one other kind.
    public static func <= (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.lessOrEqual, b)
    }

    /// Is greater, within numbers, or within values of one other kind.
    public static func > (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.greater, b)
    }

    /// Is greater or equal, within numbers, or within values of one other kind.
    public static func >= (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.greaterOrEqual, b)
    }
}

import Storage

/// A value of any type, as queries compare it.
public protocol QueryAnyValue: PersistedValue {
    /// Whether the value has a stored form without adding anything.
    var isComparable: Bool { get }
}

// An object within a value compares by its row; an unmanaged one equals nothing.
extension Query where T: QueryAnyValue {
    /// Equals: numbers of any kind by what they count, everything else by kind and value.
    public static func == (a: Query<T>, b: T) -> Query<Bool> {
        guard b.isComparable else { return Query<Bool>(.constant(false)) }
        return a.compare(.equal, b._storable.value)
    }

    /// Differs.
    public static func != (a: Query<T>, b: T) -> Query<Bool> {
        guard b.isComparable else { return Query<Bool>(.constant(true)) }
        return a.compare(.notEqual, b._storable.value)
    }

    /// Is less, within numbers, or within values of one other kind.
    public static func < (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.less, b._storable.value)
    }

    /// Is less or equal, within numbers, or within values of one other kind.
    public static func <= (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.lessOrEqual, b._storable.value)
    }

    /// Is greater, within numbers, or within values of one other kind.
    public static func > (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.greater, b._storable.value)
    }

    /// Is greater or equal, within numbers, or within values of one other kind.
    public static func >= (a: Query<T>, b: T) -> Query<Bool> {
        a.compare(.greaterOrEqual, b._storable.value)
    }
}

extension AnyRealmValue: QueryAnyValue {
    /// Whether the value has a stored form without adding anything.
    public var isComparable: Bool { Self._storedDirectly(self) != nil }
}

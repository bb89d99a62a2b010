import Storage

/// A value of any type, as queries compare it.
public protocol QueryAnyValue: PersistedValue {
    /// The stored form; nil when something would have to be added for it.
    var _comparable: StorableValue? { get }
}

// An object within a value compares by its row; an unmanaged one equals nothing.
extension Query where T: QueryAnyValue {
    /// Equals: numbers of any kind by what they count, everything else by kind and value.
    public static func == (a: Query<T>, b: T) -> Query<Bool> {
        guard let b = b._comparable else { return Query<Bool>(.constant(false)) }
        return a.compare(.equal, b.value)
    }

    /// Differs.
    public static func != (a: Query<T>, b: T) -> Query<Bool> {
        guard let b = b._comparable else { return Query<Bool>(.constant(true)) }
        return a.compare(.notEqual, b.value)
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
    /// The stored form; nil when something would have to be added for it.
    public var _comparable: StorableValue? { Self._storedDirectly(self) }
}

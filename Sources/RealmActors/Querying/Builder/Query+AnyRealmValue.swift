import Storage

/// A value of any type, as queries compare it.
public protocol QueryAnyValue: PersistedValue {
    /// The stored form; nil when something would have to be added for it.
    var _comparable: StorableValue? { get }

    /// The object that the value is.
    var _object: ObjectBase? { get }
}

// An object within a value is compared by its row. An unmanaged object, or one of another realm,
// equals nothing.
extension Query where T: QueryAnyValue {
    /// Equals: numbers of any type numerically, everything else by kind and value.
    public static func == (a: Query<T>, b: T) -> Query<Bool> {
        if let object = b._object { return a.isRow(object, true) }
        guard let b = b._comparable else { return Query<Bool>(.constant(false)) }
        return a.compare(.equal, b.value)
    }

    /// Differs.
    public static func != (a: Query<T>, b: T) -> Query<Bool> {
        if let object = b._object { return a.isRow(object, false) }
        guard let b = b._comparable else { return Query<Bool>(.constant(true)) }
        return a.compare(.notEqual, b.value)
    }

    /// Is less, within numbers, or within values of one other kind.
    public static func < (a: Query<T>, b: T) -> Query<Bool> {
        a.ordered(.less, b)
    }

    /// Is less or equal, within numbers, or within values of one other kind.
    public static func <= (a: Query<T>, b: T) -> Query<Bool> {
        a.ordered(.lessOrEqual, b)
    }

    /// Is greater, within numbers, or within values of one other kind.
    public static func > (a: Query<T>, b: T) -> Query<Bool> {
        a.ordered(.greater, b)
    }

    /// Is greater or equal, within numbers, or within values of one other kind.
    public static func >= (a: Query<T>, b: T) -> Query<Bool> {
        a.ordered(.greaterOrEqual, b)
    }

    private func ordered(_ comparison: QueryComparison, _ value: T) -> Query<Bool> {
        guard let value = value._comparable else { return Query<Bool>(.constant(false)) }
        return compare(comparison, value.value)
    }
}

extension AnyRealmValue: QueryAnyValue {
    /// The stored form; nil when something would have to be added for it.
    public var _comparable: StorableValue? { Self._storedDirectly(self) }

    /// The object that the value is.
    public var _object: ObjectBase? { if case .object(let object) = self { object } else { nil } }
}

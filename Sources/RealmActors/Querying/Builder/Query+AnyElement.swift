import Storage

// A collection of values is compared by any of its elements; a comparison with nil finds an element
// that is nil.

extension Query where T: QueryCollection, T.QueryElement: PersistableScalar {
    /// Any of the elements equals the value.
    public static func == (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.compare(.equal, b._storable.value)
    }

    /// Any of the elements differs from the value.
    public static func != (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.compare(.notEqual, b._storable.value)
    }
}

extension Query where T: QueryCollection, T.QueryElement: PersistableScalar & Comparable {
    /// Any of the elements is less.
    public static func < (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.compare(.less, b._storable.value)
    }

    /// Any of the elements is less or equal.
    public static func <= (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.compare(.lessOrEqual, b._storable.value)
    }

    /// Any of the elements is greater.
    public static func > (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.compare(.greater, b._storable.value)
    }

    /// Any of the elements is greater or equal.
    public static func >= (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.compare(.greaterOrEqual, b._storable.value)
    }
}

extension Query where T: QueryCollection, T.QueryElement: QueryOptional {
    /// Any of the elements equals the value.
    public static func == (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.compare(.equal, b._storable.value)
    }

    /// Any of the elements differs from the value; nil differs from every value.
    public static func != (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.compare(.notEqual, b._storable.value)
    }
}

extension Query
where
    T: QueryCollection, T.QueryElement: QueryOptional,
    T.QueryElement.QueryWrapped: Comparable
{
    /// Any of the elements is less; nil is not.
    public static func < (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.compare(.less, b._storable.value)
    }

    /// Any of the elements is less or equal; nil with nil only.
    public static func <= (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.compare(.lessOrEqual, b._storable.value)
    }

    /// Any of the elements is greater; nil is not.
    public static func > (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.compare(.greater, b._storable.value)
    }

    /// Any of the elements is greater or equal; nil with nil only.
    public static func >= (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.compare(.greaterOrEqual, b._storable.value)
    }
}

extension Query where T: QueryCollection, T.QueryElement: QueryAnyValue {
    /// Any of the elements.
    private var element: Query<T.QueryElement> { Query<T.QueryElement>(.path(path)) }

    /// Any of the elements equals the value.
    public static func == (a: Query<T>, b: T.QueryElement) -> Query<Bool> { a.element == b }

    /// Any of the elements differs from the value.
    public static func != (a: Query<T>, b: T.QueryElement) -> Query<Bool> { a.element != b }

    /// Any of the elements is less, within numbers, or within values of one other kind.
    public static func < (a: Query<T>, b: T.QueryElement) -> Query<Bool> { a.element < b }

    /// Any of the elements is less or equal, within numbers, or within values of one other kind.
    public static func <= (a: Query<T>, b: T.QueryElement) -> Query<Bool> { a.element <= b }

    /// Any of the elements is greater, within numbers, or within values of one other kind.
    public static func > (a: Query<T>, b: T.QueryElement) -> Query<Bool> { a.element > b }

    /// Any of the elements is greater or equal, within numbers, or within values of one other kind.
    public static func >= (a: Query<T>, b: T.QueryElement) -> Query<Bool> { a.element >= b }
}

// Enums by their raw values.

extension Query where T: QueryOptional, T.QueryWrapped: PersistableEnum {
    /// The raw value of the enum; nil for a property that is nil.
    public var rawValue: Query<T.QueryWrapped.RawValue?> {
        Query<T.QueryWrapped.RawValue?>(node)
    }
}

extension Query where T: QueryCollection, T.QueryElement: PersistableEnum {
    /// The raw value of any of the elements.
    public var rawValue: Query<T.QueryElement.RawValue> {
        Query<T.QueryElement.RawValue>(.path(path))
    }
}

extension Query
where
    T: QueryCollection, T.QueryElement: QueryOptional,
    T.QueryElement.QueryWrapped: PersistableEnum
{
    /// The raw value of any of the elements.
    public var rawValue: Query<T.QueryElement.QueryWrapped.RawValue?> {
        Query<T.QueryElement.QueryWrapped.RawValue?>(.path(path))
    }
}

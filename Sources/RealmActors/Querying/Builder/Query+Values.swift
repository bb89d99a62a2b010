import Storage

extension Query where T: PersistableScalar {
    /// Is one of the values.
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
    where Values.Element == T {
        isOne(of: values.map(\._storable.value))
    }
}

extension Query where T: QueryOptional {
    /// Is one of the values, which may include nil.
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
    where Values.Element == T {
        isOne(of: values.map(\._storable.value))
    }

    /// Is nil.
    public var isNil: Query<Bool> { compare(.equal, .null) }
}

extension Query where T: PersistableScalar & Comparable {
    /// Lies in the range, which excludes its upper bound. For a collection of values, all elements
    /// lie in it; for a calculation with a collection, any result does.
    public func contains(_ range: Range<T>) -> Query<Bool> {
        between(range.lowerBound, range.upperBound, false)
    }

    /// Lies in the range, which includes its upper bound. For a collection of values, all elements
    /// lie in it; for a calculation with a collection, any result does.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
        between(range.lowerBound, range.upperBound, true)
    }

    private func between(_ low: T, _ high: T, _ includesUpper: Bool) -> Query<Bool> {
        isBetween(low._storable.value, high._storable.value, includesUpper: includesUpper)
    }
}

extension Query where T: QueryOptional, T.QueryWrapped: Comparable {
    /// Lies in the range, which excludes its upper bound. Nil does not.
    public func contains(_ range: Range<T.QueryWrapped>) -> Query<Bool> {
        between(range.lowerBound, range.upperBound, false)
    }

    /// Lies in the range, which includes its upper bound. Nil does not.
    public func contains(_ range: ClosedRange<T.QueryWrapped>) -> Query<Bool> {
        between(range.lowerBound, range.upperBound, true)
    }

    private func between(
        _ low: T.QueryWrapped, _ high: T.QueryWrapped, _ includesUpper: Bool
    ) -> Query<Bool> {
        isBetween(low._storable.value, high._storable.value, includesUpper: includesUpper)
    }
}

extension Query where T: PersistableEnum {
    /// The raw value of the enum.
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(node) }
}

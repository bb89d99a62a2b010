import Storage

/// The collections of a model, as queries know them.
public protocol QueryCollection {
    /// What the collection holds.
    associatedtype QueryElement
}

extension List: QueryCollection {
    /// What the list holds.
    public typealias QueryElement = Element
}
extension MutableSet: QueryCollection {
    /// What the set holds.
    public typealias QueryElement = Element
}
extension LinkingObjects: QueryCollection {
    /// What links here.
    public typealias QueryElement = Element
}

extension Query where T: QueryCollection {
    /// The number of elements.
    public var count: Query<Int> { Query<Int>(.count(path)) }
}

extension Query where T: QueryCollection, T.QueryElement: PersistableScalar {
    /// One of the elements is the value.
    public func contains(_ value: T.QueryElement) -> Query<Bool> {
        Query<Bool>(.comparison(path, .equal, value._storable.value))
    }

    /// One of the elements is one of the values.
    public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool>
    where Values.Element == T.QueryElement {
        Query<Bool>(.member(path, values.map(\._storable.value)))
    }

    /// Any of the elements.
    public var any: Query<T.QueryElement> { Query<T.QueryElement>(.path(path)) }
}

extension Query where T: PersistableScalar & Comparable {
    /// The least of the values that a path through a collection leads to.
    public var min: Query<T> { Query(.aggregate(path, .minimum)) }

    /// The greatest of the values that a path through a collection leads to.
    public var max: Query<T> { Query(.aggregate(path, .maximum)) }
}

extension Query where T: PersistableScalar & Numeric {
    /// The sum of the values that a path through a collection leads to; zero without any.
    public var sum: Query<T> { Query(.aggregate(path, .sum)) }

    /// The average of the values that a path through a collection leads to; nil without any.
    public var avg: Query<Double?> { Query<Double?>(.aggregate(path, .average)) }
}

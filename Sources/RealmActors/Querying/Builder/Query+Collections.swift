import Storage

/// The collections of a model in queries.
public protocol QueryCollection {
    /// The type of the elements.
    associatedtype QueryElement
}

extension List: QueryCollection {
    /// The type of the elements.
    public typealias QueryElement = Element
}
extension MutableSet: QueryCollection {
    /// The type of the elements.
    public typealias QueryElement = Element
}
extension LinkingObjects: QueryCollection {
    /// The class of the objects that link here.
    public typealias QueryElement = Element
}

extension Map: QueryCollection where Key == String {
    /// The type of the values.
    public typealias QueryElement = Value
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
    public var any: Query<T.QueryElement> { Query<T.QueryElement>(.path(path.with(.any))) }

    /// All of the elements; true for an empty collection.
    public var all: Query<T.QueryElement> { Query<T.QueryElement>(.path(path.with(.all))) }

    /// None of the elements.
    public var none: Query<T.QueryElement> { Query<T.QueryElement>(.path(path.with(.none))) }
}

extension Query where T: QueryCollection, T.QueryElement: QueryOptional {
    /// One of the elements is the value, which may be nil.
    public func contains(_ value: T.QueryElement) -> Query<Bool> {
        Query<Bool>(.comparison(path, .equal, value._storable.value))
    }

    /// One of the elements is one of the values.
    public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool>
    where Values.Element == T.QueryElement {
        Query<Bool>(.member(path, values.map(\._storable.value)))
    }

    /// Any of the elements.
    public var any: Query<T.QueryElement> { Query<T.QueryElement>(.path(path.with(.any))) }

    /// All of the elements; true for an empty collection.
    public var all: Query<T.QueryElement> { Query<T.QueryElement>(.path(path.with(.all))) }

    /// None of the elements.
    public var none: Query<T.QueryElement> { Query<T.QueryElement>(.path(path.with(.none))) }
}

extension Query where T: QueryCollection, T.QueryElement: ObjectBase {
    /// Any of the objects: `$0.dogs.any.age > 3` is the same as `$0.dogs.age > 3`.
    public var any: Query<T> { Query(.path(path.with(.any))) }

    /// All of the objects; true for an empty collection: `$0.dogs.all.age > 3`.
    public var all: Query<T> { Query(.path(path.with(.all))) }

    /// None of the objects: `$0.dogs.none.age > 3`.
    public var none: Query<T> { Query(.path(path.with(.none))) }

    /// One of the elements is one of the objects; with `all` or `none`, all or none of the elements
    /// are.
    public func containsAny<Objects: Sequence>(in objects: Objects) -> Query<Bool>
    where Objects.Element == T.QueryElement { leads(to: objects.map { QueryRow($0) }) }
}

extension Query where T == Bool {
    /// The number of objects in one collection that meet the condition. All parts of the condition
    /// must be on properties of that collection's objects:
    ///
    ///     owners.where { ($0.dogs.age > 3 && $0.dogs.good).count >= 2 }
    public var count: Query<Int> { Query<Int>(.subquery(expression)) }
}

import Storage

// Maps, and collections within values of any type.

/// `Map` in queries. The library conforms its types.
public protocol QueryMap: QueryCollection {}

extension Map: QueryMap where Key == String {}

extension Query where T: QueryMap {
    /// The value of a key; nil if the map does not have the key.
    public subscript(key: String) -> Query<T.QueryElement> {
        Query<T.QueryElement>(.path(path.taking(.key(key))))
    }

    /// Any of the keys.
    public var keys: Query<String> { Query<String>(.path(path.taking(.keys))) }

    /// Any of the values.
    public var values: Query<T.QueryElement> { Query<T.QueryElement>(.path(path)) }
}

extension Query where T: QueryMap, T.QueryElement: ObjectLink {
    /// One of the objects is the given one.
    public func contains(_ object: T.QueryElement.Linked) -> Query<Bool> {
        Query<Bool>(.row(path, QueryRow(object), isEqual: true))
    }

    /// One of the objects is one of the given ones; with `all` or `none`, all or none of the
    /// objects are.
    public func containsAny<Objects: Sequence>(in objects: Objects) -> Query<Bool>
    where Objects.Element == T.QueryElement.Linked { leads(to: objects.map { QueryRow($0) }) }

    /// Any of the objects: `$0.pets.any.name == "Rex"`.
    public var any: Query<T.QueryElement> { Query<T.QueryElement>(.path(path.with(.any))) }

    /// All of the objects; true for an empty collection.
    public var all: Query<T.QueryElement> { Query<T.QueryElement>(.path(path.with(.all))) }

    /// None of the objects.
    public var none: Query<T.QueryElement> { Query<T.QueryElement>(.path(path.with(.none))) }
}

extension Query where T == AnyRealmValue {
    /// The value of a key, if the value is a dictionary with this key; otherwise nil.
    public subscript(key: String) -> Query<AnyRealmValue> { taking(.key(key)) }

    /// The element at a position, if the value is a list with this position; otherwise nil. -1 is
    /// the last.
    public subscript(index: Int) -> Query<AnyRealmValue> { taking(.index(index)) }

    /// Any of the elements, if the value is a list or a dictionary.
    public var any: Query<AnyRealmValue> { taking(.all) }

    /// Any of the keys, if the value is a dictionary.
    public var keys: Query<String> { taking(.keys) }

    /// Whether there is no value.
    public var isNil: Query<Bool> { compare(.equal, .null) }

    /// A part of the value of a property; refused for a computed value.
    private func taking<Value>(_ part: QueryElement.Part) -> Query<Value> {
        Query<Value>(
            node.path.map { QueryNode.path($0.taking(part)) }
                ?? .arithmetic(.refused(QueryNode.refusalOfComputed)))
    }
}

extension Query where T: QueryCollection, T.QueryElement == AnyRealmValue {
    /// One of the elements is the value.
    public func contains(_ value: AnyRealmValue) -> Query<Bool> { any == value }

    /// One of the elements is one of the values.
    public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool>
    where Values.Element == AnyRealmValue { any.in(values) }

    /// Any of the elements.
    public var any: Query<AnyRealmValue> { Query<AnyRealmValue>(.path(path.with(.any))) }

    /// All of the elements; true for an empty collection.
    public var all: Query<AnyRealmValue> { Query<AnyRealmValue>(.path(path.with(.all))) }

    /// None of the elements.
    public var none: Query<AnyRealmValue> { Query<AnyRealmValue>(.path(path.with(.none))) }
}

extension Query where T: ObjectLink {
    /// The link is nil.
    public var isNil: Query<Bool> { compare(.equal, .null) }
}

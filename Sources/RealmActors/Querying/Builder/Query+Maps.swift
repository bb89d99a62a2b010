import Storage

// Maps, and what values of any type hold.

/// `Map`, as queries know it. The library conforms it.
public protocol QueryMap: QueryCollection {}

extension Map: QueryMap where Key == String {}

extension Query where T: QueryMap {
    /// The value under a key; nil where the map has none.
    public subscript(key: String) -> Query<T.QueryElement> {
        Query<T.QueryElement>(.path(path.taking(.key(key))))
    }

    /// Any of the keys.
    public var keys: Query<String> { Query<String>(.path(path.taking(.keys))) }

    /// Any of the values.
    public var values: Query<T.QueryElement> { Query<T.QueryElement>(.path(path)) }
}

extension Query where T: QueryMap, T.QueryElement: ObjectLink {
    /// One of the objects is the one that is given.
    public func contains(_ object: T.QueryElement.Linked) -> Query<Bool> {
        Query<Bool>(.row(path, QueryRow(object), isEqual: true))
    }

    /// One of the objects, or as many as the quantifier of the map says, is one of those that are
    /// given.
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
    /// The value under a key, where the value is a dictionary; nil where there is none.
    public subscript(key: String) -> Query<AnyRealmValue> { taking(.key(key)) }

    /// The value at a position, where the value is a list; -1 is the last. Nil where there is none.
    public subscript(index: Int) -> Query<AnyRealmValue> { taking(.index(index)) }

    /// Any of the elements, where the value is a list or a dictionary.
    public var any: Query<AnyRealmValue> { taking(.all) }

    /// Any of the keys, where the value is a dictionary.
    public var keys: Query<String> { taking(.keys) }

    /// Whether there is no value.
    public var isNil: Query<Bool> { compare(.equal, .null) }

    /// A part of what a property holds, and a refusal of one of what is computed.
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
    /// The link leads nowhere.
    public var isNil: Query<Bool> { compare(.equal, .null) }
}

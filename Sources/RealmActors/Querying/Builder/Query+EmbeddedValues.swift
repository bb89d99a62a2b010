import Storage

// Types of one's own that are stored as embedded objects: two are equal when all properties of
// these have the same values.

extension Query where T: FailableCustomPersistable, T.PersistedType: EmbeddedObject {
    /// Equals.
    public static func == (a: Query<T>, b: T) -> Query<Bool> { a.isEmbedded(b.persistableValue) }

    /// Differs, or is not there.
    public static func != (a: Query<T>, b: T) -> Query<Bool> { !a.isEmbedded(b.persistableValue) }

    /// Is one of the values.
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
    where Values.Element == T {
        values.reduce(Query<Bool>(.constant(false))) { $0 || isEmbedded($1.persistableValue) }
    }

    /// The embedded object that is stored for the value.
    public var persistableValue: Query<T.PersistedType?> { Query<T.PersistedType?>(node) }
}

extension Query
where
    T: QueryOptional, T.QueryWrapped: FailableCustomPersistable,
    T.QueryWrapped.PersistedType: EmbeddedObject
{
    /// Equals; nil equals nil only.
    public static func == (a: Query<T>, b: T) -> Query<Bool> { a.isEmbedded(embedded(b)) }

    /// Differs; nil differs from every value.
    public static func != (a: Query<T>, b: T) -> Query<Bool> { !a.isEmbedded(embedded(b)) }

    /// Is one of the values, of which one may be nil.
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
    where Values.Element == T {
        values.reduce(Query<Bool>(.constant(false))) { $0 || isEmbedded(Self.embedded($1)) }
    }

    /// Is one of the values; nil is not.
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
    where Values.Element == T.QueryWrapped {
        values.reduce(Query<Bool>(.constant(false))) { $0 || isEmbedded($1.persistableValue) }
    }

    /// The embedded object that is stored for the value.
    public var persistableValue: Query<T.QueryWrapped.PersistedType?> {
        Query<T.QueryWrapped.PersistedType?>(node)
    }

    private static func embedded(_ value: T) -> EmbeddedObject? {
        (value as? T.QueryWrapped)?.persistableValue
    }
}

extension Query
where
    T: QueryCollection, T.QueryElement: FailableCustomPersistable,
    T.QueryElement.PersistedType: EmbeddedObject
{
    /// Any of the elements equals the value.
    public static func == (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.hasElement(.all(members(b)))
    }

    /// Any of the elements differs from the value.
    public static func != (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.hasElement(.not(.all(members(b))))
    }

    /// One of the elements is the value.
    public func contains(_ value: T.QueryElement) -> Query<Bool> { self == value }

    /// One of the elements is one of the values.
    public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool>
    where Values.Element == T.QueryElement {
        hasElement(.any(values.map { .all(Self.members($0)) }))
    }

    private static func members(_ value: T.QueryElement) -> [QueryExpression] {
        QueryPath(steps: []).members(of: value.persistableValue)
    }

    private func hasElement(_ condition: QueryExpression) -> Query<Bool> {
        Query<Bool>(.subquery(path, condition, .greater, 0))
    }
}

extension Query {
    /// All properties of the embedded object have the values of another one; nil is nil.
    fileprivate func isEmbedded(_ object: EmbeddedObject?) -> Query<Bool> {
        condition { path in
            guard let object else { return .comparison(path, .equal, .null) }
            return path.equals(object)
        }
    }
}

extension QueryPath {
    fileprivate func equals(_ object: EmbeddedObject) -> QueryExpression {
        .and(.comparison(self, .notEqual, .null), .all(members(of: object)))
    }

    /// Conditions on the properties of the object that it leads to: each is as in `object`.
    fileprivate func members(of object: EmbeddedObject) -> [QueryExpression] {
        object._discovered.properties.filter { $0.shape.role == .stored }.map { property in
            let place = appending([property.name])
            let value = property.type._anyValue(object, at: property.place)
            guard property.shape.container == .none, let condition = place.holds(value) else {
                return .refused(
                    .invalidQuery(
                        message: "An embedded object is compared by its properties, and "
                            + "'\(property.name)' has no single value. Compare what it leads to.",
                        position: nil))
            }
            return condition
        }
    }

    /// Nil for what is no single value.
    private func holds(_ any: Any) -> QueryExpression? {
        guard let given = unwrapped(any) else { return .comparison(self, .equal, .null) }
        if let embedded = given as? EmbeddedObject { return equals(embedded) }
        if let value = given as? any FailableCustomPersistable,
            let embedded = value.persistableValue as? EmbeddedObject
        {
            return equals(embedded)
        }
        guard let constant = try? QueryConstant(given) else { return nil }
        switch constant {
        case .value(let value): return .comparison(self, .equal, value)
        case .fraction(_, let value): return .comparison(self, .equal, .double(value))
        case .object(let object): return .row(self, object.row, isEqual: true)
        case .list, .area: return nil
        }
    }
}

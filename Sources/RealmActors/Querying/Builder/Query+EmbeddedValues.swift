import Storage

// Custom types that are stored as embedded objects. Two values are equal when all properties of
// their embedded objects are equal.

extension Query where T: FailableCustomPersistable, T.PersistedType: EmbeddedObject {
    /// Equals.
    public static func == (a: Query<T>, b: T) -> Query<Bool> { a.isEmbedded(b.persistableValue) }

    /// Differs, or is nil.
    public static func != (a: Query<T>, b: T) -> Query<Bool> { a.isOther(than: b.persistableValue) }

    /// Is one of the values.
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
    where Values.Element == T { isEmbedded(in: values.map { $0.persistableValue }) }

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
    public static func != (a: Query<T>, b: T) -> Query<Bool> { a.isOther(than: embedded(b)) }

    /// Is one of the values, which may include nil.
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
    where Values.Element == T { isEmbedded(in: values.map { Self.embedded($0) }) }

    /// Is one of the values; nil is not.
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
    where Values.Element == T.QueryWrapped { isEmbedded(in: values.map { $0.persistableValue }) }

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
        a.isEmbedded(b.persistableValue)
    }

    /// Any of the elements differs from the value.
    public static func != (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.isOther(than: b.persistableValue)
    }

    /// One of the elements is the value.
    public func contains(_ value: T.QueryElement) -> Query<Bool> { self == value }

    /// One of the elements is one of the values.
    public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool>
    where Values.Element == T.QueryElement { isEmbedded(in: values.map { $0.persistableValue }) }
}

extension Query
where
    T: QueryCollection, T.QueryElement: QueryOptional,
    T.QueryElement.QueryWrapped: FailableCustomPersistable,
    T.QueryElement.QueryWrapped.PersistedType: EmbeddedObject
{
    /// Any of the elements equals the value.
    public static func == (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.isEmbedded(embedded(b))
    }

    /// Any of the elements differs from the value.
    public static func != (a: Query<T>, b: T.QueryElement) -> Query<Bool> {
        a.isOther(than: embedded(b))
    }

    /// One of the elements is the value.
    public func contains(_ value: T.QueryElement) -> Query<Bool> { self == value }

    /// One of the elements is one of the values.
    public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool>
    where Values.Element == T.QueryElement {
        isEmbedded(in: values.map { Self.embedded($0) })
    }

    private static func embedded(_ value: T.QueryElement) -> EmbeddedObject? {
        (value as? T.QueryElement.QueryWrapped)?.persistableValue
    }
}

extension Query {
    /// All properties of the embedded object equal those of another one; nil equals nil.
    fileprivate func isEmbedded(_ object: EmbeddedObject?) -> Query<Bool> {
        condition { $0.equals(object) }
    }

    /// One of the properties of the embedded object differs, or the object is nil.
    fileprivate func isOther(than object: EmbeddedObject?) -> Query<Bool> {
        condition { path in
            guard let object else { return .comparison(path, .notEqual, .null) }
            return path.leads(to: .not(QueryPath.isLike(object)), orNowhere: true)
        }
    }

    /// The embedded object equals one of several.
    fileprivate func isEmbedded(in objects: [EmbeddedObject?]) -> Query<Bool> {
        condition { path in
            path.leads(
                to: .any(objects.compactMap { $0 }.map { QueryPath.isLike($0) }),
                orNowhere: objects.contains { $0 == nil })
        }
    }
}

extension QueryPath {
    /// The objects that the path leads to meet the condition, as its quantifier requires. The whole
    /// condition applies to one object.
    fileprivate func leads(
        to condition: QueryExpression, orNowhere isNil: Bool
    ) -> QueryExpression {
        switch quantifier {
        case .unspecified, .any:
            let found = QueryExpression.subquery(self, condition, .greater, 0)
            return isNil ? .or(.comparison(self, .equal, .null), found) : found
        case .none: return .not(with(.any).leads(to: condition, orNowhere: isNil))
        case .all: return .not(with(.any).leads(to: .not(condition), orNowhere: !isNil))
        }
    }

    fileprivate func equals(_ object: EmbeddedObject?) -> QueryExpression {
        guard let object else { return .comparison(self, .equal, .null) }
        return leads(to: Self.isLike(object), orNowhere: false)
    }

    /// The condition that each property of an object equals that of another one.
    fileprivate static func isLike(_ object: EmbeddedObject) -> QueryExpression {
        .all(
            object._discovered.properties.filter { $0.shape.role == .stored }.map { property in
                let value = property.type._anyValue(object, at: property.place)
                guard property.shape.container == .none,
                    let condition = QueryPath(steps: [property.name]).holds(value)
                else {
                    return .refused(
                        .invalidQuery(
                            message: "An embedded object is compared by its properties, and "
                                + "'\(property.name)' has no single value. Write a condition on "
                                + "that property instead.",
                            position: nil))
                }
                return condition
            })
    }

    /// Nil for what is not a single value.
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

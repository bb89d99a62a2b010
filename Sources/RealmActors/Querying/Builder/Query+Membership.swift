import Storage

// `in` for values that are not plain scalars.

extension Query where T: QueryOptional {
    /// Is one of the values; nil is not.
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
    where Values.Element == T.QueryWrapped {
        isOne(of: values.map(\._storable.value))
    }
}

extension Query where T: QueryAnyValue {
    /// Is one of the values, as `==` compares them. A value with an unmanaged object equals
    /// nothing.
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
    where Values.Element == T {
        let values = Array(values)
        let rows = values.compactMap(\._object).map { QueryRow($0) }
        let others = values.filter { $0._object == nil }.compactMap { $0._comparable?.value }
        if rows.isEmpty { return isOne(of: others) }
        guard let path = node.path else {
            return Query<Bool>(.refused(QueryNode.refusalOfComputed))
        }
        // Test each element separately: a disjunction would require all elements to equal the same
        // value.
        if path.quantifier == .all {
            return Query<Bool>(.tested(.path(path), .rows(rows, orValues: others)))
        }
        let isNone = path.quantifier == .none
        let place = isNone ? path.with(.any) : path
        var parts = [QueryExpression.member(place, others)]
        for row in rows { parts.append(.row(place, row, isEqual: true)) }
        let found = QueryExpression.any(parts)
        return Query<Bool>(isNone ? .not(found) : found)
    }
}

extension Query {
    /// The link leads to one of the objects.
    public func `in`<Target: ObjectBase, Objects: Sequence>(_ objects: Objects) -> Query<Bool>
    where T == Target?, Objects.Element == Target { leads(to: objects.map { QueryRow($0) }) }
}

extension Query where T: QueryCollection, T.QueryElement: ObjectBase {
    /// Any of the elements is one of the objects; with `all` or `none`, all or none are:
    /// `$0.dogs.none.in(old)`.
    public func `in`<Objects: Sequence>(_ objects: Objects) -> Query<Bool>
    where Objects.Element == T.QueryElement { leads(to: objects.map { QueryRow($0) }) }
}

extension Query {
    /// The path leads to one of the rows.
    func leads(to rows: [QueryRow]) -> Query<Bool> {
        if rows.isEmpty { return Query<Bool>(.member(path, [])) }
        func isAny(_ path: QueryPath) -> QueryExpression {
            .any(rows.map { .row(path, $0, isEqual: true) })
        }
        switch path.quantifier {
        case .unspecified, .any: return Query<Bool>(isAny(path))
        case .none: return Query<Bool>(.not(isAny(path.with(.any))))
        // Test each link separately: a disjunction would require all links to lead to the same row.
        case .all: return Query<Bool>(.tested(.path(path), .rows(rows)))
        }
    }
}

import Storage

extension Query {
    /// The link leads to the object, or is nil if `b` is nil.
    public static func == <Target: ObjectBase>(a: Query<T>, b: Target?) -> Query<Bool>
    where T == Target? { a.isRow(b, true) }

    /// The link leads to another object, or is nil.
    public static func != <Target: ObjectBase>(a: Query<T>, b: Target?) -> Query<Bool>
    where T == Target? { a.isRow(b, false) }

    func isRow(_ object: ObjectBase?, _ equal: Bool) -> Query<Bool> {
        guard let object else { return compare(equal ? .equal : .notEqual, .null) }
        return condition { .row($0, QueryRow(object), isEqual: equal) }
    }
}

extension Query where T: QueryCollection, T.QueryElement: ObjectBase {
    /// One of the elements is the object.
    public func contains(_ object: T.QueryElement) -> Query<Bool> {
        Query<Bool>(.row(path, QueryRow(object), isEqual: true))
    }
}

// Comparisons with frozen objects, by their rows.

extension Query {
    /// The link leads to the row of the frozen object.
    public static func == <Target: ObjectBase>(a: Query<T>, b: Frozen<Target>) -> Query<Bool>
    where T == Target? { a.isRow(b.object, true) }

    /// The link does not lead to the row of the frozen object, or is nil.
    public static func != <Target: ObjectBase>(a: Query<T>, b: Frozen<Target>) -> Query<Bool>
    where T == Target? { a.isRow(b.object, false) }

    /// The link leads to the row of one of the frozen objects.
    public func `in`<Target: ObjectBase, Objects: Sequence>(_ objects: Objects) -> Query<Bool>
    where T == Target?, Objects.Element == Frozen<Target> {
        leads(to: objects.map { QueryRow($0.object) })
    }
}

extension Query where T: QueryCollection, T.QueryElement: ObjectBase {
    /// One of the elements is the row of the frozen object.
    public func contains(_ object: Frozen<T.QueryElement>) -> Query<Bool> {
        Query<Bool>(.row(path, QueryRow(object.object), isEqual: true))
    }

    /// The link leads to the row of one of the frozen objects.
    public func `in`<Objects: Sequence>(_ objects: Objects) -> Query<Bool>
    where Objects.Element == Frozen<T.QueryElement> {
        leads(to: objects.map { QueryRow($0.object) })
    }

    /// One of the elements is the row of one of the frozen objects.
    public func containsAny<Objects: Sequence>(in objects: Objects) -> Query<Bool>
    where Objects.Element == Frozen<T.QueryElement> {
        leads(to: objects.map { QueryRow($0.object) })
    }
}

extension Query where T: QueryMap, T.QueryElement: ObjectLink {
    /// One of the objects is the row of the frozen object.
    public func contains(_ object: Frozen<T.QueryElement.Linked>) -> Query<Bool> {
        Query<Bool>(.row(path, QueryRow(object.object), isEqual: true))
    }

    /// One of the objects is the row of one of the frozen objects.
    public func containsAny<Objects: Sequence>(in objects: Objects) -> Query<Bool>
    where Objects.Element == Frozen<T.QueryElement.Linked> {
        leads(to: objects.map { QueryRow($0.object) })
    }
}

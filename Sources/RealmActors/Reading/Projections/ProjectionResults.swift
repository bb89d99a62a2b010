/// The projections of the objects of a live realm or a transaction that match a query: they follow
/// its changes.
///
///     let people = live.objects(PersonProjection.self).where { $0.age > 3 }
///
/// Confined to the actor of its realm, or to the transaction. A projection is made when it is
/// accessed. Queries and sorts use the properties of the model; ``rootObjects`` has the other
/// members of results.
public struct ProjectionResults<P: ProjectionObservable> where P.Root: Object {
    /// The objects that are projected.
    public let rootObjects: Results<P.Root>

    /// The projections of results.
    public init(projecting objects: Results<P.Root>) { rootObjects = objects }

    /// Whether the realm was invalidated; the results are empty then.
    public var isInvalidated: Bool { rootObjects.isInvalidated }

    /// The same projections as an immutable, Sendable value.
    public func freeze() -> FrozenProjectionResults<P> {
        FrozenProjectionResults(projecting: rootObjects.freeze())
    }

    /// The position of a projection's object; nil when it is not among these.
    public func index(of projection: P) -> Int? { rootObjects.index(of: projection.rootObject) }
}

@available(*, unavailable)
extension ProjectionResults: Sendable {}

extension ProjectionResults: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int { rootObjects.count }
    /// The number of objects.
    public var count: Int { rootObjects.count }
    /// Whether there is no object.
    public var isEmpty: Bool { rootObjects.isEmpty }
    /// The first projection. Finding it does not evaluate the rest.
    public var first: P? { rootObjects.first.map { P(projecting: $0) } }
    /// The last projection.
    public var last: P? { rootObjects.last.map { P(projecting: $0) } }
    /// The projection of the object at `position`. O(log n).
    public subscript(position: Int) -> P { P(projecting: rootObjects[position]) }

    /// Iterates over the objects that are there now.
    public func makeIterator() -> Iterator { Iterator(objects: rootObjects.makeIterator()) }

    /// Iterates over projections.
    public struct Iterator: IteratorProtocol {
        var objects: Results<P.Root>.Iterator

        /// The projection of the next object that is still there.
        public mutating func next() -> P? { objects.next().map { P(projecting: $0) } }
    }
}

extension ProjectionResults {
    /// The projections whose objects satisfy the condition, in the same order.
    public func `where`(
        _ isIncluded: (Query<P.Root>) -> Query<Bool>
    ) -> ProjectionResults {
        ProjectionResults(projecting: rootObjects.where(isIncluded))
    }

    /// The projections of the objects that match a query string, in terms of the model's
    /// properties.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is.
    public func filter(
        _ query: String, _ arguments: Any?...
    ) throws(RealmError) -> ProjectionResults {
        let plan = try rootObjects._plan.filtered(query, QueryArguments(positional: arguments))
        return ProjectionResults(projecting: Results(_plan: plan))
    }

    /// The projections of the objects that match a query string, whose arguments have names.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is.
    public func filter(
        _ query: String, arguments: [String: Any?]
    ) throws(RealmError) -> ProjectionResults {
        ProjectionResults(projecting: try rootObjects.filter(query, arguments: arguments))
    }

    /// The projections ordered by a property of their objects.
    public func sorted<Value: PersistedValue>(
        by keyPath: KeyPath<P.Root, Value>, ascending: Bool = true
    ) -> ProjectionResults {
        ProjectionResults(projecting: rootObjects.sorted(by: keyPath, ascending: ascending))
    }

    /// The projections ordered by a string property of their objects, in a collation.
    public func sorted<Value: CollatableValue>(
        by keyPath: KeyPath<P.Root, Value>, collation: Collation, ascending: Bool = true
    ) -> ProjectionResults {
        ProjectionResults(
            projecting: rootObjects.sorted(
                by: keyPath, collation: collation, ascending: ascending))
    }

    /// The projections ordered by the distance of an embedded point of their objects from `point`,
    /// the nearest first.
    public func sorted<Value: GeoQueryable>(
        byDistanceFrom point: GeoPoint, on keyPath: KeyPath<P.Root, Value>,
        ascending: Bool = true
    ) -> ProjectionResults {
        ProjectionResults(
            projecting: rootObjects.sorted(
                byDistanceFrom: point, on: keyPath, ascending: ascending))
    }

    /// The projections ordered by several properties of their objects.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that the class does not have.
    public func sorted(
        by descriptors: [SortDescriptor]
    ) throws(RealmError) -> ProjectionResults {
        ProjectionResults(projecting: try rootObjects.sorted(by: descriptors))
    }

    /// The first projection, in the present order, for each combination of values.
    public func distinct(by keyPaths: [PartialKeyPath<P.Root>]) -> ProjectionResults {
        ProjectionResults(projecting: rootObjects.distinct(by: keyPaths))
    }

    /// The first `count` projections.
    public func limit(_ count: Int) -> ProjectionResults {
        ProjectionResults(projecting: rootObjects.limit(count))
    }
}

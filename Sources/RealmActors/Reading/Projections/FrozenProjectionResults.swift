/// The projections of the objects of one version that match a query: immutable, Sendable, lazy.
///
///     for person in realm.objects(PersonProjection.self).sorted(by: \.lastName) { ... }
///
/// A projection is made when it is accessed. Queries and sorts use the properties of the model;
/// ``rootObjects`` has the other members of results.
public struct FrozenProjectionResults<P: ProjectionObservable>: Sendable where P.Root: Object {
    /// The objects that are projected.
    public let rootObjects: FrozenResults<P.Root>

    /// The projections of results.
    public init(projecting objects: FrozenResults<P.Root>) { rootObjects = objects }

    /// The version that the objects belong to.
    public var snapshot: Snapshot { rootObjects.snapshot }

    /// The position of a projection's object; nil when it is not among these.
    public func index(of projection: FrozenProjection<P>) -> Int? {
        rootObjects.index(of: projection.rootObject)
    }
}

extension FrozenProjectionResults: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int { rootObjects.count }
    /// The number of objects.
    public var count: Int { rootObjects.count }
    /// Whether there is no object.
    public var isEmpty: Bool { rootObjects.isEmpty }
    /// The first projection. Finding it does not evaluate the rest.
    public var first: FrozenProjection<P>? {
        rootObjects.first.map { FrozenProjection(projecting: $0) }
    }
    /// The last projection.
    public var last: FrozenProjection<P>? {
        rootObjects.last.map { FrozenProjection(projecting: $0) }
    }
    /// The projection of the object at `position`. O(log n).
    public subscript(position: Int) -> FrozenProjection<P> {
        FrozenProjection(projecting: rootObjects[position])
    }

    /// Iterates over the projections.
    public func makeIterator() -> Iterator { Iterator(objects: rootObjects.makeIterator()) }

    /// Iterates over projections.
    public struct Iterator: IteratorProtocol {
        var objects: FrozenResults<P.Root>.Iterator

        /// The next projection.
        public mutating func next() -> FrozenProjection<P>? {
            objects.next().map { FrozenProjection(projecting: $0) }
        }
    }
}

extension FrozenProjectionResults {
    /// The projections whose objects satisfy the condition, in the same order.
    public func `where`(
        _ isIncluded: (Query<P.Root>) -> Query<Bool>
    ) -> FrozenProjectionResults {
        FrozenProjectionResults(projecting: rootObjects.where(isIncluded))
    }

    /// The projections of the objects that match a query string, in terms of the model's
    /// properties.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is.
    public func filter(
        _ query: String, _ arguments: Any?...
    ) throws(RealmError) -> FrozenProjectionResults {
        let plan = try rootObjects._plan.filtered(query, QueryArguments(positional: arguments))
        return FrozenProjectionResults(projecting: FrozenResults(_plan: plan))
    }

    /// The projections of the objects that match a query string, whose arguments have names.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is.
    public func filter(
        _ query: String, arguments: [String: Any?]
    ) throws(RealmError) -> FrozenProjectionResults {
        FrozenProjectionResults(projecting: try rootObjects.filter(query, arguments: arguments))
    }

    /// The projections ordered by a property of their objects.
    public func sorted<Value: PersistedValue>(
        by keyPath: KeyPath<P.Root, Value>, ascending: Bool = true
    ) -> FrozenProjectionResults {
        FrozenProjectionResults(projecting: rootObjects.sorted(by: keyPath, ascending: ascending))
    }

    /// The projections ordered by a string property of their objects, in a collation.
    public func sorted<Value: CollatableValue>(
        by keyPath: KeyPath<P.Root, Value>, collation: Collation, ascending: Bool = true
    ) -> FrozenProjectionResults {
        FrozenProjectionResults(
            projecting: rootObjects.sorted(
                by: keyPath, collation: collation, ascending: ascending))
    }

    /// The projections ordered by the distance of an embedded point of their objects from `point`,
    /// the nearest first.
    public func sorted<Value: GeoQueryable>(
        byDistanceFrom point: GeoPoint, on keyPath: KeyPath<P.Root, Value>,
        ascending: Bool = true
    ) -> FrozenProjectionResults {
        FrozenProjectionResults(
            projecting: rootObjects.sorted(
                byDistanceFrom: point, on: keyPath, ascending: ascending))
    }

    /// The projections ordered by several properties of their objects.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that the class does not have.
    public func sorted(
        by descriptors: [SortDescriptor]
    ) throws(RealmError) -> FrozenProjectionResults {
        FrozenProjectionResults(projecting: try rootObjects.sorted(by: descriptors))
    }

    /// The first projection, in the present order, for each combination of values.
    public func distinct(by keyPaths: [PartialKeyPath<P.Root>]) -> FrozenProjectionResults {
        FrozenProjectionResults(projecting: rootObjects.distinct(by: keyPaths))
    }

    /// The first `count` projections.
    public func limit(_ count: Int) -> FrozenProjectionResults {
        FrozenProjectionResults(projecting: rootObjects.limit(count))
    }
}

extension FrozenProjectionResults: Encodable {
    /// Encodes an array of the projections.
    ///
    /// - Throws: what ``FrozenProjection`` throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for projection in self { try container.encode(projection) }
        try rootObjects.context.requireReadable()
    }
}

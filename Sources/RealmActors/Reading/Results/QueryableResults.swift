package import Storage

/// Queries, sorts and aggregates of ``FrozenResults`` and ``Results``.
///
/// Both are lazy: deriving one from another reads no row, and the query runs when a row is first
/// needed. The library conforms its types; do not declare other conformances.
public protocol QueryableResults<Model>: RandomAccessCollection where Index == Int {
    /// The class of the objects.
    associatedtype Model: ObjectBase

    /// The query and its context.
    var _plan: ResultsPlan { get }

    /// The rows, evaluated when first needed; for live results, again after a change.
    var _rows: EvaluatedRows { get }

    /// Results of another plan over the same version.
    init(_plan: ResultsPlan)
}

extension QueryableResults {
    /// The objects for which the condition holds, in the same order.
    @inlinable public func `where`(_ isIncluded: (Query<Model>) -> Query<Bool>) -> Self {
        Self(_plan: _plan.filtered(isIncluded(.root)))
    }

    /// The objects ordered by a property, possibly of a linked object. The sort is stable. Nil
    /// comes first; objects for which a link on the path is nil come last. A key path to an object,
    /// or to or through a collection, traps.
    public func sorted<Value: PersistedValue>(
        by keyPath: KeyPath<Model, Value>, ascending: Bool = true
    ) -> Self {
        sorted(byPath: Tracer.names(of: keyPath), ascending: ascending)
    }

    /// The objects ordered by the property at a path of names, which a key path gave.
    func sorted(byPath names: [String], ascending: Bool) -> Self {
        let classID = _plan.query.classID
        return Self(
            _plan: _plan.adding { schema throws(RealmError) in
                let path = try schema.bindOrdered(names, in: classID)
                return .sort([SortKey(path: path, ascending: ascending)])
            })
    }

    /// The objects ordered by a string property, possibly of a linked object, in a collation.
    ///
    ///     let listed = people.sorted(by: \.name, collation: .people)
    ///
    /// The sort is stable. Nil comes first; objects for which a link on the path is nil come last.
    /// An ``Index`` with the same collation has this order: with a limit, or page by page, few of
    /// its entries are read.
    public func sorted<Value: CollatableValue>(
        by keyPath: KeyPath<Model, Value>, collation: Collation, ascending: Bool = true
    ) -> Self {
        let (names, classID) = (Tracer.names(of: keyPath), _plan.query.classID)
        let descriptor = SortDescriptor(
            keyPath: names.joined(separator: "."), collation: collation, ascending: ascending)
        return Self(
            _plan: _plan.adding { schema throws(RealmError) in
                .sort([try schema.sortKey(descriptor, in: classID)])
            })
    }

    /// The objects ordered by the distance of an embedded point from `point`, the nearest first.
    ///
    ///     let nearby = shops.sorted(byDistanceFrom: here, on: \.location).limit(10)
    ///
    /// The sort is stable; objects without a point count as farther than any other. With an index
    /// of places (see ``Index/places``) the nearest few are found without reading the others. A key
    /// path to an object whose class is not a point traps.
    public func sorted<Value: GeoQueryable>(
        byDistanceFrom point: GeoPoint, on keyPath: KeyPath<Model, Value>, ascending: Bool = true
    ) -> Self {
        let (names, classID) = (Tracer.names(of: keyPath), _plan.query.classID)
        let descriptor = SortDescriptor(
            distanceFrom: point, on: names.joined(separator: "."), ascending: ascending)
        return Self(
            _plan: _plan.adding { schema throws(RealmError) in
                .sort([try schema.sortKey(descriptor, in: classID)])
            })
    }

    /// Unavailable; its message names the replacement.
    @available(
        *, unavailable,
        message: "sort by a persisted property that has an order, as in \\.name or \\.owner?.name"
    )
    public func sorted(by keyPath: PartialKeyPath<Model>, ascending: Bool = true) -> Self { self }

    /// Unavailable; its message names the replacement.
    @available(
        *, unavailable,
        message: "sort by a property of the objects' own class, as in \\.name or \\.owner?.name"
    )
    public func sorted<Other: ObjectBase>(
        by keyPath: PartialKeyPath<Other>, ascending: Bool = true
    ) -> Self { self }

    /// The objects ordered by several properties: the first decides, the others break ties.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that the class does not have, or
    ///   for a path through a collection.
    public func sorted(by descriptors: [SortDescriptor]) throws(RealmError) -> Self {
        guard !descriptors.isEmpty else { return self }
        let classID = _plan.query.classID
        return Self(
            _plan: try _plan.tryAdding { schema throws(RealmError) in
                .sort(try schema.sortKeys(descriptors, in: classID))
            })
    }

    /// The first object, in the present order, for each combination of values of the properties.
    /// Embedded objects, and custom types that are stored as such, differ by their properties. All
    /// objects, if there is no key path.
    public func distinct(by keyPaths: [PartialKeyPath<Model>]) -> Self {
        if keyPaths.isEmpty { return self }
        let paths = keyPaths.map { _plan.path(Tracer.names(of: $0)) }
        return Self(_plan: _plan.adding { _ throws(RealmError) in .distinct(paths) })
    }

    /// The first object, in the present order, for each value of a property.
    public func distinct<Value: PersistedValue>(by keyPath: KeyPath<Model, Value>) -> Self {
        distinct(by: [keyPath])
    }

    /// The first `count` objects. Traps if `count` is negative.
    public func limit(_ count: Int) -> Self {
        precondition(count >= 0, "A limit cannot be negative; \(count) was given.")
        return Self(_plan: _plan.adding { _ throws(RealmError) in .limit(count) })
    }
}

extension QueryableResults {
    /// The position of the first object.
    public var startIndex: Int { 0 }

    /// The number of objects.
    public var endIndex: Int { count }

    /// The number of objects. O(1) for all objects of a class; otherwise the query runs, unless it
    /// has been evaluated.
    public var count: Int { _rows.count }

    /// Whether there is no object.
    public var isEmpty: Bool { _rows.isEmpty }

    /// The first object. Finding it does not evaluate the rest.
    public var first: Element? { isEmpty ? nil : self[0] }

    /// The last object.
    public var last: Element? { _rows.lastPosition.map { self[$0] } }

    /// The keys of all rows.
    package var rowKeys: [RowKey] { _rows.keys }
}

public import Storage

/// The objects of one version that answer a query, in an order: immutable, Sendable, lazy.
///
///     let adults = realm.objects(Dog.self).where { $0.age > 3 }.sorted(by: \.name)
///     for dog in adults { ... dog.name ... }
///
/// Copies share what has been evaluated. All of it shows the version it was asked of, and keeps it.
public struct FrozenResults<Model: ObjectBase>: QueryableResults, Sendable {
    @usableFromInline let reader: FrozenReader<ResultsPlan>

    @inlinable var plan: ResultsPlan { reader.reader }

    /// What the results stand for.
    @inlinable public var _plan: ResultsPlan { plan }

    /// The rows, evaluated once.
    public var _rows: EvaluatedRows { plan.frozenRows }

    /// Results of a plan of a frozen context.
    @inlinable public init(_plan plan: ResultsPlan) { reader = FrozenReader(plan) }

    /// Results of a query in the version of `context`.
    package init(context: FrozenContext, model: ModelBinding, query: ResultsQuery) {
        self.init(_plan: ResultsPlan(context: context, model: model, query: query))
    }

    /// Results of a query in the version of `context`, whose rows are known.
    package init(
        context: FrozenContext, model: ModelBinding, query: ResultsQuery, rows: KeyRope
    ) {
        let plan = ResultsPlan(context: context, model: model, query: query)
        reader = FrozenReader(plan)
        // A whole class needs no list of rows.
        if !query.isWholeClass {
            plan.adopt(EvaluatedRows(query, context.view, known: rows))
        }
    }

    /// All objects of a class in the version of `context`.
    package init(context: FrozenContext, model: ModelBinding) {
        self.init(context: context, model: model, query: ResultsQuery(all: model.classID))
    }

    /// The objects of `model` that link to a row.
    package init(
        context: FrozenContext, model: ModelBinding, backlinksTo key: RowKey, _ column: ColumnID
    ) {
        let query = ResultsQuery(
            source: .backlinks(to: key, origin: model.classID, column), classID: model.classID)
        self.init(context: context, model: model, query: query)
    }

    /// The version that the objects belong to.
    public var snapshot: Snapshot { context.snapshot }

    package var context: FrozenContext { plan.frozenContext }

    package var query: ResultsQuery { plan.query }

    /// The object at `position`. O(log n).
    public subscript(position: Int) -> Frozen<Model> {
        let key = _rows.key(at: position)
        let object: ObjectBase
        if let row = _rows.locate(key) {
            object = plan.model.makeAccessor(frozen: context, key, row)
        } else {
            // It could not be read.
            object = plan.model.makeAccessor(frozen: context, key, .missing)
        }
        // Unsafe: the plan's model is that of `Model`.
        return Frozen(frozen: unsafeDowncast(object, to: Model.self))
    }

    /// The first object. Finding it does not evaluate the rest.
    public var first: Frozen<Model>? {
        guard let object = plan.firstFrozen else { return nil }
        // Unsafe: the plan's model is that of `Model`.
        return Frozen(frozen: unsafeDowncast(object, to: Model.self))
    }

    /// These results, evaluated: what they find is looked for off the caller's actor, once for all
    /// copies, and is at hand from then on.
    ///
    ///     let found = try await logs.where { $0.text.contains("timeout") }.evaluated()
    ///
    /// Reading results that are not evaluated does the same in place, on the caller, and never
    /// gives fewer objects because the caller's task was cancelled.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before the end, ``RealmError`` when
    ///   the store could not be read.
    @concurrent @discardableResult
    public func evaluated() async throws -> FrozenResults {
        try _rows.evaluate(unless: { plan.context.absence ?? plan.context.readFailure })
        return self
    }

    /// The position of an object; nil when it is not among these.
    public func index(of object: Frozen<Model>) -> Int? {
        let object = object.object
        // Dynamic objects of all classes are of one type in Swift.
        guard object.__context?.models.storeID == context.models.storeID,
            object.__model?.classID == query.classID
        else { return nil }
        return _rows.position(of: object.__key)
    }

    /// Goes over the objects.
    ///
    /// All objects of a class are found on the way, and so are those that a condition chooses which
    /// no index answers. Others are looked for when this is called, all of them and in place,
    /// unless they have been evaluated: see ``evaluated()``.
    public func makeIterator() -> Iterator { Iterator(plan.frozenWalk, plan) }

    /// Goes over frozen objects, using one accessor again while nobody else holds it.
    public struct Iterator: IteratorProtocol {
        @usableFromInline var walk: RowWalk
        @usableFromInline let plan: ResultsPlan
        /// Whether nothing but its row tells one accessor from another.
        @usableFromInline let canReuse: Bool
        @usableFromInline var rows: WalkedRows?
        @usableFromInline var current: Model?

        init(_ walk: RowWalk, _ plan: ResultsPlan) {
            self.walk = walk
            self.plan = plan
            canReuse = plan.model.canReuseAccessors
        }

        /// The next object.
        @inlinable
        public mutating func next() -> Frozen<Model>? {
            guard var rows = rows ?? walk.next() else { return nil }
            let all = rows
            let slot = rows.takeSlot()
            self.rows = rows.bits == 0 ? nil : rows
            let key = rows.cluster.key(slot)
            if canReuse, isKnownUniquelyReferenced(&current), let current {
                if rows.isTransient || current.__ownsCluster {
                    current._point(at: rows.cluster, slot, isTransient: rows.isTransient)
                } else {
                    current.__cluster = rows.cluster
                    current.__slot = slot
                }
                current.__key = key
                return Frozen(frozen: current)
            }
            // Unsafe: the plan's model is that of `Model`.
            let object = unsafeDowncast(plan.makeReader(all), to: Model.self)
            current = object
            return Frozen(frozen: object)
        }
    }
}

public import Storage

/// The objects of one version that match a query, in an order: immutable, Sendable, lazy.
///
///     let adults = realm.objects(Dog.self).where { $0.age > 3 }.sorted(by: \.name)
///     for dog in adults { ... dog.name ... }
///
/// Copies share the evaluated rows. Results hold the version that they were made from.
public struct FrozenResults<Model: ObjectBase>: QueryableResults, Sendable {
    @usableFromInline let reader: FrozenReader<ResultsPlan>

    @inlinable var plan: ResultsPlan { reader.reader }

    /// The query of the results and its context.
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

    /// The same results without rows: the object is gone whose collection, or whose inverse, they
    /// were.
    var withoutRows: FrozenResults {
        FrozenResults(context: context, model: plan.model, query: query.withoutRows)
    }

    package var context: FrozenContext { plan.frozenContext }

    package var query: ResultsQuery { plan.query }

    /// The object at `position`. O(log n).
    public subscript(position: Int) -> Frozen<Model> {
        let key = _rows.key(at: position)
        let object: ObjectBase
        if let row = _rows.locate(key) {
            object = plan.model.makeAccessor(frozen: context, key, row)
        } else {
            // The row could not be read.
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

    /// These results, evaluated: the query runs off the caller's actor, once for all copies.
    ///
    ///     let found = try await logs.where { $0.text.contains("timeout") }.evaluated()
    ///
    /// Reading results that are not evaluated runs the query on the caller, and ignores
    /// cancellation of the task.
    ///
    /// - Throws: `CancellationError` when the task is cancelled meanwhile, ``RealmError`` when the
    ///   store could not be read.
    @concurrent @discardableResult
    public func evaluated() async throws -> FrozenResults {
        try _rows.evaluate(unless: { plan.context.absence ?? plan.context.readFailure })
        return self
    }

    /// The position of an object; nil when it is not among these.
    public func index(of object: Frozen<Model>) -> Int? {
        let object = object.object
        // Dynamic objects of all classes have the same Swift type.
        guard object._isInStore(of: context.models),
            object.__model?.classID == query.classID, !context.hasReused(keyOf: object)
        else { return nil }
        return _rows.position(of: object.__key)
    }

    /// Iterates over the objects.
    ///
    /// All objects of a class, and those of a filter without an index, are found during the
    /// iteration. Any other query is evaluated here, on the caller, unless it was evaluated before:
    /// see ``evaluated()``.
    public func makeIterator() -> Iterator { Iterator(plan.frozenWalk, plan) }

    /// Iterates over frozen objects, reusing one accessor while nothing else holds it.
    public struct Iterator: IteratorProtocol {
        @usableFromInline var walk: RowWalk
        @usableFromInline let plan: ResultsPlan
        /// Whether accessors differ only in their rows.
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

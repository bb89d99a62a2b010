import Storage

/// The objects of a live realm or a transaction that match a query. They follow its changes.
///
/// Confined to the actor of its realm, or to the transaction. Every access shows the present state,
/// also inside a write; `for in` iterates over the objects that matched when it began, and skips
/// those that are deleted meanwhile. After `invalidate()` the results are empty, and
/// ``isInvalidated`` is true.
public struct Results<Model: ObjectBase>: QueryableResults {
    private let storage: LiveRows

    /// The query of the results and its context.
    public var _plan: ResultsPlan { storage.plan }

    /// The present rows.
    public var _rows: EvaluatedRows { storage.rows }

    /// Results of a plan of a live context.
    public init(_plan plan: ResultsPlan) { storage = LiveRows(plan) }

    /// All objects of a class.
    package init(context: LiveContext, model: ModelBinding) {
        self.init(context: context, model: model, query: ResultsQuery(all: model.classID))
    }

    /// The objects that match a query; `owner` has the collection that they are from, if any.
    package init(
        context: LiveContext, model: ModelBinding, query: ResultsQuery, owner: ObjectBase? = nil
    ) {
        self.init(
            _plan: ResultsPlan(context: context, model: model, query: query, owner: owner))
    }

    package var query: ResultsQuery { storage.plan.query }

    package var context: LiveContext { storage.context }

    /// Whether the realm was invalidated; the results are empty then.
    public var isInvalidated: Bool { storage.context.isInvalidated }

    /// The object at `position`. O(log n).
    public subscript(position: Int) -> Model {
        let object = storage.plan.makeLive(_rows.key(at: position))
        return unsafeDowncast(object, to: Model.self)
    }

    /// The position of an object; nil when it is not among these.
    public func index(of object: Model) -> Int? {
        isOfThese(object) ? _rows.position(of: object.__key) : nil
    }

    /// Whether an object is of the same realm, not deleted, and of the same class, which the type
    /// of a dynamic object does not ensure.
    func isOfThese(_ object: Model) -> Bool {
        // `_wasInvalidated`, because after a rolled back deletion the row exists, but the object
        // stays invalidated.
        object.__context === storage.context && object.__model?.classID == query.classID
            && !object._wasInvalidated
    }

    /// These results, evaluated for the present state: the query runs off the realm's actor, which
    /// is free for other work. If the realm changes meanwhile, they are evaluated again when they
    /// are next read.
    ///
    /// - Throws: `CancellationError` when the task is cancelled meanwhile, ``RealmError`` when the
    ///   store could not be read.
    @discardableResult
    public func evaluated() async throws -> Results {
        try Task.checkCancellation()
        if let absence = context.absence { throw absence }
        // Rows that were evaluated before may lack rows that could not be read.
        try context.requireReadable()
        guard !isInvalidated, !_rows.isEvaluated else { return self }
        let moment = context.moment
        let frozen = try await freeze().evaluated()
        storage.adopt(frozen.rowKeys, at: moment)
        return self
    }

    /// The same results as an immutable, Sendable value; empty after `invalidate()`.
    public func freeze() -> FrozenResults<Model> {
        let context = storage.context.freeze().context
        let query = storage.isOver ? query.withoutRows : query
        return FrozenResults(context: context, model: storage.plan.model, query: query)
    }

    /// Iterates over the objects that match now.
    ///
    /// All objects of a class are found during the iteration. A query is evaluated here, on the
    /// caller, unless it was evaluated for the present state: see ``evaluated()``.
    public func makeIterator() -> Iterator {
        let (context, model) = (storage.context, storage.plan.model)
        return Iterator(
            walk: query.isWholeClass
                ? LiveWalk(all: model, in: context)
                : LiveWalk(keys: _rows.keys, of: model, in: context))
    }

    /// Iterates over live objects.
    public struct Iterator: IteratorProtocol {
        @usableFromInline var walk: LiveWalk

        /// The next object that was not deleted.
        @inlinable
        public mutating func next() -> Model? {
            // Unsafe: the walk's model is that of `Model`.
            walk.next().map { unsafeDowncast($0, to: Model.self) }
        }
    }
}

@available(*, unavailable, message: "live results stay on their actor: pass on results.freeze()")
extension Results: Sendable {}

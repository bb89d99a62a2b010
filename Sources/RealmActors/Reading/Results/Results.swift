import Storage

/// The objects of a live realm or a transaction that answer a query: they follow its changes.
///
/// Confined to the actor of its realm, or to the transaction. Every access shows the present state,
/// also inside a write; `for in` goes over the objects that were there when it began, and skips
/// what is deleted meanwhile. After `invalidate()` results are empty and ``isInvalidated``.
public struct Results<Model: ObjectBase>: QueryableResults {
    private let storage: LiveRows

    /// What the results stand for.
    public var _plan: ResultsPlan { storage.plan }

    /// The rows at this moment.
    public var _rows: EvaluatedRows { storage.rows }

    /// Results of a plan of a live context.
    public init(_plan plan: ResultsPlan) { storage = LiveRows(plan) }

    /// All objects of a class.
    package init(context: LiveContext, model: ModelBinding) {
        self.init(context: context, model: model, query: ResultsQuery(all: model.classID))
    }

    /// The objects that answer a query.
    package init(context: LiveContext, model: ModelBinding, query: ResultsQuery) {
        self.init(_plan: ResultsPlan(context: context, model: model, query: query))
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

    /// Whether an object is of the same realm, is not gone, and is of the same class, as dynamic
    /// ones need not be.
    func isOfThese(_ object: Model) -> Bool {
        // The row of an object whose deletion was rolled back is there again.
        object.__context === storage.context && object.__model?.classID == query.classID
            && !object._hasGone
    }

    /// These results, evaluated for this moment: what they find is looked for off the realm's
    /// actor, which goes on with other work. Where the realm has changed meanwhile, they are
    /// evaluated again when they are next read.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before the end, ``RealmError`` when
    ///   the store could not be read.
    @discardableResult
    public func evaluated() async throws -> Results {
        try Task.checkCancellation()
        if let absence = context.absence { throw absence }
        // What has been evaluated may lack what could not be read.
        try context.requireReadable()
        guard !isInvalidated, !_rows.isEvaluated else { return self }
        let moment = context.moment
        let frozen = try await freeze().evaluated()
        storage.adopt(frozen.rowKeys, at: moment)
        return self
    }

    /// The same results as a value that can go anywhere; empty after `invalidate()`.
    public func freeze() -> FrozenResults<Model> {
        let context = storage.context.freeze().context
        let query = isInvalidated ? query.adding(.limit(0)) : query
        return FrozenResults(context: context, model: storage.plan.model, query: query)
    }

    /// Goes over the objects that are there now.
    ///
    /// All objects of a class are found on the way. Others are looked for when this is called, all
    /// of them and in place, unless that was done for this moment: see ``evaluated()``.
    public func makeIterator() -> Iterator {
        let (context, model) = (storage.context, storage.plan.model)
        return Iterator(
            walk: query.isWholeClass
                ? LiveWalk(all: model, in: context)
                : LiveWalk(keys: _rows.keys, of: model, in: context))
    }

    /// Goes over live objects.
    public struct Iterator: IteratorProtocol {
        @usableFromInline var walk: LiveWalk

        /// The next object that is still there.
        @inlinable
        public mutating func next() -> Model? {
            // Unsafe: the walk's model is that of `Model`.
            walk.next().map { unsafeDowncast($0, to: Model.self) }
        }
    }
}

@available(*, unavailable, message: "live results stay where they are: hand on results.freeze()")
extension Results: Sendable {}

/// The rows of live results, evaluated anew when what they show has changed.
final class LiveRows {
    let plan: ResultsPlan
    private var evaluated: (moment: LiveMoment, rows: EvaluatedRows)?

    init(_ plan: ResultsPlan) { self.plan = plan }

    var context: LiveContext {
        // Unsafe: live results are made of live contexts only.
        unsafeDowncast(plan.context, to: LiveContext.self)
    }

    /// Takes rows that were evaluated elsewhere, if it is still the moment that they are of.
    func adopt(_ keys: [RowKey], at moment: LiveMoment) {
        guard !context.isInvalidated, context.moment == moment else { return }
        evaluated = (moment, EvaluatedRows(plan.query, context.view, keys: keys))
    }

    var rows: EvaluatedRows {
        let context = context
        if context.isInvalidated {
            return EvaluatedRows(plan.query.adding(.limit(0)), context.view)
        }
        let moment = context.moment
        if let evaluated, evaluated.moment == moment { return evaluated.rows }
        let rows = EvaluatedRows(plan.query, context.view)
        evaluated = (moment, rows)
        return rows
    }
}

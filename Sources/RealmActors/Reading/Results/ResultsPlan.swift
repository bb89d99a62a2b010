package import Storage

/// The query of results and its context. Opaque outside the library.
@_documentation(visibility: internal)
public final class ResultsPlan {
    @usableFromInline package let context: AccessContext
    @usableFromInline package let model: ModelBinding
    package let query: ResultsQuery
    /// The live object of whose collection or inverse the results were made; nil for those of a
    /// class.
    let owner: ObjectBase?
    /// The rows of frozen results, once they were needed. Live results keep theirs in ``LiveRows``.
    private let rows = OnceReference<EvaluatedRows>()

    package init(
        context: AccessContext, model: ModelBinding, query: ResultsQuery,
        owner: ObjectBase? = nil
    ) {
        self.context = context
        self.model = model
        self.query = query
        self.owner = owner
    }

    /// The rows in the version of a frozen context, created when first needed.
    var frozenRows: EvaluatedRows {
        rows.load() ?? rows.storeIfNil(EvaluatedRows(query, context.view))
    }

    /// Iterates over the rows. Those of a look-up are not kept: finding them again costs less.
    var frozenWalk: RowWalk {
        guard !rows.isSet, let found = query.lookedUp(in: context.view) else {
            return frozenRows.walk()
        }
        return RowWalk(found, in: context.view, query.classID)
    }

    /// Adopts known rows, before any are needed.
    func adopt(_ known: EvaluatedRows) { _ = rows.storeIfNil(known) }

    /// The context of frozen results.
    var frozenContext: FrozenContext {
        // Unsafe: frozen results are made with frozen contexts only.
        unsafeDowncast(context, to: FrozenContext.self)
    }

    /// The first object of frozen results. A look-up needs no rows for that.
    var firstFrozen: ObjectBase? {
        // Unsafe: this retains its context. Another retain costs measurably in look-ups.
        Unmanaged.passUnretained(frozenContext)._withUnsafeGuaranteedRef { context in
            let isUnevaluated = query.isLookUp && !rows.isSet
            let found = isUnevaluated ? query.first(in: context.view) : frozenRows.first
            guard let row = found else { return nil }
            let key = row.key
            return model.makeAccessor(frozen: context, key, row)
        }
    }

    var schema: ModelQuerySchema {
        ModelQuerySchema(
            models: context.models, store: context.view.schema, reuse: context.keyReuse)
    }

    /// The plan with one more stage. The compiler checked the key paths; the remaining error is a
    /// property that is not persisted, which traps.
    func adding(
        _ make: (ModelQuerySchema) throws(RealmError) -> RowStage
    ) -> ResultsPlan {
        if context.isAbsent { return self }
        do {
            return try tryAdding(make)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// The plan with one more condition, which the compiler checked. A condition that is too large,
    /// or that searches a property without a full-text index, finds nothing, and methods of the
    /// results that can throw, throw the error.
    @usableFromInline func filtered(_ condition: consuming Query<Bool>) -> ResultsPlan {
        if context.isAbsent { return self }
        do {
            switch condition.node {
            case .comparison(let comparison): return try tryFiltered(comparison)
            case .comparisons(let comparisons): return try tryFiltered(comparisons)
            case let node: return try tryBinding(node.asCondition())
            }
        } catch RealmError.invalidQuery(let message, let position) {
            return refused(.invalidQuery(message: message, position: position))
        } catch RealmError.invalidKeyPath(let message) {
            return refused(.invalidKeyPath(message))
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Results without objects, with the error.
    private func refused(_ error: RealmError) -> ResultsPlan {
        let absent = AbsentClass(named: model.model.name, in: context.models, error)
        let empty: AccessContext
        if let live = context as? LiveContext {
            empty = LiveContext(without: absent, live)
        } else {
            empty = FrozenContext(frozenContext.handle, without: absent)
        }
        let query = ResultsQuery(all: absent.model.classID)
        return ResultsPlan(context: empty, model: absent.model, query: query)
    }

    /// The plan with one more condition.
    func tryFiltered(_ condition: QueryExpression) throws(RealmError) -> ResultsPlan {
        if let absence = context.absence { throw absence }
        if case .comparison(let path, let comparison, let value) = condition {
            return try tryFiltered(ValueComparison(path, comparison, value))
        }
        if let comparisons = condition.comparisons { return try tryFiltered(comparisons) }
        return try tryBinding(condition)
    }

    private func tryFiltered(
        _ comparison: consuming ValueComparison
    ) throws(RealmError) -> ResultsPlan {
        guard let column = IndexedEquality.column(of: comparison, model) else {
            return try tryFiltered(ComparisonList(comparison))
        }
        let equality = IndexedEquality(column, comparison)
        return replacing(query.adding(equality))
    }

    private func tryFiltered(
        _ comparisons: ComparisonList
    ) throws(RealmError) -> ResultsPlan {
        guard let equality = IndexedEquality(comparisons, model) else {
            return try tryBinding(comparisons.expression)
        }
        return replacing(query.adding(equality))
    }

    private func tryBinding(_ condition: QueryExpression) throws(RealmError) -> ResultsPlan {
        try tryAdding { schema throws(RealmError) in
            .filter(try schema.bind(condition, in: query.classID))
        }
    }

    func tryAdding(
        _ make: (ModelQuerySchema) throws(RealmError) -> RowStage
    ) throws(RealmError) -> ResultsPlan {
        if let absence = context.absence { throw absence }
        return replacing(query.adding(try make(schema)))
    }

    /// The plan with another query of the same source.
    private func replacing(_ query: ResultsQuery) -> ResultsPlan {
        ResultsPlan(context: context, model: model, query: query, owner: owner)
    }

    /// The path for a key path to one value.
    func path(_ names: [String]) -> ValuePath {
        if context.isAbsent { return ValuePath(steps: [], end: .rows) }
        do {
            return try schema.bindSingle(names, in: query.classID)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// The path for a key path to one value that has an order.
    func orderedPath(_ names: [String]) -> ValuePath {
        if context.isAbsent { return ValuePath(steps: [], end: .rows) }
        do {
            return try schema.bindOrdered(names, in: query.classID)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// An accessor that can be moved to other rows. Callers must not store it.
    package func makeReader(_ key: RowKey) -> ObjectBase {
        if let frozen = context as? FrozenContext {
            return model.makeAccessor(frozen: frozen, key)
        }
        return makeLive(key)
    }

    /// A live accessor. The context of live results is always a live one.
    func makeLive(_ key: RowKey) -> ObjectBase {
        guard let live = context as? LiveContext else {
            preconditionFailure("Internal inconsistency: live results of a frozen context.")
        }
        return model.makeAccessor(live: live, key)
    }
}

@available(*, unavailable)
extension ResultsPlan: Sendable {}

import Storage

/// The query whose results a stream delivers, at one moment after the other.
struct WatchedQuery<Model: ObjectBase>: Sendable {
    let model: ModelBinding
    let query: ResultsQuery
    private var owner: ResultsOwner?

    init(_ results: FrozenResults<Model>) {
        model = results._plan.model
        query = results.query
        owner = ResultsOwner(of: query, in: results.context)
    }

    /// The class of the object whose collection or inverse is read, if any, whose commits matter.
    var watched: Set<ClassID> { owner?.watched ?? [] }

    /// Whether the object whose collection is read was deleted, or its row belongs to another, at
    /// `moment`, which is not before those of earlier calls.
    mutating func isLost(at moment: Snapshot) -> Bool { owner?.isLost(at: moment) == true }

    /// The results, whose rows are known.
    func results(at moment: Snapshot, _ rows: KeyRope) -> FrozenResults<Model> {
        FrozenResults(context: moment.context, model: model, query: query, rows: rows)
    }

    /// The empty results of an owner that was lost.
    func emptyResults(at moment: Snapshot) -> FrozenResults<Model> {
        FrozenResults(context: moment.context, model: model, query: query.withoutRows)
    }
}

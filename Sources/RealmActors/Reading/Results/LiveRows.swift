import Storage

/// The rows of live results, evaluated again when the realm has changed.
final class LiveRows {
    let plan: ResultsPlan
    private var evaluated: (moment: LiveMoment, rows: EvaluatedRows)?

    init(_ plan: ResultsPlan) { self.plan = plan }

    var context: LiveContext {
        // Unsafe: live results are made of live contexts only.
        unsafeDowncast(plan.context, to: LiveContext.self)
    }

    /// Whether there are no rows any more: the realm was invalidated, or the object is gone whose
    /// collection, or whose inverse, they were. If the write that created it was rolled back,
    /// another object may have its row.
    var isOver: Bool { context.isInvalidated || plan.owner?._wasInvalidated == true }

    /// Adopts rows that were evaluated off the actor, unless the realm has changed since.
    func adopt(_ keys: [RowKey], at moment: LiveMoment) {
        guard !isOver, context.moment == moment else { return }
        evaluated = (moment, EvaluatedRows(plan.query, context.view, keys: keys))
    }

    var rows: EvaluatedRows {
        let context = context
        if isOver { return EvaluatedRows(plan.query.withoutRows, context.view) }
        let moment = context.moment
        if let evaluated, evaluated.moment == moment { return evaluated.rows }
        let rows = EvaluatedRows(plan.query, context.view)
        evaluated = (moment, rows)
        return rows
    }
}

extension QueryableResults {
    /// The query plan of these results, as text: the index that finds the objects (or why there is
    /// none), the filter, the order, the numbers of examined and matching objects, and an index
    /// that would help.
    ///
    ///     dogs.where { $0.age == 3 }.explain()
    ///     // query: Dog WHERE age == 3
    ///     // access: full scan (no usable index)
    ///     // filter: age == 3
    ///     // scanned 10000 of 10000 objects, matched 12
    ///     // hint: declare age as @Persisted(indexed: true) (age == 3 selects 12 of 10000 objects)
    ///
    /// It evaluates the query on each call. The text is for people, and changes between releases.
    public func explain() -> String {
        var explanation = QueryExplanation(
            _rows.query, _plan.context.view, QueryNames(schema: _plan.schema))
        return explanation.text()
    }
}

extension FrozenSectionedResults {
    /// The query plan, as ``QueryableResults/explain()`` describes it.
    public func explain() -> String {
        results.explain() + "\nsections: one pass over the matched objects"
    }
}

extension SectionedResults {
    /// The query plan, as ``QueryableResults/explain()`` describes it.
    public func explain() -> String {
        results.explain() + "\nsections: one pass over the matched objects"
    }
}

extension GroupedResults {
    /// The query plan, as ``QueryableResults/explain()`` describes it. It includes the order of the
    /// objects only where a limit or distinct values depend on it.
    public func explain() -> String {
        let plan = results._plan
        var explanation = QueryExplanation(
            results._rows.query.unordered, plan.context.view, QueryNames(schema: plan.schema))
        return explanation.text() + "\ngroups: one pass over the matched objects"
    }
}

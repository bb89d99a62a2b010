extension QueryableResults {
    /// What finding these objects takes, in words: how they are found (by which index, or why by
    /// none), what is checked of each, how their order comes about, how many objects were looked at
    /// and how many matched, and which index would help.
    ///
    ///     dogs.where { $0.age == 3 }.explain()
    ///     // query: Dog WHERE age == 3
    ///     // find: looks at every object, since no index serves
    ///     // check: age == 3
    ///     // scanned 10000 of 10000 objects, matched 12
    ///     // hint: age with @Persisted(indexed: true) would find the 12 of 10000 objects ...
    ///
    /// It evaluates the query each time. The words are for people, and change between releases.
    public func explain() -> String {
        var explanation = QueryExplanation(
            _rows.query, _plan.context.view, QueryNames(schema: _plan.schema))
        return explanation.text()
    }
}

extension FrozenSectionedResults {
    /// What finding the objects takes, as ``QueryableResults/explain()`` says it.
    public func explain() -> String {
        results.explain() + "\nsections: one pass over the matched objects"
    }
}

extension SectionedResults {
    /// What finding the objects takes, as ``QueryableResults/explain()`` says it.
    public func explain() -> String {
        results.explain() + "\nsections: one pass over the matched objects"
    }
}

extension GroupedResults {
    /// What finding the objects takes, as ``QueryableResults/explain()`` says it. Their order is
    /// not asked for, but by a limit or distinct values.
    public func explain() -> String {
        let plan = results._plan
        var explanation = QueryExplanation(
            results._rows.query.unordered, plan.context.view, QueryNames(schema: plan.schema))
        return explanation.text() + "\ngroups: one pass over the matched objects"
    }
}

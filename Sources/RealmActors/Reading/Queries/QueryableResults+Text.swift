extension QueryableResults {
    /// The objects that match a query string.
    ///
    ///     try dogs.filter("age > %@ AND name BEGINSWITH[c] %@", 3, "r")
    ///     try dogs.filter("age BETWEEN {2, 5} SORT(name ASC) LIMIT(10)")
    ///
    /// The language is the part of `NSPredicate` that Realm supports, with `SORT`, `DISTINCT` and
    /// `LIMIT`; Documentation/Queries.md describes it. Arguments replace `%@` in their order, or
    /// `$0`, `$1` by their number; `%K` takes the name of a property.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is;
    ///   the position counts Unicode scalars. O(length of the string).
    public func filter(_ query: String, _ arguments: Any?...) throws(RealmError) -> Self {
        Self(_plan: try _plan.filtered(query, QueryArguments(positional: arguments)))
    }

    /// The objects that match a query string, whose arguments have names.
    ///
    ///     try dogs.filter("age > $age AND name == $name", arguments: ["age": 3, "name": "Rex"])
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is.
    public func filter(
        _ query: String, arguments: [String: Any?]
    ) throws(RealmError) -> Self {
        Self(_plan: try _plan.filtered(query, QueryArguments(named: arguments)))
    }
}

extension ObjectCollection {
    /// The objects that match a query string, in the order of the collection.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is.
    public func filter(
        _ query: String, _ arguments: Any?...
    ) throws(RealmError) -> Results<Model> {
        let results = try liveResults()
        return Results(
            _plan: try results._plan.filtered(query, QueryArguments(positional: arguments)))
    }

    /// The objects that match a query string, whose arguments have names.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is.
    public func filter(
        _ query: String, arguments: [String: Any?]
    ) throws(RealmError) -> Results<Model> {
        try liveResults().filter(query, arguments: arguments)
    }
}

extension FrozenObjectCollection {
    /// The objects that match a query string, in the order of the collection.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is.
    public func filter(
        _ query: String, _ arguments: Any?...
    ) throws(RealmError) -> FrozenResults<Model> {
        let results = _results
        return FrozenResults(
            _plan: try results._plan.filtered(query, QueryArguments(positional: arguments)))
    }

    /// The objects that match a query string, whose arguments have names.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is.
    public func filter(
        _ query: String, arguments: [String: Any?]
    ) throws(RealmError) -> FrozenResults<Model> {
        try _results.filter(query, arguments: arguments)
    }
}

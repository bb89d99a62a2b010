extension QueryableResults {
    /// The objects that a query in text asks for.
    ///
    ///     try dogs.filter("age > %@ AND name BEGINSWITH[c] %@", 3, "r")
    ///     try dogs.filter("age BETWEEN {2, 5} SORT(name ASC) LIMIT(10)")
    ///
    /// It is the language of `NSPredicate` as far as Realm has it, with `SORT`, `DISTINCT` and
    /// `LIMIT`; Documentation/Queries.md has all of it. Arguments stand for `%@` in their order, or
    /// for `$0`, `$1`; `%K` takes the name of a property.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is;
    ///   the position counts Unicode scalars. O(length of the text).
    public func filter(_ query: String, _ arguments: Any?...) throws(RealmError) -> Self {
        Self(_plan: try _plan.filtered(query, QueryArguments(positional: arguments)))
    }

    /// The objects that a query in text asks for, whose arguments have names.
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
    /// The objects that a query in text asks for, in the order of the collection.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is.
    public func filter(
        _ query: String, _ arguments: Any?...
    ) throws(RealmError) -> Results<Model> {
        let results = try liveResults()
        return Results(
            _plan: try results._plan.filtered(query, QueryArguments(positional: arguments)))
    }

    /// The objects that a query in text asks for, whose arguments have names.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is.
    public func filter(
        _ query: String, arguments: [String: Any?]
    ) throws(RealmError) -> Results<Model> {
        try liveResults().filter(query, arguments: arguments)
    }
}

extension FrozenObjectCollection {
    /// The objects that a query in text asks for, in the order of the collection.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is.
    public func filter(
        _ query: String, _ arguments: Any?...
    ) throws(RealmError) -> FrozenResults<Model> {
        let results = _results
        return FrozenResults(
            _plan: try results._plan.filtered(query, QueryArguments(positional: arguments)))
    }

    /// The objects that a query in text asks for, whose arguments have names.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is.
    public func filter(
        _ query: String, arguments: [String: Any?]
    ) throws(RealmError) -> FrozenResults<Model> {
        try _results.filter(query, arguments: arguments)
    }
}

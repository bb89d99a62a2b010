import Storage

// Full-text searches, and the order that they give.

extension QueryableResults {
    /// The objects that have the words of a search, the most relevant first.
    ///
    ///     let found = try notes.search("swift actors -ios", in: \.title, \.text)
    ///     for note in found.limit(20) { ... }
    ///
    /// Each word has to be in one of the properties, a phrase as a whole in one, and what is
    /// excluded in none. It is a condition, that of ``Query/fullText(_:alsoIn:_:)``, and an order,
    /// that of ``sorted(byRelevanceTo:in:_:)``, and combines with other conditions and orders.
    ///
    /// - Parameters:
    ///   - search: what ``Query/fullText(_:)`` takes.
    ///   - property: a `String` or `String?` with a full-text index, of the objects or of one that
    ///     links lead to from each, as in `\.author?.name`.
    ///   - others: more of the same object.
    /// - Throws: ``RealmError/invalidQuery(message:position:)`` for a search without any word,
    ///   ``RealmError/invalidKeyPath(_:)`` for a property without the index, and for properties of
    ///   different objects.
    public func search<Text: QueryText, each Other: QueryText>(
        _ search: String, in property: KeyPath<Model, Text>,
        _ others: repeat KeyPath<Model, each Other>
    ) throws(RealmError) -> Self {
        var names = [Tracer.names(of: property)]
        repeat names.append(Tracer.names(of: each others))
        return Self(_plan: try _plan.searched(search, in: names))
    }

    /// The objects that have the words of a search, in properties with these names, the most
    /// relevant first.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)`` for a search without any word,
    ///   ``RealmError/invalidKeyPath(_:)`` for a property without the index, and for properties of
    ///   different objects.
    public func search(_ search: String, in names: [String]) throws(RealmError) -> Self {
        Self(_plan: try _plan.searched(search, in: names.map { SortDescriptor(keyPath: $0).steps }))
    }

    /// The objects ordered by how well their strings match a search (BM25): the best first. The
    /// sort is stable: objects with the same score, as all those without any of the words, keep
    /// their order.
    ///
    ///     let either = notes.where { $0.text.fullText("swift") || $0.text.fullText("rust") }
    ///     let best = try either.sorted(byRelevanceTo: "swift rust", in: \.text).limit(10)
    ///
    /// Words that are rare among all objects of the class have the greatest weight; each further
    /// occurrence adds less, and less in long strings than in short ones. Excluded words have no
    /// weight. The order is that of one version: every string of the class contributes to it, so
    /// that a stream recomputes it when one is written, and pages of different versions fit
    /// together only as ``page(after:limit:)`` describes.
    ///
    /// For strings across links, as in `\.author?.name`, the class is the one that has them. An
    /// object whose link is nil counts as one without any of the words.
    ///
    /// The strings of all objects that are ordered are read, also for the first few.
    ///
    /// - Parameters:
    ///   - search: what ``Query/fullText(_:)`` takes.
    ///   - property: a `String` or `String?` with a full-text index, of the objects or of one that
    ///     links lead to from each.
    ///   - others: more of the same object.
    /// - Throws: ``RealmError/invalidQuery(message:position:)`` for a search without any word,
    ///   ``RealmError/invalidKeyPath(_:)`` for a property without the index, and for properties of
    ///   different objects.
    public func sorted<Text: QueryText, each Other: QueryText>(
        byRelevanceTo search: String, in property: KeyPath<Model, Text>,
        _ others: repeat KeyPath<Model, each Other>
    ) throws(RealmError) -> Self {
        var names = [Tracer.names(of: property)]
        repeat names.append(Tracer.names(of: each others))
        return Self(_plan: try _plan.ranked(by: search, in: names))
    }

    /// The same for properties with these names.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)`` for a search without any word,
    ///   ``RealmError/invalidKeyPath(_:)`` for a property without the index, and for properties of
    ///   different objects.
    public func sorted(
        byRelevanceTo search: String, in names: [String]
    ) throws(RealmError) -> Self {
        let names = names.map { SortDescriptor(keyPath: $0).steps }
        return Self(_plan: try _plan.ranked(by: search, in: names))
    }
}

extension ObjectCollection {
    /// The objects that have the words of a search, the most relevant first, as
    /// ``QueryableResults/search(_:in:_:)`` finds them.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, ``RealmError/invalidKeyPath(_:)``.
    public func search<Text: QueryText, each Other: QueryText>(
        _ search: String, in property: KeyPath<Model, Text>,
        _ others: repeat KeyPath<Model, each Other>
    ) throws(RealmError) -> Results<Model> {
        try liveResults().search(search, in: property, repeat each others)
    }
}

extension FrozenObjectCollection {
    /// The objects that have the words of a search, the most relevant first, as
    /// ``QueryableResults/search(_:in:_:)`` finds them.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, ``RealmError/invalidKeyPath(_:)``.
    public func search<Text: QueryText, each Other: QueryText>(
        _ search: String, in property: KeyPath<Model, Text>,
        _ others: repeat KeyPath<Model, each Other>
    ) throws(RealmError) -> FrozenResults<Model> {
        try _results.search(search, in: property, repeat each others)
    }
}

extension ResultsPlan {
    fileprivate func searched(
        _ search: String, in names: [[String]]
    ) throws(RealmError) -> ResultsPlan {
        let ranked = try ranked(by: search, in: names)
        return try ranked.tryFiltered(.search(search, in: names.map { QueryPath(steps: $0) }))
    }

    fileprivate func ranked(
        by search: String, in names: [[String]]
    ) throws(RealmError) -> ResultsPlan {
        let classID = query.classID
        return try tryAdding { schema throws(RealmError) in
            .rank(try schema.relevance(to: search, in: names, of: classID))
        }
    }
}

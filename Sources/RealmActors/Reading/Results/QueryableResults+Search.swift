import Storage

// Full-text searches, and the order by relevance.

extension QueryableResults {
    /// The objects that contain the words of a search, the most relevant first.
    ///
    ///     let found = try notes.search("swift actors -ios", in: \.title, \.text)
    ///     for note in found.limit(20) { ... }
    ///
    /// Each word or phrase must be in one of the properties, and excluded words in none. The search
    /// is the condition of ``Query/fullText(_:alsoIn:_:)`` with the order of
    /// ``sorted(byRelevanceTo:in:_:)``, and combines with other conditions and orders.
    ///
    /// - Parameters:
    ///   - search: a search in the syntax of ``Query/fullText(_:)``.
    ///   - property: a `String` or `String?` with a full-text index, of the objects or of linked
    ///     objects, as in `\.author?.name`.
    ///   - others: further properties of the same object.
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

    /// The objects that contain the words of a search in properties with these names, the most
    /// relevant first.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)`` for a search without any word,
    ///   ``RealmError/invalidKeyPath(_:)`` for a property without the index, and for properties of
    ///   different objects.
    public func search(_ search: String, in names: [String]) throws(RealmError) -> Self {
        Self(_plan: try _plan.searched(search, in: names.map { SortDescriptor(keyPath: $0).steps }))
    }

    /// The objects ordered by how well their strings match a search (BM25): the best first. The
    /// sort is stable: objects with the same score keep their order, in particular all those
    /// without any of the words.
    ///
    ///     let either = notes.where { $0.text.fullText("swift") || $0.text.fullText("rust") }
    ///     let best = try either.sorted(byRelevanceTo: "swift rust", in: \.text).limit(10)
    ///
    /// Words that are rare among all objects of the class have the greatest weight; each further
    /// occurrence adds less, and less in long strings than in short ones. Excluded words have no
    /// weight. The order depends on all strings of the class in one version: a stream recomputes it
    /// when one of them is written, and for pages of different versions see ``page(after:limit:)``.
    ///
    /// For strings across links, as in `\.author?.name`, the class is that of the linked objects.
    /// An object whose link is nil counts as one without any of the words.
    ///
    /// The strings of all objects are read, even if only the first few objects are needed.
    ///
    /// - Parameters:
    ///   - search: a search in the syntax of ``Query/fullText(_:)``.
    ///   - property: a `String` or `String?` with a full-text index, of the objects or of linked
    ///     objects.
    ///   - others: further properties of the same object.
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
    /// The objects that contain the words of a search, the most relevant first, as
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
    /// The objects that contain the words of a search, the most relevant first, as
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

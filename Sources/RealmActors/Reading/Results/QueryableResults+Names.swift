import Storage

// Members of Realm's API that take names and query strings.

extension QueryableResults {
    /// The position of the first object for which a query string holds; nil if there is none.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)``, which shows where the mistake is;
    ///   why the store could not be read.
    public func index(
        matching query: String, _ arguments: Any?...
    ) throws(RealmError) -> Int? {
        try position(matching: query, arguments) { found in
            guard let row = found._rows.first else { return nil }
            return _rows.position(of: row.key)
        }
    }

    /// The position of the first object for which a query string holds, found in the collection by
    /// `locate`.
    ///
    /// - Throws: as ``index(matching:_:)``.
    func position(
        matching query: String, _ arguments: [Any?], _ locate: (Self) -> Int?
    ) throws(RealmError) -> Int? {
        let found = Self(_plan: try _plan.filtered(query, QueryArguments(positional: arguments)))
        let position = locate(found)
        // After `locate`, which reads as well.
        try _plan.context.requireReadable()
        return position
    }

    /// The first object, in the present order, for each combination of values of the properties
    /// with these names, which may lead across to-one links: `"owner.name"`. All objects, if there
    /// is no name.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that the class does not have, and for
    ///   a property that is not a single value.
    public func distinct(by names: some Sequence<String>) throws(RealmError) -> Self {
        let paths = names.map { SortDescriptor(keyPath: $0).steps }
        if paths.isEmpty { return self }
        let classID = _plan.query.classID
        return Self(
            _plan: try _plan.tryAdding { schema throws(RealmError) in
                var bound: [ValuePath] = []
                for path in paths { bound.append(try schema.bindSingle(path, in: classID)) }
                return .distinct(bound)
            })
    }
}

extension Results {
    /// The realm of the objects; nil once it was invalidated.
    public var realm: Realm? { isInvalidated ? nil : context.realm }

    /// The property with this name of every object, links and collections unchanged; the objects
    /// themselves for `"self"`. ``QueryableResults/values(of:)`` is faster.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` when no persisted property has the name; the
    ///   error when a node could not be read.
    public func value(forKey name: String) throws(RealmError) -> [Any?] {
        var values: [Any?] = []
        for object in self { values.append(try object.value(forKey: name)) }
        try context.requireReadable()
        return values
    }

    /// Sets the property with this name of every object that matches now, even if the objects no
    /// longer match after that.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidValue(_:)``.
    public func setValue(_ value: Any?, forKey name: String) throws(RealmError) {
        for object in self { try object.setValue(value, forName: name) }
    }
}

extension ObjectCollection {
    /// The first object for each combination of values of the properties with these names.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidObject(_:)`` when the
    ///   collection is not live.
    public func distinct(by names: some Sequence<String>) throws(RealmError) -> Results<Model> {
        try liveResults().distinct(by: names)
    }
}

extension FrozenObjectCollection {
    /// The first object for each combination of values of the properties with these names.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func distinct(
        by names: some Sequence<String>
    ) throws(RealmError) -> FrozenResults<Model> { try _results.distinct(by: names) }
}

extension List where Element: ObjectBase {
    /// The position of the first object for which a query string holds; nil if there is none. The
    /// list must be live.
    ///
    /// - Throws: as ``QueryableResults/index(matching:_:)``.
    public func index(
        matching query: String, _ arguments: Any?...
    ) throws(RealmError) -> Int? {
        try liveResults().position(matching: query, arguments) { found in
            found.first.flatMap { index(of: $0) }
        }
    }
}

extension MutableSet where Element: Object {
    /// The position of the first object, in the order of their creation, for which the condition
    /// holds; nil if there is none. The set must be live.
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        `where`(isIncluded).first.flatMap { index(of: $0) }
    }

    /// The same for a query string.
    ///
    /// - Throws: as ``QueryableResults/index(matching:_:)``.
    public func index(
        matching query: String, _ arguments: Any?...
    ) throws(RealmError) -> Int? {
        try liveResults().position(matching: query, arguments) { found in
            found.first.flatMap { index(of: $0) }
        }
    }
}

extension LinkingObjects {
    /// The position of the first object for which the condition holds; nil if there is none. The
    /// object that is linked to must be live.
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        `where`(isIncluded).first.flatMap { index(of: $0) }
    }

    /// The same for a query string.
    ///
    /// - Throws: as ``QueryableResults/index(matching:_:)``.
    public func index(
        matching query: String, _ arguments: Any?...
    ) throws(RealmError) -> Int? {
        try liveResults().position(matching: query, arguments) { found in
            found.first.flatMap { index(of: $0) }
        }
    }
}

extension FrozenList {
    /// The position of the first object for which the condition holds; nil if there is none.
    public func index<Model: ObjectBase>(
        matching isIncluded: (Query<Model>) -> Query<Bool>
    ) -> Int? where Element == Frozen<Model> {
        `where`(isIncluded).first.flatMap { index(of: $0) }
    }

    /// The same for a query string.
    ///
    /// - Throws: as ``QueryableResults/index(matching:_:)``.
    public func index<Model: ObjectBase>(
        matching query: String, _ arguments: Any?...
    ) throws(RealmError) -> Int? where Element == Frozen<Model> {
        try _results.position(matching: query, arguments) { found in
            found.first.flatMap { index(of: $0) }
        }
    }
}

import Storage

/// An object of a class that is known by its name only: its properties are read and set by name.
///
///     for dog in try snapshot.dynamicObjects("Dog") { show(try dog["name"], try dog["age"]) }
///     try live.dynamicCreate("Dog", value: ["name": "Rex"])["age"] = 3
///
/// A class that the realm was opened with has the names of its Swift properties, any other one
/// those of its columns. Links lead to dynamic objects. It is live or frozen as other objects are,
/// and observed, sorted and deleted as they are; an unmanaged one has no properties.
@dynamicMemberLookup
public final class DynamicObject: Object {
    /// The name of the class.
    public var className: String { _discovered.name }

    /// The property with this name, as ``ModelObject/subscript(_:)`` gives it: `dog.name`.
    public subscript(dynamicMember name: String) -> Any? {
        get { self[name] }
        set { self[name] = newValue }
    }

    /// The list of links with this name.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that is no such list.
    public func dynamicList(_ name: String) throws(RealmError) -> List<DynamicObject> {
        try collection(name)
    }

    /// The set of links with this name.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that is no such set.
    public func dynamicMutableSet(_ name: String) throws(RealmError) -> MutableSet<DynamicObject> {
        try collection(name)
    }

    /// The map of links with this name.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that is no such map.
    public func dynamicMap(
        _ name: String
    ) throws(RealmError) -> Map<String, DynamicObject?> { try collection(name) }

    private func collection<Wanted>(_ name: String) throws(RealmError) -> Wanted {
        if let found = try value(forName: name) as? Wanted { return found }
        throw .invalidKeyPath("'\(className).\(name)' is no \(Wanted.self).")
    }
}

extension Snapshot {
    /// All objects of the class with this name, in the order of their creation. It may be one that
    /// the realm was not opened with.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the store has no such class.
    public func dynamicObjects(
        _ className: String
    ) throws(RealmError) -> FrozenResults<DynamicObject> {
        FrozenResults(context: context, model: try models.dynamicBinding(named: className))
    }

    /// The object of the class with this name that has a primary key; nil when there is none.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the store has no such class,
    ///   ``RealmError/noPrimaryKey(className:)`` when the class has no primary key.
    public func dynamicObject(
        ofType className: String, forPrimaryKey key: some PersistedValue
    ) throws(RealmError) -> Frozen<DynamicObject>? {
        let model = try models.dynamicBinding(named: className)
        guard let column = model.primaryKeyIndex else { throw .noPrimaryKey(className: className) }
        guard
            let row = view.classRoot(model.classID).first(column, equalTo: key._storable.value)
        else { return nil }
        return context.frozen(DynamicObject.self, model, row.key)
    }
}

extension Realm {
    /// All objects of the class with this name in the newest version.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the store has no such class.
    public func dynamicObjects(
        _ className: String
    ) throws(RealmError) -> FrozenResults<DynamicObject> {
        try snapshot().dynamicObjects(className)
    }

    /// The object of the class with this name that has a primary key, in the newest version.
    ///
    /// - Throws: as ``Snapshot/dynamicObject(ofType:forPrimaryKey:)``.
    public func dynamicObject(
        ofType className: String, forPrimaryKey key: some PersistedValue
    ) throws(RealmError) -> Frozen<DynamicObject>? {
        try snapshot().dynamicObject(ofType: className, forPrimaryKey: key)
    }
}

extension ObjectWriting {
    /// All objects of the class with this name, live.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the store has no such class.
    public func dynamicObjects(_ className: String) throws(RealmError) -> Results<DynamicObject> {
        Results(
            context: liveContext, model: try liveContext.models.dynamicBinding(named: className))
    }

    /// The object of the class with this name that has a primary key; nil when there is none.
    ///
    /// - Throws: as ``Snapshot/dynamicObject(ofType:forPrimaryKey:)``.
    public func dynamicObject(
        ofType className: String, forPrimaryKey key: some PersistedValue
    ) throws(RealmError) -> DynamicObject? {
        let model = try liveContext.models.dynamicBinding(named: className)
        guard model.primaryKey != nil else { throw .noPrimaryKey(className: className) }
        let row = liveContext.find(model, key._storable.value)
        return row.flatMap { liveContext.live(DynamicObject.self, model, $0) }
    }

    /// Creates an object of the class with this name, or updates the one that has its primary key.
    ///
    /// - Parameter value: a dictionary by property name, an array in the order of the properties,
    ///   or an object; absent properties have the default of the Swift class if there is one, else
    ///   the zero of their type.
    /// - Throws: as ``create(_:value:update:)``; ``RealmError/invalidObject(_:)`` when the store
    ///   has no such class, or an embedded one, whose objects are created in their parent only.
    @discardableResult
    public func dynamicCreate(
        _ className: String, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) throws(RealmError) -> DynamicObject {
        let graph = try liveContext.writableGraph()
        let model = try liveContext.models.dynamicBinding(named: className)
        if model.isEmbedded {
            throw .invalidObject(
                "'\(className)' is embedded: its objects cannot be created directly. "
                    + "Assign the values to a property of the parent.")
        }
        if update != .error, model.primaryKey == nil { throw .noPrimaryKey(className: className) }
        return try graph.createDynamic(model, value, .managed(graph, update), update)
    }

    /// Deletes every object of the class with this name.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the store has no such class.
    public func deleteAll(ofType className: String) throws(RealmError) {
        let graph = try liveContext.writableGraph()
        graph.deleteAll(try liveContext.models.dynamicBinding(named: className).classID)
    }
}

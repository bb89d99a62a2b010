import Storage

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
    /// - Parameters:
    ///   - className: the name of the class in the store.
    ///   - value: a dictionary by property name, an array in the order of the properties, or an
    ///     object; absent properties have the default of the Swift class if there is one, else the
    ///     zero of their type.
    ///   - update: what happens to an object that has the same primary key.
    /// - Throws: as ``create(_:value:update:)``; ``RealmError/invalidObject(_:)`` when the store
    ///   has no such class, or an embedded one, whose objects are created in their parent only.
    @discardableResult
    public func dynamicCreate(
        _ className: String, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) throws(RealmError) -> DynamicObject {
        let (graph, model) = try dynamicCreation(className, update)
        return try graph.createDynamic(model, value, .managed(graph, update), update)
    }

    /// The binding and the graph for creating objects of the class with this name, if it allows
    /// that.
    func dynamicCreation(
        _ className: String, _ update: UpdatePolicy
    ) throws(RealmError) -> (ObjectGraph, ModelBinding) {
        let graph = try liveContext.writableGraph()
        let model = try liveContext.models.dynamicBinding(named: className)
        if model.isEmbedded {
            throw .invalidObject(
                "'\(className)' is embedded: its objects cannot be created directly. "
                    + "Assign the values to a property of the parent.")
        }
        if update != .error, model.primaryKey == nil { throw .noPrimaryKey(className: className) }
        return (graph, model)
    }

    /// Deletes every object of the class with this name.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the store has no such class.
    public func deleteAll(ofType className: String) throws(RealmError) {
        let graph = try liveContext.writableGraph()
        graph.deleteAll(try liveContext.models.dynamicBinding(named: className).classID)
    }
}

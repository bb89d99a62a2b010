import Storage

/// Reads and changes objects, in a transaction or a live realm. The library conforms its types; do
/// not declare other conformances.
public protocol ObjectWriting {
    /// The context of the objects. Opaque outside the library.
    var _context: WritingContext { get }
}

/// The context of the objects of a transaction or a live realm. Opaque outside the library.
@_documentation(visibility: internal)
public struct WritingContext {
    package let context: LiveContext
}

@available(*, unavailable)
extension WritingContext: Sendable {}

extension ObjectWriting {
    package var liveContext: LiveContext { _context.context }

    /// Adds an unmanaged object, with everything it links to. It becomes live.
    ///
    /// - Throws: ``RealmError/duplicatePrimaryKey(className:key:)`` unless `update` says what to do
    ///   with an object that has its primary key; ``RealmError/invalidObject(_:)`` for an object
    ///   that belongs to another realm; ``RealmError/noPrimaryKey(className:)`` when `update` asks
    ///   for one that the class does not have; ``RealmError/notInWriteTransaction`` outside a
    ///   write, and ``RealmError/closed`` in a transaction that has ended. A failed call deletes
    ///   the objects that it added, so that a write which continues has none of them; its changes
    ///   to existing objects stay.
    public func add<Model: Object>(
        _ object: Model, update: UpdatePolicy = .error
    ) throws(RealmError) {
        try liveContext.writableGraph().add(object, update: update)
    }

    /// Adds objects, as ``add(_:update:)-(Model,_)`` does each.
    ///
    /// - Throws: as that does. The objects before the one that failed stay added; those after it
    ///   are not visited.
    public func add<Objects: Sequence>(
        _ objects: Objects, update: UpdatePolicy = .error
    ) throws(RealmError) where Objects.Element: Object {
        let graph = try liveContext.writableGraph()
        for object in objects { try graph.add(object, update: update) }
    }

    /// Creates an object from `value`, or updates the one that has its primary key.
    ///
    /// - Parameters:
    ///   - type: the class of the object.
    ///   - value: a dictionary, an array in the order of the properties, or an object.
    ///   - update: what happens to an object that has the same primary key.
    /// - Throws: as ``add(_:update:)-(Model,_)``, and ``RealmError/invalidValue(_:)``, which names
    ///   the property.
    @discardableResult
    public func create<Model: Object>(
        _ type: Model.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) throws(RealmError) -> Model {
        try liveContext.writableGraph().create(type, value: value, update: update)
    }

    /// Deletes an object: links to it become nil, lists and sets no longer contain it.
    ///
    /// - Throws: ``RealmError/invalidated(className:key:)`` when it was deleted already,
    ///   ``RealmError/invalidObject(_:)`` when it is not of this realm,
    ///   ``RealmError/notInWriteTransaction`` outside a write, ``RealmError/closed`` in a
    ///   transaction that has ended.
    public func delete(_ object: ObjectBase) throws(RealmError) {
        try liveContext.writableGraph().delete(CollectionOfOne(object))
    }

    /// Deletes objects, as ``delete(_:)-(ObjectBase)`` does one.
    ///
    /// - Throws: as that does, for one of them; none is deleted then.
    public func delete<Objects: Sequence>(
        _ objects: Objects
    ) throws(RealmError) where Objects.Element: ObjectBase {
        try liveContext.writableGraph().delete(objects.map { $0 as ObjectBase })
    }

    /// Deletes the objects that are values of a map, and its entries.
    ///
    /// - Throws: as ``delete(_:)-(ObjectBase)`` does, for one of them; none is deleted then.
    public func delete<Model: ObjectBase>(_ map: Map<String, Model?>) throws(RealmError) {
        try liveContext.writableGraph().delete(map._objects.map { $0 as ObjectBase })
        // The owner of the map may have been one of the deleted objects.
        if !map.isInvalidated { map.removeAll() }
    }

    /// Deletes every object of the results, without making accessors. O(objects).
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` for results of another realm or transaction,
    ///   ``RealmError/notInWriteTransaction`` outside a write, ``RealmError/closed`` in a
    ///   transaction that has ended.
    public func delete<Model: Object>(_ results: Results<Model>) throws(RealmError) {
        let graph = try liveContext.writableGraph()
        guard results.context === liveContext else {
            throw .invalidObject("Cannot delete results of another realm or transaction.")
        }
        graph.delete(results.query.classID, results.rowKeys)
    }

    /// Deletes the object of a frozen one, whatever its present values. Has no effect when it was
    /// deleted since.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when it is one of another realm.
    public func delete<Model: ObjectBase>(_ object: Frozen<Model>) throws(RealmError) {
        try liveContext.writableGraph().delete(frozen: [object.object])
    }

    /// Deletes the objects of frozen ones, whatever their present values. Objects that were deleted
    /// since are ignored. For frozen results, deletes the objects that matched in their version.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when one is of another realm; none is deleted
    ///   then.
    public func delete<Objects: Sequence, Model: ObjectBase>(
        _ objects: Objects
    ) throws(RealmError) where Objects.Element == Frozen<Model> {
        try liveContext.writableGraph().delete(frozen: objects.map { $0.object })
    }

    /// Deletes every object of a class. O(objects).
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the realm was opened without the class,
    ///   ``RealmError/notInWriteTransaction`` outside a write, ``RealmError/closed`` in a
    ///   transaction that has ended.
    public func deleteAll<Model: Object>(_ type: Model.Type) throws(RealmError) {
        let graph = try liveContext.writableGraph()
        graph.deleteAll(try liveContext.models.required(type).classID)
    }

    /// Deletes every object of every class that the realm was opened with. O(objects).
    ///
    /// - Throws: ``RealmError/notInWriteTransaction`` outside a write, ``RealmError/closed`` in a
    ///   transaction that has ended.
    public func deleteAll() throws(RealmError) {
        let graph = try liveContext.writableGraph()
        for model in liveContext.models.bindings where !(model.type is EmbeddedObject.Type) {
            graph.deleteAll(model.classID)
        }
    }

    /// All objects of a class, live: they follow every change, also those of the running write.
    ///
    /// For a class that is not among the realm's `objectTypes` the results are empty;
    /// `evaluated()`, query strings and change streams of them throw.
    public func objects<Model: Object>(_ type: Model.Type) -> Results<Model> {
        let context = liveContext
        guard let model = context.models.binding(for: type) else {
            let absent = AbsentClass(type, in: context.models)
            return Results(context: LiveContext(without: absent, context), model: absent.model)
        }
        return Results(context: context, model: model)
    }

    /// The object with a primary key; nil when there is none. O(log n).
    public func object<Model: Object>(
        _ type: Model.Type, forPrimaryKey key: some PersistedValue
    ) -> Model? {
        guard let model = liveContext.models.binding(for: type) else { return nil }
        return liveContext.find(model, key._storable.value)
            .flatMap { liveContext.live(type, model, $0) }
    }
}

extension LiveContext {
    /// The graph that adds and deletes objects; throws outside a write.
    func writableGraph() throws(RealmError) -> ObjectGraph {
        if isInvalidated { throw .closed }
        guard isWritable else { throw .notInWriteTransaction }
        return graph
    }

    /// The row with a primary key; nil when there is none.
    func find(_ model: ModelBinding, _ key: StoredValue) -> RowKey? {
        tree.map { $0.find(model.classID, primaryKey: key) }
            ?? view.classView(model.classID).find(key)
    }

    /// The live object of a row; nil when the row does not exist.
    func live<Model: ObjectBase>(
        _ type: Model.Type, _ model: ModelBinding, _ key: RowKey
    ) -> Model? {
        let object = model.makeAccessor(live: self, key)
        // Unsafe: callers give the binding of `type`, whose accessors are instances of it.
        return object._relocate(self) ? unsafeDowncast(object, to: type) : nil
    }

    /// The live object of a reference; nil when it does not exist.
    func live<Model: ObjectBase>(_ reference: ObjectReference<Model>) -> Model? {
        guard let model = models.binding(of: reference), !hasReused(keyOf: reference) else {
            return nil
        }
        return live(Model.self, model, reference.key)
    }
}

extension WriteTransaction {
    /// The object of a reference, in this transaction; nil when it was deleted.
    public func resolve<Model: ObjectBase>(_ reference: ObjectReference<Model>) -> Model? {
        context.live(reference)
    }

    /// The live object of a frozen one, in this transaction; nil when it was deleted.
    public func resolve<Model: ObjectBase>(_ frozen: Frozen<Model>) -> Model? {
        context.live(frozen.reference)
    }
}

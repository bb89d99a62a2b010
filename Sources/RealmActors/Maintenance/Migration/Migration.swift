import Storage

/// An object during a migration, whose properties are read and set by name.
public typealias MigrationObject = DynamicObject

/// Changes the objects of a store when its schema changes: the argument of a migration block or
/// step. Confined to the block, as are its objects.
///
///     configuration.schemaVersion = 2
///     configuration.migration = { migration, oldVersion in
///         if oldVersion < 1 {
///             try migration.renameProperty(onType: "Dog", from: "title", to: "name")
///         }
///         try migration.enumerateObjects(ofType: "Dog") { old, new in
///             new?["age"] = Int(old?["age"] as? String ?? "") ?? 0
///         }
///     }
///
/// The whole migration is one transaction, which runs before the realm is opened. When anything in
/// it throws, the store stays as it was.
public final class Migration {
    /// The schema version of the store until now; 0 when it had none.
    public let oldVersion: UInt64
    /// The schema version after the migration.
    public let newVersion: UInt64

    private let engine: TransactionEngine
    private let store: RealmStore
    private let modelSchema: StoreSchema
    private var change: SchemaChange
    /// The old version, with the names of the store.
    private let old: FrozenContext
    /// The first wrong use of an old object.
    private let errors = MigrationErrors()
    /// The context of the new objects; nil until the columns that they need were added.
    private var context: LiveContext?
    /// The renames so far.
    private var renames = MigrationRenames()

    private var tree: WorkingTree { engine.tree }

    init(
        _ store: RealmStore, _ engine: TransactionEngine, _ change: SchemaChange,
        modelSchema: StoreSchema
    ) {
        self.store = store
        self.engine = engine
        self.change = change
        self.modelSchema = modelSchema
        let before = store.snapshot(label: "the old version of a migration")
        old = FrozenContext(before.context.handle, errors: errors)
        oldVersion = change.plan.stored.version ?? 0
        newVersion = modelSchema.version ?? 0
    }

    /// The classes of the store, with the names of their columns.
    public var oldSchema: Schema { Schema(change.plan.stored) }

    /// The classes that the realm is opened with.
    public var newSchema: Schema { Schema(change.models.map { ObjectSchema($0) }) }

    // MARK: Objects

    /// Calls `body` with the old and the new state of every object that a class had before the
    /// migration, in the order of creation.
    ///
    /// The old object has the properties of the store, by the names of their columns; it is
    /// read-only and never nil. The new object has the properties of the Swift class; nil if the
    /// realm is not opened with the class. Objects that the migration has deleted or created are
    /// not visited. Memory stays bounded for any number of objects, as long as `body` does not keep
    /// them.
    ///
    /// - Throws: the error of `body`, which the migration must rethrow; `CancellationError` when
    ///   the task that opens the realm is cancelled; ``RealmError/invalidObject(_:)`` when neither
    ///   the store nor the realm has such a class; ``RealmError/invalidKeyPath(_:)`` when `body`
    ///   uses a subscript with a name that is not a property of the object,
    ///   ``RealmError/invalidObject(_:)`` when it sets a property of an old object;
    ///   ``RealmError/outOfSpace`` when the disk has no space for the changes so far.
    /// - Complexity: linear in the objects of the class.
    public func enumerateObjects(
        ofType className: String,
        _ body: (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) throws -> Void
    ) throws {
        let context = try writableContext()
        guard let id = change.plan.stored.classID(named: className) else {
            if modelSchema.classID(named: className) != nil { return }
            throw RealmError.invalidObject(
                "Neither the store nor the realm's objectTypes have a class '\(className)'.")
        }
        let oldModel = old.models.dynamicBinding(id)
        let newModel = context.models.binding(id).map { _ in context.models.dynamicBinding(id) }
        let view = old.view.classView(id)
        let total = view.count
        var completed = 0
        var clusters = view.makeClusterIterator()
        while let cluster = clusters.next() {
            try change.monitor.check()
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                let key = cluster.key(slot)
                completed += 1
                let after = newModel.flatMap {
                    context.live(DynamicObject.self, $0, key)
                }
                // The object was deleted in this migration.
                if newModel != nil, after == nil { continue }
                let before = oldModel.makeAccessor(frozen: old, key)
                before._point(at: cluster, slot, isTransient: clusters.isTransient)
                try body(before as? MigrationObject, after)
                try throwRefusal(context)
            }
            change.monitor.report(className, completed, of: total)
            tree.spillIfDue()
            try tree.requireCommittable()
        }
    }

    /// The same as ``enumerateObjects(ofType:_:)``, and throws what that throws.
    public func enumerate(
        _ className: String,
        _ body: (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) throws -> Void
    ) throws { try enumerateObjects(ofType: className, body) }

    /// Creates an object of a class that the realm is opened with.
    ///
    /// - Parameters:
    ///   - className: the name of the class.
    ///   - value: a dictionary by property name, an array in the order of the properties, or an
    ///     object; absent properties have the defaults of the class.
    /// - Throws: ``RealmError/invalidObject(_:)`` when there is no such class, or it is embedded;
    ///   ``RealmError/invalidValue(_:)``, which names the property.
    @discardableResult
    public func create(
        _ className: String, value: Any = [String: Any]()
    ) throws -> MigrationObject {
        let context = try writableContext()
        guard modelSchema.classID(named: className) != nil else {
            throw RealmError.invalidObject(
                "Cannot create a '\(className)': the realm's objectTypes have no such class.")
        }
        let model = try context.models.dynamicBinding(named: className)
        if model.isEmbedded {
            throw RealmError.invalidObject(
                "'\(className)' is embedded: its objects cannot be created directly. "
                    + "Assign the values to a property of the parent.")
        }
        let graph = context.graph
        return try graph.createDynamic(model, value, .managed(graph, .error), .error)
    }

    /// Deletes a new object: links to it become nil, lists and sets no longer contain it.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` for an old object, or one that was deleted.
    public func delete(_ object: MigrationObject) throws {
        try writableContext().graph.delete(CollectionOfOne<ObjectBase>(object))
    }

    /// Deletes every object of a class, including those that this migration has created. A class
    /// that the realm is not opened with is removed, with the properties of other such classes that
    /// link to it; without this call it keeps its data.
    ///
    /// - Returns: false when neither the store nor the realm has such a class.
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` when an earlier rename is not possible;
    ///   `CancellationError` when the task that opens the realm is cancelled.
    /// - Complexity: linear in the objects of the class.
    @discardableResult
    public func deleteData(forType className: String) throws -> Bool {
        _ = try writableContext()
        // A class that this migration adds may have objects now.
        guard let id = change.plan.target.classID(named: className) else { return false }
        var keys: [RowKey] = []
        tree.forEachCluster(id) { keys += $0 }
        tree.delete(id, keys)
        if modelSchema.classID(named: className) == nil { change.plan.remove(id) }
        return true
    }

    // MARK: Properties

    /// Keeps the values of a property under a new name. O(1) if it is called before all other
    /// methods of the migration; otherwise the values are copied.
    ///
    /// All renames of a migration form one mapping: two properties may swap their names, in any
    /// order of the calls, and a new property may have the name of a renamed one; it begins with
    /// its default. Renames may also form a chain: from `a` to `b` and, if the store has no `b`,
    /// from `b` to `c`.
    ///
    /// - Parameters:
    ///   - className: the name of the class.
    ///   - oldName: the name of the column in the store, or the new name of an earlier rename.
    ///   - newName: the name of the property in Swift.
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` when one of the properties is missing, or the
    ///   types differ, except that the new one may be optional. Before anything is written, the
    ///   migration throws it when the store has a property of the new name that is not renamed
    ///   itself, since its values would be lost, or when two properties get one name.
    public func renameProperty(
        onType className: String, from oldName: String, to newName: String
    ) throws(RealmError) {
        let place = "'\(className).\(oldName)'"
        guard let id = change.plan.stored.classID(named: className) else {
            throw .invalidKeyPath("Cannot rename \(place): the store has no such class.")
        }
        let stored = change.plan.stored[id]
        let property = change.models.first { $0.name == className }?[newName]
        // On a copy, so that a refused rename has no effect if the program catches the error.
        var known = renames
        try known.add(
            className, stored, from: oldName, to: newName, column: property?.columnName)
        if let property, let source = known.source(className, newName),
            let column = stored.column(named: source)
        {
            try requireLikeness(stored.columns[column.rawValue], property, className)
        }
        renames = known
    }

    /// Refuses a rename whose values the new property could not hold.
    private func requireLikeness(
        _ stored: ColumnSchema, _ property: DiscoveredProperty, _ className: String
    ) throws(RealmError) {
        let shape = property.shape
        let target = stored.target.map { change.plan.stored[$0].name }
        if shape.role == .stored, shape.kind == stored.kind, shape.container == stored.container,
            shape.isNullable || !stored.isNullable, property.targetName == target
        {
            return
        }
        throw .invalidKeyPath(
            "Cannot rename '\(className).\(stored.name)' to '\(property.name)': their types "
                + "differ. Read the old value and set the new one in enumerateObjects(ofType:_:).")
    }

    /// Applies all renames that were declared since the last call.
    private func applyRenames() throws {
        guard renames.hasPending else { return }
        try renames.check(change.plan.stored)
        if context == nil {
            change.plan = SchemaPlan(
                stored: change.plan.stored, models: modelSchema, renames: renames.mapping)
        } else {
            change.hasLateRenames = true
            let view = old.view
            try LateRenames(change: change, tree: tree, end: { view.classView($0).nextKey })
                .move(renames)
        }
        renames.moved()
    }

    // MARK: Running

    /// The context of the new objects; adds the columns when it is first needed.
    private func writableContext() throws -> LiveContext {
        try applyRenames()
        if let context { return context }
        try change.begin(tree)
        let models = ModelMap(
            storeID: store.models.storeID, models: change.models, schema: change.plan.working,
            isMigrating: true)
        let made = LiveContext(writingIn: store, engine, models)
        context = made
        return made
    }

    /// Ends the migration: builds indexes and everything else that needs the final objects.
    func finish() throws {
        try renames.requireTargets()
        try throwRefusal(try writableContext())
        try change.end(tree)
    }

    /// Throws the error of a subscript, which could not throw it.
    private func throwRefusal(_ context: LiveContext) throws(RealmError) {
        try context.throwRefusal()
        try errors.throwFirst()
    }

    /// The schema of the store after the migration.
    var target: StoreSchema { change.plan.target }

    /// Releases the tree: the objects of the migration are invalidated.
    func leave() { context?.abandon() }
}

@available(*, unavailable)
extension Migration: Sendable {}

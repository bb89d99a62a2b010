import Storage

/// Adds objects, with everything that they link to, to a transaction or to a live realm in a write.
///
/// Objects first get their rows, and are then connected from a work list: this allows cycles, and
/// does not recurse on long chains.
package final class ObjectGraph {
    // Unowned and unchecked: the context owns its graph, and outlives every call.
    private unowned(unsafe) let context: LiveContext
    /// The copies that `create` has made of unmanaged objects, so that cycles end.
    var copies: [CopySource: ObjectBase] = [:]
    var liveContext: LiveContext { context }
    var models: ModelMap { context.models }
    // Safety: unchecked exclusivity is safe: the graph belongs to one transaction, and calls
    // nothing while it changes a property.
    /// Objects that have a row and whose links and collections are still to be written.
    @exclusivity(unchecked) private var pending: [Pending] = []
    /// Objects that got rows, until everything is connected.
    @exclusivity(unchecked) private var added: [ObjectBase] = []
    @exclusivity(unchecked) private var isConnecting = false
    @exclusivity(unchecked) private var lastModel: ModelBinding?
    @exclusivity(unchecked) private(set) var update = UpdatePolicy.error

    private struct Pending {
        let object: ObjectBase
        let isUpdate: Bool
    }

    /// Whether the object being connected updates an existing row.
    private(set) var isUpdating = false

    init(_ context: LiveContext) { self.context = context }

    /// The tree of the write.
    var tree: WorkingTree {
        guard let tree = context.tree else {
            preconditionFailure(
                "A managed object was changed outside a write. Call write { } around the change.")
        }
        return tree
    }

    /// Adds an object and everything that it links to. An unmanaged object becomes live; one that
    /// belongs to the same realm already is not changed.
    ///
    /// - Throws: ``RealmError/duplicatePrimaryKey(className:key:)``,
    ///   ``RealmError/invalidObject(_:)``, ``RealmError/invalidated(className:key:)``.
    package func add(_ object: ObjectBase, update: UpdatePolicy) throws(RealmError) {
        // The iteration of a program's sequence may have rolled back the write.
        guard context.isWritable else { throw .notInWriteTransaction }
        if object is EmbeddedObject {
            throw .invalidObject(
                "'\(type(of: object))' is embedded and requires a parent. Assign it to a property "
                    + "of the parent.")
        }
        if update != .error, try model(of: object).primaryKey == nil {
            throw .noPrimaryKey(className: try model(of: object).className)
        }
        let saved = self.update
        self.update = update
        defer { self.update = saved }
        _ = try row(of: object)
        try connectPending()
    }

    /// Runs `body` with this policy for added objects whose primary key exists.
    func adding(
        _ update: UpdatePolicy, _ body: () throws(RealmError) -> Void
    ) throws(RealmError) {
        let saved = self.update
        self.update = update
        defer { self.update = saved }
        try body()
    }

    /// The row of a linked object; adds it when it is unmanaged.
    func link(to object: ObjectBase) throws(RealmError) -> RowKey {
        if object is EmbeddedObject, object.__state != AccessorState.unmanaged {
            throw .invalidObject(
                "An embedded '\(type(of: object))' has exactly one parent. "
                    + "Assign a new one with the same values.")
        }
        let key = try row(of: object)
        if object is DynamicObject, object._isEmbedded, hasParent(object.__model.classID, key) {
            throw .invalidObject(
                "An embedded '\(object.__model.className)' has exactly one parent. "
                    + "Assign a new one with the same values.")
        }
        try connectPending()
        return key
    }

    /// Whether an embedded row is in a parent already.
    func hasParent(_ id: ClassID, _ key: RowKey) -> Bool {
        tree.schema.incoming(id).contains { link in
            tree.view.backlinks(to: key, origin: link.origin, column: link.column).count > 0
        }
    }

    /// The row of an object of this realm; nil when it has none yet, or may not be linked to.
    func managedKey(of object: ObjectBase) -> RowKey? {
        guard object.__state == AccessorState.live, object.__context === context,
            !object._isEmbedded
        else { return nil }
        if object.__generation == context.generation { return object.__key }
        return object._relocate(context) ? object.__key : nil
    }

    /// Writes a column of an object of this graph.
    func set(
        _ value: StoredValue, _ owner: ObjectBase, _ column: Int, _ changes: ChangePolicy
    ) {
        owner._set(value, column, changes)
    }

    private func model(of object: ObjectBase) throws(RealmError) -> ModelBinding {
        let type = type(of: object)
        if let lastModel, lastModel.type == type { return lastModel }
        let model = try context.models.required(type)
        lastModel = model
        return model
    }

    private func row(of object: ObjectBase) throws(RealmError) -> RowKey {
        switch object.__state {
        case AccessorState.unmanaged: return try makeRow(object)
        case AccessorState.live where object.__context === context:
            guard object._relocate(context) else { throw object._invalidated }
            return object.__key
        case AccessorState.live:
            throw .invalidObject(
                "The '\(type(of: object))' belongs to another realm or transaction. "
                    + "Resolve its reference here.")
        case AccessorState.invalidated: throw object._invalidated
        default:
            throw .invalidObject(
                "The '\(type(of: object))' is frozen. Resolve its reference here.")
        }
    }

    private func makeRow(_ object: ObjectBase) throws(RealmError) -> RowKey {
        if object.__generation != 0, let refusal = object._refusal { throw refusal }
        let model = try model(of: object)
        let tree = tree
        if let property = model.primaryKey {
            let value = property.type._anyStorable(object, at: property.place).value
            if let existing = tree.find(model.classID, primaryKey: value) {
                guard update != .error else {
                    throw .duplicatePrimaryKey(
                        className: model.className, key: "\(object._unmanagedValue(property))")
                }
                model.bind(object, live: context, existing)
                pending.append(Pending(object: object, isUpdate: true))
                return existing
            }
        }
        let key = try tree.addRow(model.classID)
        guard let writer = tree.writer(model.classID, key) else {
            throw .invalidObject("The row of the new '\(model.className)' cannot be written.")
        }
        let row = RowTarget(context: .passUnretained(context), writer: writer)
        var isComplete = true
        for field in model.fields {
            isComplete =
                field.type._insert(object._address(field.offset), row, field.column) && isComplete
        }
        model.bind(object, live: context, key)
        if !isComplete { pending.append(Pending(object: object, isUpdate: false)) }
        if !isComplete || isConnecting { added.append(object) }
        return key
    }

    /// Writes links and collections of new rows, until nothing is pending. Objects that are added
    /// meanwhile are appended to the list.
    private func connectPending() throws(RealmError) {
        guard !pending.isEmpty, !isConnecting else { return }
        isConnecting = true
        defer {
            isConnecting = false
            isUpdating = false
            pending.removeAll(keepingCapacity: true)
            added.removeAll(keepingCapacity: true)
        }
        do throws(RealmError) {
            // In the order of discovery: the last of several objects with one key wins.
            var position = 0
            while position < pending.count {
                let next = pending[position]
                try connect(next)
                position += 1
            }
        } catch {
            deleteAdded()
            throw error
        }
    }

    private func connect(_ next: Pending) throws(RealmError) {
        isUpdating = next.isUpdate
        guard let model = next.object.__model else { return }
        let changes: ChangePolicy = update == .modified ? .differences : .everything
        for property in model.properties where property.shape.role == .stored {
            let address = next.object._address(property.place.offset)
            // A value of any type may contain objects, which must be added first.
            if next.isUpdate, property.shape.target == nil, property.shape.container == .none,
                property.shape.kind != .mixed
            {
                guard !property.isPrimaryKey else { continue }
                let value = property.type._wrapperStorable(address).value
                next.object._set(value, property.column.rawValue, changes)
            } else if next.isUpdate, update == .modified,
                try updateEmbedded(of: next.object, property, model)
            {
                continue
            } else {
                try property.type._connect(
                    address, next.object,
                    GraphTarget(
                        graph: self, owner: next.object, column: property.column.rawValue,
                        changes: changes))
            }
        }
    }

    /// Deletes the objects that got rows and cannot be connected. A program may catch the error and
    /// continue: half-filled objects would stay, and embedded ones without a parent.
    private func deleteAdded() {
        guard let tree = context.tree, context.isWritable else { return }
        var rows: [ClassID: [RowKey]] = [:]
        for object in added
        where object.__state == AccessorState.live && object._relocate(context) {
            rows[object.__model.classID, default: []].append(object.__key)
            object._keepValues()
        }
        for (id, keys) in rows { tree.delete(id, keys) }
    }
}

extension ObjectGraph {
    /// Writes the differences of embedded objects into the existing ones; false if there are none.
    private func updateEmbedded(
        of owner: ObjectBase, _ property: PropertyBinding, _ model: ModelBinding
    ) throws(RealmError) -> Bool {
        guard let declared = model.model[property.name], declared.shape.isEmbedded else {
            return false
        }
        let conversion = ValueConversion.adopting(self, .modified)
        let given = owner._unmanagedValue(property)
        if declared.shape.container != .none {
            guard try conversion.updateEmbedded(given, of: declared, in: owner) else {
                return false
            }
            owner._leaveWrapper(property)
            return true
        }
        guard let present = owner._embedded(declared),
            let given = unwrapped(given) as? EmbeddedObject
        else { return false }
        try conversion.update(present, inPlace: given)
        owner._leaveWrapper(property)
        return true
    }
}

extension WorkingTree {
    /// Appends a row.
    ///
    /// - Throws: the error with which the transaction can no longer be committed.
    func addRow(_ id: ClassID) throws(RealmError) -> RowKey {
        try requireCommittable()
        return createRow(id)
    }

    /// As ``requireSpilled()``, with the public error.
    func requireCommittable() throws(RealmError) {
        do throws(StorageError) {
            try requireSpilled()
        } catch {
            throw RealmError(error)
        }
    }
}

extension PersistedValue {
    /// The stored form of an unmanaged object's property.
    static func _anyStorable(_ object: ObjectBase, at place: WrapperPlace) -> StorableValue {
        _wrapperStorable(object._address(place.offset))
    }

    /// The stored form of the wrapper's own value.
    public static func _wrapperStorable(_ wrapper: UnsafeMutableRawPointer) -> StorableValue {
        // Unsafe: the caller gives the address of a `Persisted<Self>` that reflection found.
        wrapper.assumingMemoryBound(to: Persisted<Self>.self).pointee.unmanagedValue()._storable
    }

    /// The wrapper's own value.
    static func _wrapperValue(_ address: UnsafeMutableRawPointer) -> Any {
        // Unsafe: as above.
        address.assumingMemoryBound(to: Persisted<Self>.self).pointee.unmanagedValue()
    }
}

extension ObjectBase {
    /// The own value of a property's wrapper.
    final func _unmanagedValue(_ property: PropertyBinding) -> Any {
        property.type._wrapperValue(_address(property.place.offset))
    }
}

import Storage

extension ObjectGraph {
    /// A dynamic accessor for a row.
    func dynamic(_ model: ModelBinding, _ key: RowKey) -> DynamicObject {
        // Unsafe: the binding is one of dynamic objects.
        unsafeDowncast(model.makeAccessor(live: liveContext, key), to: DynamicObject.self)
    }

    /// An accessor of the Swift class `type` for the same row; nil if it is of another class or
    /// store, and for an embedded object, which has a parent already and is copied.
    func typed<Target: ObjectBase>(_ source: DynamicObject, as type: Target.Type) -> Target? {
        guard let model = liveContext.models.binding(for: type), !model.isEmbedded else {
            return nil
        }
        guard source.__context === liveContext else { return thawed(source, by: model) as? Target }
        guard model.classID == source.__model.classID, source._relocate(liveContext) else {
            return nil
        }
        return model.makeAccessor(live: liveContext, source.__key) as? Target
    }

    /// A live accessor of `model` for the row of a frozen dynamic object; nil if the row is of
    /// another class or store, or was deleted, and for an embedded object, which has a parent
    /// already and is copied.
    func thawed(_ source: DynamicObject, by model: ModelBinding) -> ObjectBase? {
        guard source.__state == AccessorState.frozen, !model.isEmbedded,
            source.__model.classID == model.classID, source._isInStore(of: models),
            !liveContext.hasReused(keyOf: source)
        else { return nil }
        let object = model.makeAccessor(live: liveContext, source.__key)
        return object._relocate(liveContext) ? object : nil
    }

    /// A live dynamic object for the same row.
    func thawed(_ source: DynamicObject) -> DynamicObject? {
        guard let id = source.__model?.classID,
            models.storeSchema.classes.indices.contains(id.rawValue)
        else { return nil }
        return thawed(source, by: models.dynamicBinding(id)) as? DynamicObject
    }

    /// Creates an object of any class of the store, or updates the one that has its primary key.
    func createDynamic(
        _ model: ModelBinding, _ value: Any, _ conversion: ValueConversion, _ update: UpdatePolicy
    ) throws(RealmError) -> DynamicObject {
        if let source = ValueConversion.source(value) {
            if source._wasInvalidated { throw source._invalidated }
            // An object whose values lead back to itself.
            if let row = noted(source, model) { return dynamic(model, row) }
        }
        let isOutermost = copies.isEmpty
        defer { if isOutermost { copies = [:] } }
        do throws(RealmError) {
            return try made(model, value, conversion, update)
        } catch {
            conversion.deleteOrphans()
            throw error
        }
    }

    private func made(
        _ model: ModelBinding, _ value: Any, _ conversion: ValueConversion, _ update: UpdatePolicy
    ) throws(RealmError) -> DynamicObject {
        let changes: ChangePolicy = update == .modified ? .differences : .everything
        // The defaults that the Swift class gives new rows.
        let fresh = liveContext.models.binding(model.classID).map { ($0, $0.type.init()) }
        var primaryKey: StoredValue?
        if let property = model.primaryKey, let declared = model.model.primaryKey {
            if let given = try conversion.value(value, of: declared, in: model.model) {
                primaryKey = try conversion.key(
                    given, declared, model.model, integers: property.schema.integers
                ).value
            } else if let (typed, object) = fresh, let key = typed.primaryKey {
                primaryKey = key.type._anyStorable(object, at: key.place).value
            } else {
                primaryKey = property.type._zeroStorable
            }
            if let primaryKey, let existing = tree.find(model.classID, primaryKey: primaryKey) {
                guard update != .error else {
                    throw .duplicatePrimaryKey(
                        className: model.className, key: "\(FrozenValue(plain: primaryKey))")
                }
                let object = dynamic(model, existing)
                note(value, fresh?.0 ?? model, existing)
                try conversion.assign(value, to: object, changes: changes)
                return object
            }
        }
        let key = try tree.addRow(model.classID)
        var unconnected: [ModelBinding.StoredField] = []
        if let (typed, object) = fresh, let writer = tree.writer(model.classID, key) {
            let row = RowTarget(context: .passUnretained(liveContext), writer: writer)
            for field in typed.fields
            where !field.type._insert(object._address(field.offset), row, field.column) {
                unconnected.append(field)
            }
        }
        if let primaryKey, let property = model.primaryKey {
            tree.set(primaryKey, model.classID, key, property.column)
        }
        if model.isEmbedded { conversion.noteEmbedded(model.classID, key) }
        let object = dynamic(model, key)
        note(value, fresh?.0 ?? model, key)
        do throws(RealmError) {
            try conversion.assign(value, to: object)
            if let (typed, template) = fresh, !unconnected.isEmpty {
                let given = try ValueConversion.values(value, for: model.model, conversion)
                let owner = typed.makeAccessor(live: liveContext, key)
                try adding(update) { () throws(RealmError) in
                    try connect(
                        unconnected, of: template, to: owner, except: Set(given.map(\.0.name)))
                }
            }
        } catch {
            // A program may catch the error and continue: a half-filled object would stay.
            tree.delete(model.classID, [key])
            throw error
        }
        return object
    }

    /// Notes the row that is made from an object, for values that lead back to it: as an object of
    /// the Swift class if there is one, because copies by Swift classes link to it. Not for
    /// embedded objects: given twice, they are copied twice.
    private func note(_ value: Any, _ model: ModelBinding, _ key: RowKey) {
        guard !model.isEmbedded, let source = ValueConversion.source(value) else { return }
        copies[CopySource(source)] = model.makeAccessor(live: liveContext, key)
    }

    /// The row of `model` that was made from an object already.
    private func noted(_ source: ObjectBase, _ model: ModelBinding) -> RowKey? {
        guard let copy = copies[CopySource(source)], copy.__context === liveContext,
            copy.__model.classID == model.classID
        else { return nil }
        return copy.__key
    }

    /// Writes the defaults of `template` for collections and links, except for properties that are
    /// given.
    private func connect(
        _ fields: [ModelBinding.StoredField], of template: ObjectBase, to owner: ObjectBase,
        except given: Set<String>
    ) throws(RealmError) {
        for field in fields {
            let name = owner.__model.property(ColumnID(field.column))?.name
            if let name, given.contains(name) { continue }
            try field.type._connect(
                template._address(field.offset), owner,
                GraphTarget(
                    graph: self, owner: owner, column: field.column, changes: .everything))
        }
    }
}

extension ObjectBase {
    /// The binding of the objects that a property of a dynamic object links to, and the range of
    /// its integers, from the store.
    final func _dynamicColumn(
        _ property: DiscoveredProperty
    ) -> (target: ModelBinding?, integers: IntegerRange)? {
        guard let model = __model, model.isDynamic, let context = __context,
            let column = model.property(named: property.name)?.schema
        else { return nil }
        return (column.target.map { context.models.dynamicBinding($0) }, column.integers)
    }
}

extension PersistedValue {
    /// The stored value of a row without a value.
    static var _zeroStorable: StoredValue { _initial()._storable.value }
}

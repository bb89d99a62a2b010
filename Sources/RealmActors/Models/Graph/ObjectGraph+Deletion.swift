package import Storage

extension ObjectGraph {
    /// Deletes objects: links to them become nil, lists and sets no longer contain them, and
    /// embedded objects are deleted with their parents.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` for an unmanaged object or one of another realm,
    ///   ``RealmError/invalidated(className:key:)`` for one that was deleted.
    package func delete(_ objects: some Sequence<ObjectBase>) throws(RealmError) {
        guard liveContext.isWritable else { throw .notInWriteTransaction }
        var deleted: [ClassID: [RowKey]] = [:]
        var accessors: [ObjectBase] = []
        for object in objects {
            guard object.__state != AccessorState.unmanaged, object.__context === liveContext else {
                throw .invalidObject(
                    "Cannot delete a '\(type(of: object))' that is not of this realm. "
                        + "Resolve its reference here.")
            }
            guard object.__state == AccessorState.live, object._relocate(liveContext) else {
                throw object._invalidated
            }
            deleted[object.__model.classID, default: []].append(object.__key)
            accessors.append(object)
        }
        for object in accessors where object.__state == AccessorState.live {
            object._keepValues()
        }
        for (classID, keys) in deleted { delete(classID, keys) }
    }

    /// Deletes the rows of frozen objects, except those that were deleted before.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` for an object of another realm.
    func delete(frozen objects: [ObjectBase]) throws(RealmError) {
        guard liveContext.isWritable else { throw .notInWriteTransaction }
        var deleted: [ClassID: Set<RowKey>] = [:]
        for object in objects {
            guard let model = object.__model, object._isInStore(of: liveContext.models) else {
                throw .invalidObject(
                    "Cannot delete a frozen '\(type(of: object))' that is of another realm.")
            }
            if tree.locate(model.classID, object.__key) != nil,
                !liveContext.hasReused(keyOf: object)
            {
                deleted[model.classID, default: []].insert(object.__key)
            }
        }
        for (classID, keys) in deleted { delete(classID, keys.sorted()) }
    }

    /// Deletes rows that the caller knows to exist.
    package func delete(_ classID: ClassID, _ keys: [RowKey]) {
        tree.delete(classID, keys)
    }

    /// Deletes every object of a class.
    package func deleteAll(_ classID: ClassID) {
        let rows = tree.view.classView(classID)
        tree.delete(classID, (0..<rows.count).map { rows.key(at: $0) })
    }
}

extension ObjectBase {
    /// Copies the values of a located row into the accessor, and detaches it from the row.
    final func _keepValues() {
        for property in __model.properties
        where property.place.isWrapped && property.shape.target == nil
            && property.shape.container == .none
        {
            property.type._keep(self, at: property.place.offset)
        }
        __state = AccessorState.invalidated
        _leaveRow()
        _forgetSeen()
    }
}

extension PersistedValue {
    /// Copies the value of the row into the wrapper.
    static func _keep(_ object: ObjectBase, at offset: Int) {
        // Unsafe: reflection found a `Persisted<Self>` at this offset of `object`, which the caller
        // holds.
        let wrapper = object._address(offset).assumingMemoryBound(to: Persisted<Self>.self)
        // By assignment, which copies a list or dictionary in a value of any type: the original
        // becomes empty when the row is deleted, and would retain its object.
        let value = _read(object, Int(wrapper.pointee.column))
        wrapper.pointee.value = _assigned(value, over: nil)
    }
}

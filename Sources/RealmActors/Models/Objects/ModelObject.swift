import Storage

/// What every object can do. Its members stand in extensions, so that a model may declare
/// properties of the same names; the conformance comes with ``Object`` and ``EmbeddedObject``.
public protocol ModelObject: ObjectBase {}

extension ObjectBase: ModelObject {}

extension ModelObject {
    /// Whether the row of a live object is gone, or its realm was invalidated.
    public var isInvalidated: Bool {
        if __state == AccessorState.live, let context = _live,
            __generation != context.generation || context.isInvalidated
        {
            _ = _relocate(context)
        }
        if __state == AccessorState.live { _observeRead(ObservedProperty.existence) }
        return __state == AccessorState.gone
    }

    /// The name of the row. The object must be managed.
    public var reference: ObjectReference<Self> {
        guard let context = __context, let model = __model else {
            preconditionFailure(
                "An unmanaged '\(type(of: self))' has no reference. Add it to a realm first.")
        }
        return ObjectReference(
            storeID: context.models.storeID, classID: model.classID, key: __key)
    }

    /// Whether both are accessors for the same row of the same store.
    public func isSameObject(as other: ObjectBase?) -> Bool {
        guard let other else { return false }
        if self === other { return true }
        guard let context = __context, let otherContext = other.__context, let model = __model,
            let otherModel = other.__model
        else { return false }
        return context.models.storeID == otherContext.models.storeID
            && model.classID == otherModel.classID && __key == other.__key
    }

    /// The property with this name: links and collections as they are, nil for a nil.
    ///
    /// Reading or setting a name that is not persisted traps; ``value(forName:)`` and
    /// ``setValue(_:forName:)`` throw instead. A value that cannot be set, or an object that is
    /// gone, makes the write throw; a value that an unmanaged object does not take traps.
    public subscript(key: String) -> Any? {
        get {
            do {
                return try value(forName: key)
            } catch {
                preconditionFailure("\(error)")
            }
        }
        set {
            do {
                try setValue(newValue, forName: key)
            } catch {
                if case .invalidKeyPath = error { preconditionFailure("\(error)") }
                // Unlike the name, the value may come from data.
                guard let context = _live else { preconditionFailure("\(error)") }
                if context.isWritable {
                    context.refuse(error)
                } else {
                    _ = _refuseUnwritable(context)
                }
            }
        }
    }

    /// The property with this name.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` when no persisted property has it.
    public func value(forName name: String) throws(RealmError) -> Any? {
        let property = try property(name)
        return unwrapped(property.type._anyValue(self, at: property.place))
    }

    /// Sets the property with this name from a value in any of the forms that `init(value:)` takes.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidValue(_:)``.
    public func setValue(_ value: Any?, forName name: String) throws(RealmError) {
        let property = try property(name)
        let conversion = ValueConversion.assigning(to: self)
        do throws(RealmError) {
            try conversion.assign(value as Any, of: property, to: self)
        } catch {
            conversion.deleteOrphans()
            throw error
        }
    }

    private func property(_ name: String) throws(RealmError) -> DiscoveredProperty {
        let model = _discovered
        if let property = model[name] { return property }
        throw .invalidKeyPath("'\(name)' is not a persisted property of class '\(model.name)'.")
    }

    /// The class and its properties by name.
    public var description: String { ObjectDescription.text(of: self) }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        if _hasRowIdentity {
            hasher.combine(__model.classID)
            hasher.combine(__key)
        } else {
            hasher.combine(ObjectIdentifier(self))
        }
    }
}

extension ObjectBase: CustomStringConvertible, Hashable {
    /// Frozen objects are equal as rows of the same version, live ones with a primary key as rows
    /// of the same realm; all others as instances.
    public static func == (a: ObjectBase, b: ObjectBase) -> Bool {
        if a === b { return true }
        guard a._hasRowIdentity, b._hasRowIdentity, a.__state == b.__state,
            a.__key == b.__key, a.__model === b.__model
        else { return false }
        if a.__state == AccessorState.live { return a.__context === b.__context }
        guard let a = a.__context as? FrozenContext, let b = b.__context as? FrozenContext else {
            return false
        }
        return a === b || a.root.name == b.root.name
    }

    /// Whether equality looks at the row and not at the instance.
    final var _hasRowIdentity: Bool {
        __state == AccessorState.frozen
            || __state == AccessorState.live && __model.primaryKey != nil
    }
}

extension Identifiable where Self: ObjectBase {
    /// The name of the row, for models without an `id` of their own.
    public var id: ObjectReference<Self> { reference }
}

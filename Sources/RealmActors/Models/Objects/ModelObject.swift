import Storage

/// The members that all models have. They are in extensions, so that a model may declare properties
/// of the same names; the conformance comes with ``Object`` and ``EmbeddedObject``.
public protocol ModelObject: ObjectBase {}

extension ObjectBase: ModelObject {}

extension ModelObject {
    /// Whether the object was deleted, or its realm was invalidated.
    public var isInvalidated: Bool {
        if _wasInvalidated { return true }
        if __state == AccessorState.live { _observeRead(ObservedProperty.existence) }
        return false
    }

    /// The identity of the object, valid across versions and launches. Traps if the object is
    /// unmanaged.
    public var reference: ObjectReference<Self> {
        guard let context = __context, let model = __model else {
            preconditionFailure(
                "An unmanaged '\(type(of: self))' has no reference. Add it to a realm first.")
        }
        return ObjectReference(
            storeID: context.models.storeID, classID: model.classID, key: __key,
            capture: _lastCapture)
    }

    /// Whether both are accessors for the same row of the same store. A deleted object is the same
    /// only as itself.
    public func isSameObject(as other: ObjectBase?) -> Bool {
        guard let other else { return false }
        if self === other { return true }
        // The key of a rolled back row may belong to another row since.
        if _wasInvalidated || other._wasInvalidated { return false }
        guard let context = __context, let otherContext = other.__context, let model = __model,
            let otherModel = other.__model
        else { return false }
        return context.models.isOfSameStore(as: otherContext.models)
            && model.classID == otherModel.classID && __key == other.__key
            && !otherContext.hasReused(keyOf: self, for: other)
    }

    /// The property with this name, as in ``value(forName:)``.
    ///
    /// Reading or setting a name that is not persisted traps, and so does setting a property of a
    /// frozen object; in a migration, both make the migration fail. ``value(forName:)`` and
    /// ``setValue(_:forName:)`` throw instead. Setting an invalid value, or a property of a deleted
    /// object, makes the write fail; for an unmanaged object, the write that adds it.
    public subscript(key: String) -> Any? {
        get {
            do {
                return try value(forName: key)
            } catch {
                _refuseUse(error)
                return nil
            }
        }
        set {
            do {
                try setValue(newValue, forName: key)
            } catch {
                if case .invalidKeyPath = error { return _refuseUse(error) }
                // Unlike the name, the value may come from input.
                if __state == AccessorState.unmanaged { return _refuseValue(of: key) }
                guard let context = _live else { return _refuseUse(error) }
                if context.isWritable {
                    context.refuse(error)
                } else {
                    _ = _refuseUnwritable(context)
                }
            }
        }
    }

    /// The property with this name, links and collections unchanged. For an enum, or a custom type
    /// that is stored as a scalar, the stored value; for an ``AnyRealmValue``, the contained value.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` when no persisted property has it.
    public func value(forName name: String) throws(RealmError) -> Any? {
        let property = try property(name)
        return plain(property.type._anyValue(self, at: property.place))
    }

    /// Sets the property with this name from a value in any form that `init(value:)` accepts.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidValue(_:)``;
    ///   ``RealmError/notInWriteTransaction`` for a live object outside a write,
    ///   ``RealmError/invalidObject(_:)`` for a frozen one.
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

    /// The same as ``value(forName:)``, with Realm's name; the object itself for `"self"`.
    ///
    /// - Throws: as that does.
    public func value(forKey name: String) throws(RealmError) -> Any? {
        if name == "self", _discovered[name] == nil { return self }
        return try value(forName: name)
    }

    /// The same as ``setValue(_:forName:)``, with Realm's name.
    ///
    /// - Throws: as that does.
    public func setValue(_ value: Any?, forKey name: String) throws(RealmError) {
        try setValue(value, forName: name)
    }

    private func property(_ name: String) throws(RealmError) -> DiscoveredProperty {
        let model = _discovered
        if let property = model[name] { return property }
        throw .unknownProperty(name, of: model.name, among: model.properties.map(\.name))
    }

    /// The class and its properties by name.
    public var description: String { ObjectDescription.text(of: self) }

    /// Hashes what `==` compares. The hash of a live object stays the same when it is deleted.
    public func hash(into hasher: inout Hasher) {
        let wasLive = __state == AccessorState.invalidated
        if _hasRowIdentity || wasLive && __model.primaryKey != nil {
            hasher.combine(__model.classID)
            hasher.combine(__key)
        } else {
            hasher.combine(ObjectIdentifier(self))
        }
    }
}

extension RealmError {
    /// The error of a name that no property of a class has; `names` are those that it has.
    static func unknownProperty(
        _ name: String, of className: String, among names: [String]
    ) -> RealmError {
        let known = names.isEmpty ? "none" : names.joined(separator: ", ")
        return .invalidKeyPath(
            "'\(name)' is not a persisted property of class '\(className)', which has: \(known).")
    }
}

/// The form of a value for callers that do not know the type of the property.
func plain(_ any: Any) -> Any? {
    switch unwrapped(any) {
    case let value as AnyRealmValue: return value.contents
    case let value as any PersistableEnum: return rawValue(of: value)
    case let value as any FailableCustomPersistable: return stored(of: value)
    case let value: return value
    }
}

private func rawValue(of value: some PersistableEnum) -> Any { value.rawValue }

private func stored(of value: some FailableCustomPersistable) -> Any? {
    let stored: Any = value.persistableValue
    // Not the stored form if that is an embedded object, which would be an unmanaged copy.
    return stored is ObjectBase ? value : plain(stored)
}

extension ObjectBase: CustomStringConvertible, Hashable {
    /// Frozen objects are equal if they are the same row in the same version, live ones with a
    /// primary key if they are the same row of the same realm; all others if they are the same
    /// instance.
    public static func == (a: ObjectBase, b: ObjectBase) -> Bool {
        if a === b { return true }
        guard a._hasRowIdentity, b._hasRowIdentity, a.__state == b.__state,
            a.__key == b.__key, a.__model === b.__model, a._hasLostRow == b._hasLostRow
        else { return false }
        if a.__state == AccessorState.live {
            return a.__context === b.__context && !a._wasInvalidated && !b._wasInvalidated
        }
        guard let a = a.__context as? FrozenContext, let b = b.__context as? FrozenContext else {
            return false
        }
        return a === b || a.root.name == b.root.name
    }

    /// Whether equality compares the row instead of the instance.
    final var _hasRowIdentity: Bool {
        __state == AccessorState.frozen
            || __state == AccessorState.live && __model.primaryKey != nil
    }
}

extension Identifiable where Self: ObjectBase {
    /// The identity of the row, for models without their own `id`. That of an unmanaged object is
    /// valid while it is unmanaged, and resolves to nil.
    public var id: ObjectReference<Self> { __context == nil ? .ofInstance(self) : reference }
}

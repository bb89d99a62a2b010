import Storage

// The collections of a typed object as those of dynamic objects.
extension ModelObject {
    /// The list of links with this name, as a list of dynamic objects. The object must be live.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that is not such a list,
    ///   ``RealmError/invalidObject(_:)`` for an object that is not live,
    ///   ``RealmError/invalidated(className:key:)`` for one that was deleted.
    public func dynamicList(_ name: String) throws(RealmError) -> List<DynamicObject> {
        try dynamicCounterpart().dynamicList(name)
    }

    /// The set of links with this name; see ``dynamicList(_:)``.
    ///
    /// - Throws: as ``dynamicList(_:)``.
    public func dynamicMutableSet(_ name: String) throws(RealmError) -> MutableSet<DynamicObject> {
        try dynamicCounterpart().dynamicMutableSet(name)
    }

    /// The map of links with this name; see ``dynamicList(_:)``.
    ///
    /// - Throws: as ``dynamicList(_:)``.
    public func dynamicMap(
        _ name: String
    ) throws(RealmError) -> Map<String, DynamicObject?> {
        try dynamicCounterpart().dynamicMap(name)
    }
}

extension ObjectBase {
    /// A dynamic object for the same row; the object must be live.
    final func dynamicCounterpart() throws(RealmError) -> DynamicObject {
        if let dynamic = self as? DynamicObject { return dynamic }
        if isInvalidated { throw _invalidated }
        guard let context = _live, let model = __model else {
            throw .invalidObject(
                "A '\(type(of: self))' that is unmanaged or frozen has no dynamic collections: "
                    + "they are those of a live object.")
        }
        guard
            let counterpart = context.live(
                DynamicObject.self, context.models.dynamicBinding(model.classID), __key)
        else { throw _invalidated }
        return counterpart
    }
}

extension AnyRealmValue {
    /// The object as a dynamic object; nil for any other kind of value, and for an object that is
    /// not live.
    public var dynamicObject: DynamicObject? {
        guard case .object(let object) = self else { return nil }
        return try? object.dynamicCounterpart()
    }
}

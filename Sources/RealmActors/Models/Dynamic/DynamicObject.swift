import Storage

/// An object of a class that is only known by name: its properties are read and set by name.
///
///     for dog in try snapshot.dynamicObjects("Dog") { show(try dog["name"], try dog["age"]) }
///     try live.dynamicCreate("Dog", value: ["name": "Rex"])["age"] = 3
///
/// A class that the realm was opened with has the names of its Swift properties, any other one
/// those of its columns. Links lead to dynamic objects. It is live or frozen, and is observed,
/// sorted and deleted, like other objects; an unmanaged one has no properties.
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
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that is not such a list.
    public func dynamicList(_ name: String) throws(RealmError) -> List<DynamicObject> {
        try collection(name)
    }

    /// The set of links with this name.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that is not such a set.
    public func dynamicMutableSet(_ name: String) throws(RealmError) -> MutableSet<DynamicObject> {
        try collection(name)
    }

    /// The map of links with this name.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that is not such a map.
    public func dynamicMap(
        _ name: String
    ) throws(RealmError) -> Map<String, DynamicObject?> { try collection(name) }

    private func collection<Wanted>(_ name: String) throws(RealmError) -> Wanted {
        if let found = try value(forName: name) as? Wanted { return found }
        throw .invalidKeyPath("'\(className).\(name)' is not a \(Wanted.self).")
    }
}

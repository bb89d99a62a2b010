import Storage

/// The values of projected properties in a form that holds no version.
enum ProjectedValue {
    /// The form of a value that was read through a frozen accessor; nil for collections, and for
    /// types that no column can store.
    static func stored(_ any: Any) -> StoredValue? {
        guard let value = unwrapped(any) else { return .null }
        switch value {
        case let object as ObjectBase:
            if let model = object.__model { return .object(model.classID, object.__key) }
            return (object as? EmbeddedObject).map { contents(of: $0) }
        case let scalar as any PersistableScalar:
            guard type(of: scalar)._scalarShape.target != nil else { return scalar._scalar.value }
            // The value has no stored form, and the embedded object that it was read from is not
            // known here.
            return embedded(scalar).map { contents(of: $0) }
        case let value as AnyRealmValue: return value._storable.value
        default: return nil
        }
    }

    /// The embedded object that a value of a custom type is stored as, unmanaged.
    private static func embedded(_ value: any PersistableScalar) -> EmbeddedObject? {
        (value as? any FailableCustomPersistable)?.persistableValue as? EmbeddedObject
    }

    /// The properties of an unmanaged embedded object, as a dictionary, like that of a managed one.
    private static func contents(of object: EmbeddedObject) -> StoredValue {
        let properties = object._discovered.properties.filter { $0.shape.role == .stored }
        return dictionary(
            properties.map { ($0.name, $0.type._anyValue(object, at: $0.place)) })
    }

    private static func dictionary(_ values: [(key: String, value: Any)]) -> StoredValue {
        let entries = values.map { NestedEntry(key: $0.key, value: member($0.value)) }
        return .dictionary(
            .fresh(), entries.sorted { NestedEntry.precedes($0.key, $1.key) })
    }

    /// The form of a value in an embedded object, which may be a collection.
    private static func member(_ any: Any) -> StoredValue {
        if let value = stored(any) { return value }
        switch any {
        case let entries as any EntryCollection: return dictionary(entries.entries)
        case let elements as any Sequence: return list(elements)
        default: return .null
        }
    }

    private static func list(_ elements: some Sequence) -> StoredValue {
        .list(.fresh(), elements.map { member($0) })
    }
}

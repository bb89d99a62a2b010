extension Frozen: Encodable {
    /// Encodes every stored property by its name: links as objects, lists and sets as arrays, maps
    /// as objects. With `CodingUserInfoKey.linksAsKeys` links are primary keys.
    ///
    /// - Throws: `EncodingError` when links lead back to an object that is being encoded;
    ///   ``RealmError`` when the store could not be read.
    public func encode(to encoder: any Encoder) throws {
        if encoder.codingPath.count > FrozenEncoding.maximumDepth {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "The links of '\(object.__model.className)' nest too deeply, "
                        + "or form a cycle. Let the encoder write them as primary keys: "
                        + "encoder.userInfo[.linksAsKeys] = true.")
            )
        }
        var container = encoder.container(keyedBy: NameKey.self)
        for property in object.__model.properties where property.shape.role == .stored {
            try property.type._encode(object, property, into: &container)
        }
        try object._requireReadable()
    }
}

extension CodingUserInfoKey {
    /// Whether links to objects that have a primary key are encoded as that key, in place of the
    /// object with all that it links to: a `Bool` in the `userInfo` of an encoder.
    ///
    ///     let encoder = JSONEncoder()
    ///     encoder.userInfo[.linksAsKeys] = true
    ///     let json = try encoder.encode(realm.objects(City.self))   // "country": "CH"
    ///
    /// An import takes links in this form, too. Embedded objects are always encoded whole.
    public static let linksAsKeys = CodingUserInfoKey(rawValue: "RealmActors.linksAsKeys")
        .unsafelyUnwrapped
}

enum FrozenEncoding {
    /// Links nest this deep at most.
    static let maximumDepth = 64
}

extension PersistedValue {
    /// Encodes a property of a frozen accessor.
    static func _encode(
        _ object: ObjectBase, _ property: PropertyBinding,
        into container: inout KeyedEncodingContainer<NameKey>
    ) throws {
        let key = NameKey(property.name)
        guard let value = unwrapped(_value(object, at: property.place)) else {
            return try container.encodeNil(forKey: key)
        }
        switch value {
        case let value as any FrozenEncodable:
            try container.encode(value.frozenEncodable, forKey: key)
        case let value as any Encodable: try container.encode(value, forKey: key)
        case let value as any FailableCustomPersistable:
            try container.encode(encodable(value.persistableValue), forKey: key)
        default: break
        }
    }
}

/// The encodable form of a value that was read through a frozen accessor.
protocol FrozenEncodable {
    var frozenEncodable: any Encodable { get }
}

/// Encodes a value whose type is known at run time only.
struct AnyEncodable: Encodable {
    let value: any Encodable

    func encode(to encoder: any Encoder) throws {
        // Through a container, which knows the encoder's strategies for dates and data.
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension ObjectBase: FrozenEncodable {
    var frozenEncodable: any Encodable {
        // The embedded object of a custom type's value is unmanaged.
        __state == AccessorState.unmanaged
            ? UnmanagedValues(object: self) : LinkedObject(object: self)
    }
}

extension AnyRealmValue: FrozenEncodable {
    var frozenEncodable: any Encodable { FrozenValue(self) }
}

extension List: FrozenEncodable {
    var frozenEncodable: any Encodable { map { encodable($0) } }
}

extension MutableSet: FrozenEncodable {
    var frozenEncodable: any Encodable { map { encodable($0) } }
}

extension Map: FrozenEncodable where Key == String {
    var frozenEncodable: any Encodable {
        Dictionary(
            map { ($0.key, encodable($0.value)) }, uniquingKeysWith: { first, _ in first })
    }
}

/// The encodable form of a value that was read through a frozen accessor; nil for nil, and if there
/// is none.
func encodable(_ any: Any) -> AnyEncodable? {
    guard let value = unwrapped(any) else { return nil }
    switch value {
    case let value as any FrozenEncodable: return AnyEncodable(value: value.frozenEncodable)
    case let value as any Encodable: return AnyEncodable(value: value)
    // The stored value of a custom type that is not `Encodable`.
    case let value as any FailableCustomPersistable: return encodable(value.persistableValue)
    default: return nil
    }
}

/// A linked object: whole, or as its primary key if the encoder's options say so.
struct LinkedObject: Encodable {
    let object: ObjectBase

    func encode(to encoder: any Encoder) throws {
        guard encoder.userInfo[.linksAsKeys] as? Bool == true,
            let key = object.__model.primaryKey
        else { return try Frozen<ObjectBase>(frozen: object).encode(to: encoder) }
        var container = encoder.singleValueContainer()
        try container.encode(encodable(object._anyValue(key)))
    }
}

/// The properties of an unmanaged object whose class does not encode itself.
private struct UnmanagedValues: Encodable {
    let object: ObjectBase

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NameKey.self)
        for property in object._discovered.properties where property.shape.role == .stored {
            let value = property.type._anyValue(object, at: property.place)
            try container.encode(encodable(value), forKey: NameKey(property.name))
        }
    }
}

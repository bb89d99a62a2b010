extension Persisted: Decodable where Value: Decodable {
    /// Decodes the value of a property of an unmanaged object. An absent value is an error, not the
    /// property's default.
    ///
    /// - Throws: what decoding the value throws, most often `DecodingError`.
    public init(from decoder: any Decoder) throws {
        self.init(options: [], makeDefault: nil)
        // Through a container, which knows the decoder's strategies for dates and data.
        value = try decoder.singleValueContainer().decode(Value.self)
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Encodes the value of a property of an unmanaged object. A default that was not evaluated yet
    /// is evaluated but not stored: before encoding, read a property whose default differs each
    /// time, such as a new `UUID`.
    ///
    /// - Throws: `EncodingError` for a managed object, whose values are in its row: encode
    ///   ``ModelObject/freeze()`` of it.
    public func encode(to encoder: any Encoder) throws {
        guard column < 0 else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "A managed object does not encode. Encode object.freeze()."))
        }
        var container = encoder.singleValueContainer()
        try container.encode(value ?? freshDefault())
    }
}

extension KeyedDecodingContainer {
    /// Decodes an optional property; absent is nil.
    public func decode<Value: Decodable & OptionalPersistable>(
        _: Persisted<Value?>.Type, forKey key: Key
    ) throws -> Persisted<Value?> {
        var wrapper = Persisted<Value?>()
        wrapper.value = .some(try decodeIfPresent(Value.self, forKey: key))
        return wrapper
    }

    /// Decodes a value of any type; absent is no value.
    public func decode(
        _: Persisted<AnyRealmValue>.Type, forKey key: Key
    ) throws -> Persisted<AnyRealmValue> {
        var wrapper = Persisted<AnyRealmValue>()
        wrapper.value = try decodeIfPresent(AnyRealmValue.self, forKey: key) ?? AnyRealmValue.none
        return wrapper
    }
}

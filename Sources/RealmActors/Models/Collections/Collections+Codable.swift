extension List: Decodable where Element: Decodable {
    /// Decodes an array into an unmanaged list.
    ///
    /// - Throws: what decoding the elements throws, most often `DecodingError`.
    public init(from decoder: any Decoder) throws { self.init(try [Element](from: decoder)) }
}

extension List: Encodable where Element: Encodable {
    /// Encodes an array.
    ///
    /// - Throws: what the elements throw; ``RealmError`` when the store could not be read.
    public func encode(to encoder: any Encoder) throws {
        try Array(self).encode(to: encoder)
        try place.requireReadable()
    }
}

extension MutableSet: Decodable where Element: Decodable {
    /// Decodes an array into an unmanaged set.
    ///
    /// - Throws: what decoding the elements throws, most often `DecodingError`.
    public init(from decoder: any Decoder) throws { self.init(try [Element](from: decoder)) }
}

extension MutableSet: Encodable where Element: Encodable {
    /// Encodes an array.
    ///
    /// - Throws: what the elements throw; ``RealmError`` when the store could not be read.
    public func encode(to encoder: any Encoder) throws {
        try Array(self).encode(to: encoder)
        try place.requireReadable()
    }
}

extension Map: Decodable where Key == String, Value: Decodable {
    /// Decodes an object into an unmanaged map.
    ///
    /// - Throws: what decoding the values throws, most often `DecodingError`.
    public init(from decoder: any Decoder) throws {
        self.init(try [String: Value](from: decoder))
    }
}

extension Map: Encodable where Key == String, Value: Encodable {
    /// Encodes an object.
    ///
    /// - Throws: what the values throw; ``RealmError`` when the store could not be read.
    public func encode(to encoder: any Encoder) throws {
        try dictionary.encode(to: encoder)
        try place.requireReadable()
    }
}

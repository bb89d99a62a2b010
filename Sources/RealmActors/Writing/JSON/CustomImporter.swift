import Storage

/// Imports values of a type that a program defines, from the JSON of their stored form.
struct CustomImporter<Value: FailableCustomPersistable>: CheckedImporter {
    let base: any ValueImporter & ElementImporter

    init(stored base: any ValueImporter & ElementImporter) { self.base = base }

    /// Refuses stored values that the type cannot be made from.
    func checked(_ stored: StoredValue, _ path: [any CodingKey]) throws -> StoredValue {
        if Value._from(StorableValue(stored)) != nil { return stored }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: path, debugDescription: "It is not a value of '\(Value.self)'."))
    }
}

/// Imports elements that decode themselves and do not fit into one column.
struct DecodedElementImporter<Element: CollectionElement & Decodable>: ElementImporter {
    func next(
        _ source: inout any UnkeyedDecodingContainer, _ target: JSONImport
    ) throws -> StoredValue {
        try target.stored(source.decode(Element.self))
    }

    func value(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ target: JSONImport
    ) throws -> StoredValue {
        try target.stored(source.decode(Element.self, forKey: key))
    }
}

/// Imports elements by the conversion that `create` uses.
struct ConvertedElementImporter<Element: CollectionElement>: ElementImporter {
    func next(
        _ source: inout any UnkeyedDecodingContainer, _ target: JSONImport
    ) throws -> StoredValue {
        try stored(source.decode(AnyJSON.self), target)
    }

    func value(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ target: JSONImport
    ) throws -> StoredValue {
        try stored(source.decode(AnyJSON.self, forKey: key), target)
    }

    private func stored(_ json: AnyJSON, _ target: JSONImport) throws(RealmError) -> StoredValue {
        try target.stored(Element._convert(json.value, target.conversion))
    }
}

import Storage

/// Wraps an importer for a property that accepts only some of its values.
protocol CheckedImporter: ValueImporter, ElementImporter {
    /// Imports the stored value.
    var base: any ValueImporter & ElementImporter { get }

    /// The value if the property accepts it; throws otherwise.
    func checked(_ stored: StoredValue, _ path: [any CodingKey]) throws -> StoredValue
}

extension CheckedImporter {
    func insert(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ row: RowTarget, _ column: Int
    ) throws {
        row.writer.set(column, try stored(source, key))
    }

    func stored(_ source: KeyedDecodingContainer<NameKey>, _ key: NameKey) throws -> StoredValue {
        try checked(base.stored(source, key), source.codingPath + [key])
    }

    func next(
        _ source: inout any UnkeyedDecodingContainer, _ target: JSONImport
    ) throws -> StoredValue {
        let path = source.codingPath
        return try checked(base.next(&source, target), path)
    }

    func value(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ target: JSONImport
    ) throws -> StoredValue { try stored(source, key) }
}

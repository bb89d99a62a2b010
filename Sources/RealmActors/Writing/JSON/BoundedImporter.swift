import Storage

/// Imports integers of which the column takes fewer than the type has.
struct BoundedImporter: ValueImporter, ElementImporter {
    let base: any ValueImporter & ElementImporter
    let range: IntegerRange

    private func checked(_ stored: StoredValue, _ path: [any CodingKey]) throws -> StoredValue {
        guard case .int(let number) = stored, !range.bounds.contains(number) else { return stored }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: path, debugDescription: "It takes \(range.described)."))
    }

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

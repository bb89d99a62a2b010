import Storage

/// Imports integers of which the column takes fewer than the type has.
struct BoundedImporter: CheckedImporter {
    let base: any ValueImporter & ElementImporter
    let range: IntegerRange

    func checked(_ stored: StoredValue, _ path: [any CodingKey]) throws -> StoredValue {
        guard case .int(let number) = stored, !range.bounds.contains(number) else { return stored }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: path, debugDescription: "It takes \(range.described)."))
    }
}

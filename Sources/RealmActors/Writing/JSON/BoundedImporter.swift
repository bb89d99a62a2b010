import Storage

/// Imports integers into a column with a smaller range than the type.
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

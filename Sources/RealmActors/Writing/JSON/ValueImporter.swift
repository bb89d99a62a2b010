import Storage

/// Imports a property that is stored in one column of the row.
protocol ValueImporter {
    /// Decodes the value and writes it into a new row.
    func insert(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ row: RowTarget, _ column: Int
    ) throws

    /// Decodes the value.
    func stored(_ source: KeyedDecodingContainer<NameKey>, _ key: NameKey) throws -> StoredValue
}

/// Imports one element of a collection.
protocol ElementImporter {
    /// Decodes the next element of an array.
    func next(
        _ source: inout any UnkeyedDecodingContainer, _ target: JSONImport
    ) throws -> StoredValue

    /// Decodes the value of a key.
    func value(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ target: JSONImport
    ) throws -> StoredValue
}

/// Imports scalars for which decoders have a dedicated method.
struct DirectImporter<Scalar: DirectScalar>: ValueImporter, ElementImporter {
    func insert(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ row: RowTarget, _ column: Int
    ) throws {
        try Scalar.direct(source, key)._write(row, column)
    }

    func stored(_ source: KeyedDecodingContainer<NameKey>, _ key: NameKey) throws -> StoredValue {
        try Scalar.direct(source, key)._scalar.value
    }

    func next(
        _ source: inout any UnkeyedDecodingContainer, _ target: JSONImport
    ) throws -> StoredValue {
        try Scalar.direct(&source)._scalar.value
    }

    func value(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ target: JSONImport
    ) throws -> StoredValue {
        try Scalar.direct(source, key)._scalar.value
    }
}

/// Imports scalars that decode themselves: dates and data by the decoder's strategies, enums,
/// identifiers.
struct ScalarImporter<Scalar: PersistableScalar & Decodable>: ValueImporter, ElementImporter {
    func insert(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ row: RowTarget, _ column: Int
    ) throws {
        try source.decode(Scalar.self, forKey: key)._write(row, column)
    }

    func stored(_ source: KeyedDecodingContainer<NameKey>, _ key: NameKey) throws -> StoredValue {
        try source.decode(Scalar.self, forKey: key)._scalar.value
    }

    func next(
        _ source: inout any UnkeyedDecodingContainer, _ target: JSONImport
    ) throws -> StoredValue {
        try source.decode(Scalar.self)._scalar.value
    }

    func value(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ target: JSONImport
    ) throws -> StoredValue {
        try source.decode(Scalar.self, forKey: key)._scalar.value
    }
}

/// Imports what may be null.
struct OptionalImporter: ValueImporter {
    let wrapped: any ValueImporter

    func insert(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ row: RowTarget, _ column: Int
    ) throws {
        if try source.decodeNil(forKey: key) { return row.writer.setNull(column) }
        try wrapped.insert(source, key, row, column)
    }

    func stored(_ source: KeyedDecodingContainer<NameKey>, _ key: NameKey) throws -> StoredValue {
        try source.decodeNil(forKey: key) ? .null : wrapped.stored(source, key)
    }
}

/// Imports elements that may be null.
struct OptionalElementImporter: ElementImporter {
    let wrapped: any ElementImporter

    func next(
        _ source: inout any UnkeyedDecodingContainer, _ target: JSONImport
    ) throws -> StoredValue {
        try source.decodeNil() ? .null : wrapped.next(&source, target)
    }

    func value(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ target: JSONImport
    ) throws -> StoredValue {
        try source.decodeNil(forKey: key) ? .null : wrapped.value(source, key, target)
    }
}

/// Imports objects of a class as elements.
struct ObjectElementImporter: ElementImporter {
    let classID: ClassID

    func next(
        _ source: inout any UnkeyedDecodingContainer, _ target: JSONImport
    ) throws -> StoredValue {
        let values: KeyedDecodingContainer<NameKey>
        do {
            values = try source.nestedContainer(keyedBy: NameKey.self)
        } catch {
            // A failed decode does not advance the container.
            let row = try target.object(withKey: { try source.decode(AnyJSON.self) }, classID)
            guard let row else { throw error }
            return .link(row)
        }
        return .link(try target.object(values, classID))
    }

    func value(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ target: JSONImport
    ) throws -> StoredValue {
        .link(try target.object(source, key, classID))
    }
}

/// Imports values of any type as elements.
struct AnyElementImporter: ElementImporter {
    func next(
        _ source: inout any UnkeyedDecodingContainer, _ target: JSONImport
    ) throws -> StoredValue {
        try target.stored(source.decode(AnyJSON.self))
    }

    func value(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ target: JSONImport
    ) throws -> StoredValue {
        try target.stored(source.decode(AnyJSON.self, forKey: key))
    }
}

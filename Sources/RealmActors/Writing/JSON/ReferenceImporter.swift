import Storage

/// The column of a row that is being imported, once the row is there.
struct ImportPlace {
    let target: JSONImport
    let model: ModelBinding
    let key: RowKey
    let column: ColumnID
    /// The accessor of a row that is updated; nil for a new row.
    let updated: ObjectBase?

    var tree: WorkingTree { target.tree }
    var classID: ClassID { model.classID }
    var schema: ColumnSchema { model.columns[column.rawValue] }

    /// Whether the property takes null.
    var allowsNull: Bool { model.property(column)?.shape.isNullable ?? false }

    /// Whether only what differs is written.
    var comparesFirst: Bool { updated != nil && target.update == .modified }

    /// Writes a value; the previous embedded object of an updated row is deleted.
    func set(_ value: StoredValue) {
        if let updated {
            updated._set(
                value, column.rawValue, target.update == .modified ? .differences : .everything)
        } else if !value.isNull {
            tree.set(value, classID, key, column)
        }
    }

    /// The present elements of a list or a set, or the present values of a map.
    func present() -> (keys: [StoredValue], values: [StoredValue]) {
        guard updated != nil, let row = tree.locate(classID, key) else { return ([], []) }
        var keys: [StoredValue] = []
        var values: [StoredValue] = []
        if schema.container == .map {
            let map = row.cluster.map(column.rawValue, row.slot, schema)
            map.keys.forEach { keys.append($0) }
            map.values.forEach { values.append($0) }
        } else {
            row.cluster.sequence(column.rawValue, row.slot, schema).forEach { values.append($0) }
        }
        return (keys, values)
    }

    /// Deletes the embedded objects among `former` that a collection holds no longer.
    func deleteEmbedded(_ former: [StoredValue], except present: [StoredValue]) {
        guard let target = schema.target, tree.schema[target].isEmbedded else { return }
        let removed = Set(former.compactMap(\.rowKey)).subtracting(present.compactMap(\.rowKey))
        if !removed.isEmpty { tree.delete(target, removed.sorted()) }
    }
}

extension StoredValue {
    fileprivate var rowKey: RowKey? {
        if case .link(let key) = self { key } else { nil }
    }
}

/// Imports a link or a collection, after the row itself was created.
protocol ReferenceImporter {
    func write(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ place: ImportPlace
    ) throws
}

/// Imports a link, or an embedded object.
struct LinkImporter: ReferenceImporter {
    let classID: ClassID

    func write(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ place: ImportPlace
    ) throws {
        if try source.decodeNil(forKey: key) { return place.set(.null) }
        // An update that compares first changes an embedded object in place.
        if place.comparesFirst, place.tree.schema[classID].isEmbedded,
            let row = place.tree.locate(place.classID, place.key),
            let embedded = row.cluster.link(place.column.rawValue, row.slot)
        {
            let values = try source.nestedContainer(keyedBy: NameKey.self, forKey: key)
            return try place.target.change(embedded, classID, values)
        }
        place.set(.link(try place.target.object(source, key, classID)))
    }
}

/// Imports a value of any type.
struct AnyValueImporter: ReferenceImporter {
    func write(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ place: ImportPlace
    ) throws {
        let value = try source.decode(AnyJSON.self, forKey: key)
        place.set(try place.target.stored(value))
    }
}

/// Imports a value that is stored as an embedded object.
struct EmbeddedValueImporter: ReferenceImporter {
    let element: any ElementImporter
    /// Whether the type decodes JSON by itself, and decides which fields may be missing.
    let decodesItself: Bool

    func write(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ place: ImportPlace
    ) throws {
        if place.allowsNull, try source.decodeNil(forKey: key) { return place.set(.null) }
        // An update that compares first keeps absent properties.
        if place.comparesFirst, !decodesItself, let updated = place.updated,
            let name = place.model.property(place.column)?.name
        {
            let json = try source.decode(AnyJSON.self, forKey: key).value
            return try place.target.conversion.assign(
                [name: json], to: updated, changes: .differences)
        }
        place.set(try element.value(source, key, place.target))
    }
}

/// Imports an array.
struct ListImporter: ReferenceImporter {
    let element: any ElementImporter

    func write(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ place: ImportPlace
    ) throws {
        if place.comparesFirst, let embedded = element as? ObjectElementImporter,
            place.tree.schema[embedded.classID].isEmbedded
        {
            return try update(embedded.classID, source, key, place)
        }
        let values = try elements(of: source, key, element, place.target)
        let former = place.present().values
        if place.comparesFirst {
            place.tree.write(.elements(values), place.classID, place.key, place.column)
            return place.deleteEmbedded(former, except: values)
        }
        if !former.isEmpty { place.tree.listRemoveAll(place.classID, place.key, place.column) }
        if !values.isEmpty {
            place.tree.listAppend(contentsOf: values, place.classID, place.key, place.column)
        }
        place.deleteEmbedded(former, except: values)
    }
}

extension ListImporter {
    /// Changes embedded objects in place; creates or deletes only those by which the counts differ.
    private func update(
        _ classID: ClassID, _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey,
        _ place: ImportPlace
    ) throws {
        let present = place.present().values.compactMap(\.rowKey)
        var count = 0
        var added: [StoredValue] = []
        if try !source.decodeNil(forKey: key) {
            var array = try source.nestedUnkeyedContainer(forKey: key)
            while !array.isAtEnd {
                let values = try array.nestedContainer(keyedBy: NameKey.self)
                if count < present.count {
                    try place.target.change(present[count], classID, values)
                } else {
                    added.append(.link(try place.target.object(values, classID)))
                }
                count += 1
            }
        }
        if !added.isEmpty {
            place.tree.listAppend(contentsOf: added, place.classID, place.key, place.column)
        }
        if count < present.count, let target = place.schema.target {
            place.tree.delete(target, Array(present[count...]))
        }
    }
}

/// Imports an array as a set.
struct SetImporter: ReferenceImporter {
    let element: any ElementImporter

    func write(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ place: ImportPlace
    ) throws {
        let values = try elements(of: source, key, element, place.target).map { value in
            try value.checkedForSet()
        }
        if place.comparesFirst {
            return place.tree.write(.elements(values), place.classID, place.key, place.column)
        }
        let former = place.present().values
        if !former.isEmpty { place.tree.setRemoveAll(place.classID, place.key, place.column) }
        for value in values {
            _ = place.tree.setInsert(value, place.classID, place.key, place.column)
        }
    }
}

/// Imports an object as a map.
struct MapImporter: ReferenceImporter {
    let element: any ElementImporter

    func write(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ place: ImportPlace
    ) throws {
        let wrapped = (element as? OptionalElementImporter)?.wrapped as? ObjectElementImporter
        let embedded = wrapped.flatMap { wrapped in
            place.comparesFirst && place.tree.schema[wrapped.classID].isEmbedded
                ? wrapped.classID : nil
        }
        let former = place.present()
        // As the store distinguishes keys, which is by their bytes.
        var present: [StoredValue: RowKey] = [:]
        for case (let name, .link(let row)) in zip(former.keys, former.values) {
            present[name] = row
        }
        var entries: [(key: String, value: StoredValue)] = []
        if try !source.decodeNil(forKey: key) {
            let values = try source.nestedContainer(keyedBy: NameKey.self, forKey: key)
            let names = values.allKeys.sorted {
                NestedEntry.precedes($0.stringValue, $1.stringValue)
            }
            for name in names {
                try Map<String, Int>.check(name.stringValue)
                // An update that compares first changes embedded objects in place.
                if let embedded, let row = present[.string(name.stringValue)],
                    try !values.decodeNil(forKey: name)
                {
                    let inner = try values.nestedContainer(keyedBy: NameKey.self, forKey: name)
                    try place.target.change(row, embedded, inner)
                    entries.append((name.stringValue, .link(row)))
                } else {
                    let value = try element.value(values, name, place.target)
                    entries.append((name.stringValue, value))
                }
            }
        }
        if place.comparesFirst, former.values == entries.map(\.value),
            former.keys == entries.map({ .string($0.key) })
        {
            return
        }
        if place.comparesFirst {
            place.tree.write(
                .entries(keys: entries.map(\.key), values: entries.map(\.value)), place.classID,
                place.key, place.column)
            return place.deleteEmbedded(former.values, except: entries.map(\.value))
        }
        if !former.keys.isEmpty { place.tree.mapRemoveAll(place.classID, place.key, place.column) }
        for (name, value) in entries {
            place.tree.mapSet(value, forKey: name, place.classID, place.key, place.column)
        }
        place.deleteEmbedded(former.values, except: entries.map(\.value))
    }
}

/// Imports what no other importer knows, by the conversion that `create` uses.
struct ConvertingImporter: ReferenceImporter {
    let property: PropertyBinding

    func write(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ place: ImportPlace
    ) throws {
        let value = try source.decode(AnyJSON.self, forKey: key).value
        let object =
            place.updated ?? place.model.makeAccessor(live: place.target.context, place.key)
        try property.type._assignAny(
            value, to: object, at: property.place, place.target.conversion,
            place.comparesFirst ? .differences : .everything)
    }
}

/// The elements of an array; none for null.
private func elements(
    of source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ element: any ElementImporter,
    _ target: JSONImport
) throws -> [StoredValue] {
    if try source.decodeNil(forKey: key) { return [] }
    var array = try source.nestedUnkeyedContainer(forKey: key)
    var values: [StoredValue] = []
    values.reserveCapacity(array.count ?? 0)
    while !array.isAtEnd { values.append(try element.next(&array, target)) }
    return values
}

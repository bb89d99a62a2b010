/// Writes the objects of a `.realm` file as rows, into a tree of ``StoreSchema/init(of:)`` without
/// any.
///
/// A row has the key of its object, so that links are known before what they lead to is there.
struct RealmFileRows {
    /// Whether to leave out what is damaged.
    let isSalvage: Bool
    private let file: RealmFile
    private let tree: WorkingTree
    private let report: (Int) throws -> Void
    private var values: RealmFileValues
    private var done = 0

    /// `report` gets the number of objects that were written, now and then, and may throw to give
    /// up.
    init(
        _ file: RealmFile, into tree: WorkingTree, isSalvage: Bool,
        report: @escaping (Int) throws -> Void
    ) throws {
        self.file = file
        self.tree = tree
        self.isSalvage = isSalvage
        self.report = report
        values = RealmFileValues(
            file, keys: try Self.keys(of: file, report), isSalvage: isSalvage)
    }

    /// What was kept otherwise than it stands in the file.
    var changes: RealmFileChanges { values.changes }

    /// The keys of all objects that links may lead to, by their classes.
    private static func keys(
        of file: RealmFile, _ report: (Int) throws -> Void
    ) throws -> [ClassID: RealmFileKeys] {
        var found: [ClassID: RealmFileKeys] = [:]
        for (number, entry) in file.classes.enumerated() {
            var keys = RealmFileKeys()
            var last: Int64 = -1
            var cursor = file.objects(of: entry, [])
            while let batch = try cursor.next() {
                try report(0)
                for key in batch.keys {
                    guard key > last, key < .max else {
                        throw RealmFileError.damaged(
                            path: file.path, offset: 0,
                            reason: "the keys of class '\(entry.name)' do not ascend")
                    }
                    keys.append(key)
                    last = key
                }
            }
            found[ClassID(number)] = keys
        }
        return found
    }

    /// Writes all objects. Takes no more memory than the tree's budget and the largest objects.
    mutating func write() throws {
        for (number, entry) in file.classes.enumerated() {
            var cursor = file.objects(of: entry)
            while let batch = try cursor.next() {
                try write(batch, ClassID(number))
                done += batch.count
                tree.spillIfDue()
                try requireReadable()
                try report(done)
            }
        }
        for (number, entry) in file.classes.enumerated() {
            if entry.primaryKey != nil { try keepOneOfEachKey(ClassID(number), entry) }
        }
        removeOrphans()
        try requireReadable()
    }

    /// Throws what a node has met that was written before, or what a value was refused for.
    private func requireReadable() throws(StorageError) {
        if let failure = tree.account.failure { throw failure }
        if let refusal = tree.account.refusal { throw refusal }
    }

    private mutating func write(_ batch: RealmFileBatch, _ id: ClassID) throws {
        let state = tree.states[id.rawValue]
        for row in 0..<batch.count {
            let key = RowKey(batch.keys[row])
            tree.create(state, key)
            guard let writer = tree.writer(id, key) else { continue }
            // Values first: a row is open for these until something else of the tree is written.
            var hasCollections = false
            for (column, values) in batch.columns.enumerated() {
                if case .collection = values {
                    hasCollections = true
                } else {
                    try write(values, batch, row, column, state.schema.columns[column], writer)
                }
            }
            if hasCollections { try writeCollections(batch, row, id, key) }
        }
    }

    /// Writes a single value. One that cannot be read is that of a new object.
    private mutating func write(
        _ column: RealmFileColumn, _ batch: RealmFileBatch, _ row: Int, _ index: Int,
        _ schema: ColumnSchema, _ writer: RowWriter
    ) throws(RealmFileError) {
        switch column {
        case .int(let values):
            if let value = values[row] { return writer.setInt(index, value) }
        case .bool(let values):
            if let value = values[row] { return writer.setBool(index, value) }
        case .float(let values):
            if let bits = values[row] { return writer.setFloat(index, Float(bitPattern: bits)) }
        case .double(let values):
            if let bits = values[row] { return writer.setDouble(index, Double(bitPattern: bits)) }
        case .date(let values):
            if let date = values[row] { return writer.setDate(index, date.sinceReferenceDate) }
        case .decimal(let values):
            if let value = values[row] { return writer.setDecimal(index, value.stored) }
        case .objectID(let values):
            if let id = values[row] {
                return writer.setObjectID(index, ObjectIDBits(high: id.high, low: id.low))
            }
        case .uuid(let values):
            if let id = values[row] { return writer.setUUID(index, id.stored) }
        case .link(let keys, _):
            guard let key = keys[row], let target = schema.target else { break }
            return writer.setLink(index, try values.target(key, in: target))
        case .string, .data, .mixed:
            let value = try values.stored(batch.value(of: index, at: row))
            if !value.isNull { return writer.set(index, value) }
        case .collection, .unreadable: break
        }
        if schema.isNullable { writer.setNull(index) }
    }

    private mutating func writeCollections(
        _ batch: RealmFileBatch, _ row: Int, _ id: ClassID, _ key: RowKey
    ) throws {
        for column in batch.columns.indices {
            guard case .collection = batch.columns[column],
                case .collection(let collection) = try batch.value(of: column, at: row)
            else { continue }
            let schema = tree.schema[id].columns[column]
            if collection.kind == .dictionary {
                try writeEntries(of: collection, schema, id, key, ColumnID(column))
            } else {
                try writeElements(of: collection, schema, id, key, ColumnID(column))
            }
        }
    }

    private mutating func writeElements(
        of collection: RealmFileCollection, _ schema: ColumnSchema, _ id: ClassID, _ key: RowKey,
        _ column: ColumnID
    ) throws {
        var reader = collection.elements()
        while let run = try reader.next() {
            var elements: [StoredValue] = []
            elements.reserveCapacity(run.count)
            for index in 0..<run.count {
                guard let value = try run.value(at: index) else { continue }
                let element = try self.element(value, schema)
                // A set and a list of links hold no link that leads nowhere.
                if element.isNull, schema.kind == .link || !schema.isNullable { continue }
                elements.append(element)
            }
            if collection.kind == .list {
                tree.listAppend(contentsOf: elements, id, key, column)
            } else {
                for element in elements where !tree.setInsert(element, id, key, column) {
                    values.changes.mergedElements += 1
                }
            }
        }
    }

    private mutating func writeEntries(
        of collection: RealmFileCollection, _ schema: ColumnSchema, _ id: ClassID, _ key: RowKey,
        _ column: ColumnID
    ) throws {
        var reader = collection.entries()
        while let (name, value) = try reader.next() {
            let element = try element(value, schema)
            if element.isNull, !schema.isNullable { continue }
            tree.mapSet(element, forKey: values.text(name), id, key, column)
        }
    }

    /// An element of a collection of the column.
    private mutating func element(
        _ value: RealmFileValue, _ schema: ColumnSchema
    ) throws(RealmFileError) -> StoredValue {
        guard schema.kind == .link, let target = schema.target else {
            let stored = try values.stored(value)
            if stored.isNull || schema.kind == .mixed || stored.kind == schema.kind {
                return stored
            }
            throw RealmFileError.damaged(
                path: file.path, offset: 0,
                reason: "a collection '\(schema.name)' holds a value of another type")
        }
        guard case .link(let link) = value, values.classID(link.table) == target else {
            return .null
        }
        return try values.target(link.key, in: target).map { .link($0) } ?? .null
    }

    // MARK: What a sound file has none of

    /// Primary keys are unique; of objects that share one the first stays, in a salvage.
    private mutating func keepOneOfEachKey(_ id: ClassID, _ entry: RealmFileClass) throws {
        let repeated = tree.repeatedPrimaryKeys(id, limit: isSalvage ? .max : 1)
        if repeated.isEmpty { return }
        guard isSalvage, let column = tree.schema[id].primaryKey else {
            throw RealmFileError.damaged(
                path: file.path, offset: 0,
                reason: "objects of class '\(entry.name)' have the same primary key")
        }
        let shared = Set(repeated.map(\.value))
        let schema = tree.schema[id].columns[column.rawValue]
        var gone: [RowKey] = []
        var seen: Set<StoredValue> = []
        tree.forEachCluster(id) { keys in
            for key in keys {
                guard let value = tree.locate(id, key)?.value(column.rawValue, schema),
                    shared.contains(value)
                else { continue }
                if !seen.insert(value).inserted { gone.append(key) }
            }
        }
        values.changes.droppedDuplicates += gone.count
        tree.delete(id, gone)
    }

    /// Removes embedded objects without a parent, which Realm may leave behind.
    private mutating func removeOrphans() {
        for id in tree.schema.classes.indices.map({ ClassID($0) })
        where tree.schema[id].isEmbedded {
            let incoming = tree.schema.incoming(id)
            var orphans: [RowKey] = []
            tree.forEachCluster(id) { keys in
                for key in keys
                where !incoming.contains(where: {
                    tree.view.backlinks(to: key, origin: $0.origin, column: $0.column).count > 0
                }) { orphans.append(key) }
            }
            if orphans.isEmpty { continue }
            values.changes.droppedOrphans += orphans.count
            tree.delete(id, orphans)
        }
    }
}

/// Writes the objects of a `.realm` file as rows behind those that a tree has.
///
/// Which row an object gets follows from its place among the keys of its class, so that links are
/// known before what they lead to is there.
struct RealmFileRows {
    /// Whether to leave out what is damaged.
    let isSalvage: Bool
    private let file: RealmFile
    private let tree: WorkingTree
    private let fit: RealmFileFit
    private let report: (Int) throws -> Void
    private var values: RealmFileValues
    private var done = 0

    /// `report` gets the number of objects that were written, now and then, and may throw to give
    /// up. Nothing is written yet.
    ///
    /// - Throws: ``RealmFileConflict``: the tree has an object of the file already.
    init(
        _ file: RealmFile, _ fit: RealmFileFit, into tree: WorkingTree, isSalvage: Bool,
        report: @escaping (Int) throws -> Void
    ) throws {
        self.file = file
        self.fit = fit
        self.tree = tree
        self.isSalvage = isSalvage
        self.report = report
        var found: [ClassID: RealmFileKeys] = [:]
        values = RealmFileValues(file, fit, keys: [:], isSalvage: isSalvage)
        for (number, entry) in file.classes.enumerated() {
            let id = fit.classes[number]
            found[id] = try keys(of: entry, id)
        }
        values = RealmFileValues(file, fit, keys: found, isSalvage: isSalvage)
    }

    /// What was kept otherwise than it stands in the file.
    var changes: RealmFileChanges { values.changes }

    /// The keys of all objects of a class that links may lead to.
    private mutating func keys(
        of entry: RealmFileClass, _ id: ClassID
    ) throws -> RealmFileKeys {
        var keys = RealmFileKeys(base: tree.nextRow(tree.states[id.rawValue]))
        let primaryKey = entry.properties.filter { $0.isPrimaryKey && tree.count(id) > 0 }
        var last: Int64 = -1
        var cursor = file.objects(of: entry, primaryKey)
        while let batch = try cursor.next() {
            try report(0)
            for (row, key) in batch.keys.enumerated() {
                guard key > last else {
                    throw RealmFileError.damaged(
                        path: file.path, offset: 0,
                        reason: "the keys of class '\(entry.name)' do not ascend")
                }
                keys.append(key)
                last = key
                if primaryKey.isEmpty { continue }
                let value = try values.stored(batch.value(of: 0, at: row))
                if tree.find(id, primaryKey: value) != nil {
                    throw RealmFileConflict(className: entry.name, key: value)
                }
            }
        }
        return keys
    }

    /// Writes all objects. Takes no more memory than the tree's budget and the largest objects.
    mutating func write() throws {
        for (number, entry) in file.classes.enumerated() {
            var cursor = file.objects(of: entry)
            while let batch = try cursor.next() {
                try write(batch, number)
                done += batch.count
                tree.spillIfDue()
                try requireReadable()
                try report(done)
            }
        }
        for (id, entry) in zip(fit.classes, file.classes) where entry.primaryKey != nil {
            try keepOneOfEachKey(id, entry)
        }
        try keepThoseOfOneParent()
        try requireReadable()
    }

    /// Throws what a node has met that was written before, or what a value was refused for.
    private func requireReadable() throws(StorageError) {
        if let failure = tree.account.failure { throw failure }
        if let refusal = tree.account.refusal { throw refusal }
    }

    private mutating func write(_ batch: RealmFileBatch, _ number: Int) throws {
        let id = fit.classes[number]
        let places = fit.columns[number]
        let state = tree.states[id.rawValue]
        guard let keys = values.rows(id) else { return }
        for row in 0..<batch.count {
            guard let key = keys.row(of: batch.keys[row]) else { continue }
            tree.create(state, key)
            guard let writer = tree.writer(id, key) else { continue }
            // Values first: a row is open for these until something else of the tree is written.
            var hasCollections = false
            for (column, place) in places.enumerated() {
                if case .collection = batch.columns[column] {
                    hasCollections = true
                } else {
                    try write(batch, row, column, state.schema, place.rawValue, writer)
                }
            }
            if hasCollections { try writeCollections(batch, row, places, id, key) }
        }
    }

    /// Writes a single value. One that cannot be read is that of a new object.
    private mutating func write(
        _ batch: RealmFileBatch, _ row: Int, _ column: Int, _ owner: ClassSchema, _ index: Int,
        _ writer: RowWriter
    ) throws {
        let schema = owner.columns[index]
        switch batch.columns[column] {
        case .int(let values):
            if let value = values[row] {
                try requireRange(value, schema, owner)
                return writer.setInt(index, value)
            }
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
            let value = try values.stored(batch.value(of: column, at: row))
            if !value.isNull { return writer.set(index, value) }
        case .collection, .unreadable: break
        }
        // A list that cannot be read is empty, whether or not its elements may be null.
        if schema.isNullable, schema.container == .none { writer.setNull(index) }
    }

    private mutating func writeCollections(
        _ batch: RealmFileBatch, _ row: Int, _ places: [ColumnID], _ id: ClassID, _ key: RowKey
    ) throws {
        for (column, place) in places.enumerated() {
            guard case .collection = batch.columns[column],
                case .collection(let collection) = try batch.value(of: column, at: row)
            else { continue }
            if collection.kind == .dictionary {
                try writeEntries(of: collection, id, key, place)
            } else {
                try writeElements(of: collection, id, key, place)
            }
        }
    }

    private mutating func writeElements(
        of collection: RealmFileCollection, _ id: ClassID, _ key: RowKey, _ column: ColumnID
    ) throws {
        let owner = tree.schema[id]
        let schema = owner.columns[column.rawValue]
        var reader = collection.elements()
        while let run = try reader.next() {
            var elements: [StoredValue] = []
            elements.reserveCapacity(run.count)
            for index in 0..<run.count {
                guard let value = try run.value(at: index) else { continue }
                let element = try self.element(value, schema, owner)
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
        of collection: RealmFileCollection, _ id: ClassID, _ key: RowKey, _ column: ColumnID
    ) throws {
        let owner = tree.schema[id]
        let schema = owner.columns[column.rawValue]
        var reader = collection.entries()
        var count = 0
        while let (name, value) = try reader.next() {
            let element = try element(value, schema, owner)
            if element.isNull, !schema.isNullable { continue }
            tree.mapSet(element, forKey: values.text(name), id, key, column)
            count += 1
        }
        guard count > 0, let row = tree.locate(id, key) else { return }
        values.changes.mergedElements +=
            count - row.cluster.map(column.rawValue, row.slot, schema).count
    }

    /// An element of a collection of the column.
    private mutating func element(
        _ value: RealmFileValue, _ schema: ColumnSchema, _ owner: ClassSchema
    ) throws -> StoredValue {
        guard schema.kind == .link, let target = schema.target else {
            let stored = try values.stored(value)
            if case .int(let number) = stored { try requireRange(number, schema, owner) }
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

    /// Which integers a property takes is not in the file.
    @inline(__always)
    private func requireRange(
        _ value: Int64, _ schema: ColumnSchema, _ owner: ClassSchema
    ) throws(StorageError) {
        if schema.integers == .unstated || schema.integers.bounds.contains(value) { return }
        throw .invalid(
            "The file has \(value) for '\(owner.name).\(schema.name)', which takes"
                + " \(schema.integers.described).")
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
        tree.forEachCluster(id, from: first(id)) { keys in
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

    /// Removes embedded objects without a parent, which Realm may leave behind. Of those that have
    /// several it is not known whose they are: in a salvage, nobody's.
    private mutating func keepThoseOfOneParent() throws {
        for (id, entry) in zip(fit.classes, file.classes) where tree.schema[id].isEmbedded {
            let incoming = tree.schema.incoming(id)
            var (orphans, shared): ([RowKey], [RowKey]) = ([], [])
            tree.forEachCluster(id, from: first(id)) { keys in
                for key in keys {
                    let parents = incoming.reduce(0) { count, link in
                        count
                            + tree.view.backlinks(
                                to: key, origin: link.origin, column: link.column
                            ).count
                    }
                    if parents == 0 { orphans.append(key) }
                    if parents < 2 { continue }
                    shared.append(key)
                    values.changes.droppedLinks += parents
                }
            }
            if !shared.isEmpty, !isSalvage {
                throw RealmFileError.damaged(
                    path: file.path, offset: 0,
                    reason: "embedded objects of class '\(entry.name)' have several parents")
            }
            values.changes.droppedOrphans += orphans.count
            let gone = (orphans + shared).sorted()
            if !gone.isEmpty { tree.delete(id, gone) }
        }
    }

    /// The first row of the file's.
    private func first(_ id: ClassID) -> RowKey { values.rows(id)?.base ?? RowKey(.min) }
}

/// An object of a `.realm` file has the primary key of one that the store has already.
package struct RealmFileConflict: Error {
    package let className: String
    package let key: StoredValue
}

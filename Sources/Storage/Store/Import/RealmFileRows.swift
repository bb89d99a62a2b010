/// Writes the objects of a `.realm` file as new rows of a tree.
///
/// The row of an object is determined by its position among the keys of its class, so that links
/// can be written before their targets exist.
struct RealmFileRows {
    /// Whether to skip damaged parts.
    let isSalvage: Bool
    private let file: RealmFile
    private let tree: WorkingTree
    private let fit: RealmFileFit
    private let report: (Int) throws -> Void
    private var values: RealmFileValues
    private var done = 0

    /// `report` is called repeatedly with the number of objects that were written, and may throw to
    /// abort. Nothing is written yet.
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
        let unkeyed = values.changes.droppedUnkeyed
        values = RealmFileValues(file, fit, keys: found, isSalvage: isSalvage)
        values.changes.droppedUnkeyed = unkeyed
    }

    /// What was changed in comparison with the file.
    var changes: RealmFileChanges { values.changes }

    /// The keys of all objects of a class that links may refer to. A salvage omits those whose
    /// primary keys cannot be read, since all of them would get the same key.
    private mutating func keys(
        of entry: RealmFileClass, _ id: ClassID
    ) throws -> RealmFileKeys {
        var keys = RealmFileKeys(base: tree.nextRow(tree.states[id.rawValue]))
        let isKeyRead = isSalvage || tree.count(id) > 0
        let primaryKey = entry.properties.filter { $0.isPrimaryKey && isKeyRead }
        var last: Int64 = -1
        // Reading all properties reports the damage.
        var cursor = file.objects(of: entry, primaryKey, isReported: false)
        while let batch = try cursor.next() {
            try report(0)
            for (row, key) in batch.keys.enumerated() {
                guard key > last else {
                    throw RealmFileError.damaged(
                        path: file.path, offset: Int(clamping: entry.root),
                        reason: "the keys of class '\(entry.name)' are out of order")
                }
                last = key
                if !primaryKey.isEmpty {
                    guard let value = try self.primaryKey(batch, row, id) else {
                        values.changes.droppedUnkeyed += 1
                        continue
                    }
                    if tree.find(id, primaryKey: value) != nil {
                        throw RealmFileConflict(className: entry.name, key: value)
                    }
                }
                keys.append(key)
            }
        }
        return keys
    }

    /// The primary key of an object, the only property that was read; nil if it cannot be read, in
    /// a salvage.
    private mutating func primaryKey(
        _ batch: RealmFileBatch, _ row: Int, _ id: ClassID
    ) throws(RealmFileError) -> StoredValue? {
        guard let column = tree.schema[id].primaryKey else { return nil }
        let schema = tree.schema[id].columns[column.rawValue]
        if case .unreadable = batch.columns[0] { return nil }
        do throws(RealmFileError) {
            let value = try values.stored(batch.columns[0].value(at: row))
            if !value.isNull || schema.isNullable { return value }
            if let other = schema.insteadOfNull { return other }
            throw .damaged(path: file.path, offset: batch.offset, reason: Self.isNull)
        } catch {
            guard isSalvage, error.offset != nil else { throw error }
            return nil
        }
    }

    /// Writes all objects. Needs no more memory than the tree's budget, the largest object and the
    /// entries of indexes.
    mutating func write() throws {
        for (number, entry) in file.classes.enumerated() {
            var cursor = file.objects(of: entry)
            while let batch = try cursor.next() {
                try write(batch, number)
                done += batch.count
                try requireReadable()
                try report(done)
            }
        }
        let embedded = embeddedCount
        for (id, entry) in zip(fit.classes, file.classes) where entry.primaryKey != nil {
            try dropDuplicateKeys(id, entry)
        }
        try dropMultiplyOwned()
        values.changes.droppedOrphans = embedded - embeddedCount
        try requireReadable()
    }

    /// The number of embedded objects of the file's classes.
    private var embeddedCount: Int {
        fit.classes.reduce(0) { $0 + (tree.schema[$1].isEmbedded ? tree.count($1) : 0) }
    }

    /// Throws an earlier failure to read or spill nodes, or the error of a refused value.
    private func requireReadable() throws(StorageError) {
        if let failure = tree.account.failure { throw failure }
        if let refusal = tree.account.refusal { throw refusal }
        try tree.requireSpilled()
    }

    private mutating func write(_ batch: RealmFileBatch, _ number: Int) throws {
        let id = fit.classes[number]
        let places = fit.columns[number]
        let state = tree.states[id.rawValue]
        guard let keys = values.rows(id) else { return }
        for row in 0..<batch.count {
            guard let key = keys.row(of: batch.keys[row]) else {
                // Read only to report that it is unreadable.
                let column = batch.properties.firstIndex(where: \.isPrimaryKey)
                if let column { _ = try batch.value(of: column, at: row) }
                continue
            }
            values.beginObject(of: batch)
            // Before each object, since those of one batch may be large.
            tree.spillIfDue()
            try tree.requireSpilled()
            tree.create(state, key)
            guard let writer = tree.writer(id, key) else { continue }
            // Single values first: the row stays open for them until another part of the tree is
            // written.
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

    /// Writes a single value. An unreadable one is left as in a new object.
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
        case .collection: return
        case .unreadable:
            // An unreadable list is empty, even if its elements may be null.
            if schema.isNullable, schema.container == .none { writer.setNull(index) }
            return
        }
        if schema.isNullable { return writer.setNull(index) }
        if schema.insteadOfNull == nil { try batch.omit(column, at: row, Self.isNull) }
    }

    private static let isNull = "a value is null, and the property is not optional"

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
                guard let value = try run.value(at: index),
                    let element = try self.element(value, of: collection, schema, owner)
                else { continue }
                // Sets and lists of links must not contain dangling links.
                if element.isNull, schema.kind == .link { continue }
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
            guard let element = try self.element(value, of: collection, schema, owner) else {
                continue
            }
            tree.mapSet(element, forKey: values.text(name), id, key, column)
            count += 1
        }
        guard count > 0, let row = tree.locate(id, key) else { return }
        values.changes.mergedElements +=
            count - row.cluster.map(column.rawValue, row.slot, schema).count
    }

    /// An element of a collection of the column; nil if it is skipped.
    private mutating func element(
        _ value: RealmFileValue, of collection: RealmFileCollection, _ schema: ColumnSchema,
        _ owner: ClassSchema
    ) throws -> StoredValue? {
        if case .null = value {
            if schema.isNullable || schema.kind == .link { return .null }
            if let other = schema.insteadOfNull { return other }
            try collection.omit(Self.isNull)
            return nil
        }
        if schema.kind == .link, let target = schema.target {
            if case .link(let link) = value, values.classID(link.table) == target {
                let row = try values.target(link.key, in: target)
                return row.map { StoredValue.link($0) } ?? StoredValue.null
            }
        } else {
            let stored = try values.stored(value)
            // Deleting an object removes links to it from sets.
            if stored.isNull, collection.kind == .set { return nil }
            if case .int(let number) = stored { try requireRange(number, schema, owner) }
            if schema.kind == .mixed || stored.kind == schema.kind { return stored }
        }
        try collection.omit("a collection holds a value of another type")
        return nil
    }

    /// The file does not record which integers a property accepts.
    @inline(__always)
    private func requireRange(
        _ value: Int64, _ schema: ColumnSchema, _ owner: ClassSchema
    ) throws(StorageError) {
        if schema.integers == .unstated || schema.integers.bounds.contains(value) { return }
        throw .invalid(
            "The file has \(value) for '\(owner.name).\(schema.name)', which takes"
                + " \(schema.integers.described).")
    }

    // MARK: Damage and leftovers

    /// Primary keys are unique; of several objects with the same one, the first is kept, in a
    /// salvage.
    private mutating func dropDuplicateKeys(_ id: ClassID, _ entry: RealmFileClass) throws {
        let repeated = tree.repeatedPrimaryKeys(id, limit: isSalvage ? .max : 1)
        if repeated.isEmpty { return }
        guard isSalvage, let column = tree.schema[id].primaryKey else {
            throw RealmFileError.damaged(
                path: file.path, offset: Int(clamping: entry.root),
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
        values.changes.droppedLinks += linkCount(to: gone, of: id)
        tree.delete(id, gone)
    }

    /// The number of links to rows, other than their own.
    private func linkCount(to rows: [RowKey], of id: ClassID) -> Int {
        let own = RowSet(rows)
        let view = tree.view
        var count = 0
        for link in tree.schema.incoming(id) {
            for row in rows {
                view.backlinks(to: row, origin: link.origin, column: link.column).forEach {
                    if link.origin != id || !own.contains($0) { count += 1 }
                }
            }
        }
        return count
    }

    /// Removes embedded objects without a parent, which Realm may leave behind, with the objects
    /// below them. If there are several parents, the owner is unknown: a salvage removes these
    /// objects, too.
    private mutating func dropMultiplyOwned() throws {
        var gone: [(id: ClassID, rows: [RowKey])] = []
        for (id, entry) in zip(fit.classes, file.classes) where tree.schema[id].isEmbedded {
            let incoming = tree.schema.incoming(id)
            var (rows, isShared) = ([RowKey](), false)
            tree.forEachCluster(id, from: first(id)) { keys in
                for key in keys {
                    let parents = incoming.reduce(0) { count, link in
                        count
                            + tree.view.backlinks(
                                to: key, origin: link.origin, column: link.column
                            ).count
                    }
                    if parents == 1 { continue }
                    rows.append(key)
                    if parents > 1 { isShared = true }
                    values.changes.droppedLinks += parents
                }
            }
            if isShared, !isSalvage {
                throw RealmFileError.damaged(
                    path: file.path, offset: Int(clamping: entry.root),
                    reason: "embedded objects of class '\(entry.name)' have several parents")
            }
            gone.append((id, rows))
        }
        // After all were examined, since deletions cascade to embedded rows.
        for (id, rows) in gone where !rows.isEmpty { tree.delete(id, rows) }
        let known = values
        let cycles = tree.rowsInCycles(tree.schema) { known.rows($0)?.base ?? RowKey(.max) }
        for cycle in cycles { tree.delete(cycle.id, cycle.rows) }
    }

    /// The first row of a class from the file.
    private func first(_ id: ClassID) -> RowKey { values.rows(id)?.base ?? RowKey(.min) }
}

extension ColumnSchema {
    /// The replacement for null in a column that is not nullable: empty for text and data. Nil for
    /// kinds without an empty value.
    fileprivate var insteadOfNull: StoredValue? {
        kind == .string || kind == .data ? .zero(kind) : nil
    }
}

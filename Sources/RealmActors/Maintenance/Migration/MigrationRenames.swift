import Storage

/// The renames of a migration as one mapping from the store's properties to new names, whatever the
/// order of the calls. A value, with no effect on the store.
struct MigrationRenames {
    /// The rename of one stored property.
    struct Entry {
        /// The name of the column in the store.
        let source: String
        /// The new name.
        var name: String
        /// The column of the class with that name; nil for an intermediate name of a chain.
        var column: String?
        /// The column that the values were moved to; nil before that.
        var reached: String?
    }

    private(set) var entries: [String: [Entry]] = [:]

    /// Adds the rename of one call. `column` is that of the class with the new name.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` when no property has the old name.
    mutating func add(
        _ className: String, _ stored: ClassSchema, from oldName: String, to newName: String,
        column: String?
    ) throws(RealmError) {
        var known = entries[className] ?? []
        let isStored = stored.column(named: oldName) != nil
        let named = known.indices.filter {
            known[$0].name == oldName || known[$0].column == oldName
        }
        if isStored, !known.contains(where: { $0.source == oldName }) {
            known.append(Entry(source: oldName, name: newName, column: column))
        } else if named.count > 1 {
            throw .invalidKeyPath(
                "Cannot rename '\(className).\(oldName)' to '\(newName)': this migration renamed "
                    + known.filter { $0.name == oldName }.map { "'\($0.source)'" }
                    .joined(separator: " and ") + " to it.")
        } else if let index = named.first {
            known[index].name = newName
            known[index].column = column
        } else if let earlier = known.first(where: { $0.source == oldName }) {
            throw .invalidKeyPath(
                "Cannot rename '\(className).\(oldName)' to '\(newName)': this migration has "
                    + "renamed it to '\(earlier.name)' already.")
        } else {
            throw .invalidKeyPath(
                "Cannot rename '\(className).\(oldName)': the store has no such property.")
        }
        entries[className] = known
    }

    /// The stored name of the property that has this name now.
    func source(_ className: String, _ name: String) -> String? {
        entries[className]?.last { $0.name == name }?.source
    }

    /// The mapping in the form of a plan.
    var mapping: SchemaPlan.Renames {
        entries.mapValues { entries in
            Dictionary(
                entries.map { ($0.source, $0.column ?? $0.name) }, uniquingKeysWith: { $1 })
        }
    }

    /// Whether there are values that have not been moved yet.
    var hasPending: Bool {
        entries.values.contains { $0.contains { $0.column != nil && $0.column != $0.reached } }
    }

    /// Notes that the values of all entries were moved.
    mutating func moved() {
        for className in entries.keys {
            entries[className] = entries[className]?.map { entry in
                var entry = entry
                entry.reached = entry.column ?? entry.reached
                return entry
            }
        }
    }

    /// Refuses a mapping that would lose values: two properties with one new name, or a new name
    /// that is that of a stored property which is not renamed.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    func check(_ stored: StoreSchema) throws(RealmError) {
        for (className, known) in entries.sorted(by: { $0.key < $1.key }) {
            guard let id = stored.classID(named: className) else { continue }
            for (index, entry) in known.enumerated() {
                let name = entry.column ?? entry.name
                let place = "'\(className).\(entry.source)' to '\(entry.name)'"
                if let other = known[..<index].first(where: { ($0.column ?? $0.name) == name }) {
                    throw .invalidKeyPath(
                        "Cannot rename \(place): '\(other.source)' is renamed to it too. "
                            + "Merge them in enumerateObjects(ofType:_:).")
                }
                guard name != entry.source, stored[id].column(named: name) != nil,
                    !known.contains(where: { $0.source == name })
                else { continue }
                throw .invalidKeyPath(
                    "Cannot rename \(place): the store has a property '\(name)' too, whose values "
                        + "would be lost. Rename that as well, or, to discard them, set the new "
                        + "value from the old one in enumerateObjects(ofType:_:) instead.")
            }
        }
    }

    /// Refuses a mapping to names that the classes do not have.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    func requireTargets() throws(RealmError) {
        for (className, known) in entries.sorted(by: { $0.key < $1.key }) {
            guard let entry = known.first(where: { $0.column == nil }) else { continue }
            throw .invalidKeyPath(
                "'\(className).\(entry.source)' was renamed to '\(entry.name)', which the class "
                    + "does not have. Rename it to one of its properties.")
        }
    }
}

/// Moves the values of properties that were renamed after the program has read new objects.
struct LateRenames {
    let change: SchemaChange
    let tree: WorkingTree
    /// The key after the rows that existed before the migration.
    let end: (ClassID) -> RowKey

    /// Moves the values that were not moved yet; a column that is left without values is reset like
    /// a new property.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` when the program has changed values under a name
    ///   that the class continues to use: whether they are meant to move is not known.
    func move(_ renames: MigrationRenames) throws {
        for (className, known) in renames.entries.sorted(by: { $0.key < $1.key }) {
            guard let id = change.plan.stored.classID(named: className) else { continue }
            try move(known, className, id)
        }
    }

    private func move(
        _ known: [MigrationRenames.Entry], _ className: String, _ id: ClassID
    ) throws {
        let working = change.plan.working[id]
        var transfers: [SchemaPlan.Transfer] = []
        var left: Set<ColumnID> = []
        for entry in known {
            guard let name = entry.column, name != entry.reached,
                let target = working.column(named: name),
                let stored = change.plan.stored[id].column(named: entry.source)
            else { continue }
            let place = place(of: entry, stored, id)
            if place == target { continue }
            transfers.append(
                SchemaPlan.Transfer(
                    id: id, source: working.columns[stored.rawValue].isRemoved ? stored : place,
                    target: target))
            if working.columns[place.rawValue].isRemoved { continue }
            try change.monitor.check()
            guard isAsBefore(id, stored, place) else {
                throw RealmError.invalidKeyPath(
                    "Cannot rename '\(className).\(entry.source)' to '\(entry.name)' here: this "
                        + "migration has changed objects under the old name. Call renameProperty "
                        + "before it changes any.")
            }
            left.insert(place)
        }
        if transfers.isEmpty { return }
        tree.transfer(transfers, of: id, below: end(id))
        for transfer in transfers where working.columns[transfer.source.rawValue].isRemoved {
            try dropDeadLinks(id, transfer.target)
        }
        for column in left.subtracting(transfers.map(\.target)).sorted() {
            try change.reset(id, column, tree)
        }
    }

    /// Drops links to objects that this migration has deleted from a column: a removed column keeps
    /// such links, and moved values would include them.
    private func dropDeadLinks(_ id: ClassID, _ column: ColumnID) throws {
        let schema = change.plan.working[id].columns[column.rawValue]
        guard schema.kind == .link || schema.kind == .mixed else { return }
        let living = { (target: ClassID, row: RowKey) in
            tree.locate(target, row) != nil ? row : nil
        }
        try tree.forEachCluster(id) { keys in
            try change.monitor.check()
            for key in keys {
                let contents = tree.contents(id, key, column, schema)
                let kept: ColumnContents
                if case .elements(let elements) = contents, schema.kind == .mixed,
                    schema.container == .list
                {
                    // In a list of values of any type such a link becomes null, and stays.
                    kept = .elements(
                        elements.map { element in
                            let value = ColumnContents.value(element).mapLinks(of: schema, living)
                            if case .value(let value) = value { return value }
                            return .null
                        })
                } else {
                    kept = contents.mapLinks(of: schema, living)
                }
                if kept != contents { tree.write(kept, id, key, column) }
            }
        }
    }

    /// The column that has the values of a stored column now.
    private func place(
        of entry: MigrationRenames.Entry, _ stored: ColumnID, _ id: ClassID
    ) -> ColumnID {
        if let reached = entry.reached.flatMap({ change.plan.working[id].column(named: $0) }) {
            return reached
        }
        return change.plan.transfers.first { $0.id == id && $0.source == stored }?.target ?? stored
    }

    /// Whether a column has exactly the values of the stored one.
    private func isAsBefore(_ id: ClassID, _ stored: ColumnID, _ place: ColumnID) -> Bool {
        place == stored
            ? !tree.hasWritten(id, place) : tree.isCopy(id, stored, place, below: end(id))
    }
}

import Storage

/// The difference between two versions of a realm, computed from the versions themselves: the
/// commits between them are not needed.
public struct SnapshotChanges: Sendable {
    /// The older version of the comparison.
    public let from: Snapshot
    /// The newer version of the comparison.
    public let to: Snapshot
    private let differences: [ClassID: ClassDifference]

    init(from: Snapshot, to: Snapshot) {
        self.from = from
        self.to = to
        let known = to.models.storeSchema.classes.count
        differences = TreeDifference.between(from.root, to.root)
            .filter { $0.key.rawValue < known }
    }

    /// Whether both versions show the same.
    public var isEmpty: Bool { differences.isEmpty }

    /// The names of the classes with differences, in alphabetical order.
    public var classNames: [String] {
        differences.keys.map { (to.models.binding($0) ?? to.models.dynamicBinding($0)).className }
            .sorted()
    }

    /// The objects of a class that only ``to`` has, in the order of their creation.
    public func insertions<Model: ObjectBase>(of type: Model.Type) -> [Frozen<Model>] {
        objects(to.models.binding(for: type), in: to) { $0.inserted }
    }

    /// The same for a class by its name, which may be one that the realm was opened without.
    public func insertions(ofClass className: String) -> [Frozen<DynamicObject>] {
        objects(dynamicBinding(className), in: to) { $0.inserted }
    }

    /// The objects of a class that only ``from`` has, as they were in it.
    public func deletions<Model: ObjectBase>(of type: Model.Type) -> [Frozen<Model>] {
        objects(to.models.binding(for: type), in: from) { $0.deleted }
    }

    /// The same for a class by its name, which may be one that the realm was opened without.
    public func deletions(ofClass className: String) -> [Frozen<DynamicObject>] {
        objects(dynamicBinding(className), in: from) { $0.deleted }
    }

    /// The objects of a class that have different values in the two versions, in the order of their
    /// creation.
    public func modifications<Model: ObjectBase>(
        of type: Model.Type
    ) -> [SnapshotModification<Model>] { modifications(to.models.binding(for: type)) }

    /// The same for a class by its name, which may be one that the realm was opened without.
    public func modifications(
        ofClass className: String
    ) -> [SnapshotModification<DynamicObject>] { modifications(dynamicBinding(className)) }

    private func dynamicBinding(_ className: String) -> ModelBinding? {
        try? to.models.dynamicBinding(named: className)
    }

    private func modifications<Model: ObjectBase>(
        _ model: ModelBinding?
    ) -> [SnapshotModification<Model>] {
        guard let model, let difference = differences[model.classID] else { return [] }
        return difference.modified.compactMap { key, columns in
            guard !model.isRenewed(by: columns),
                let before = from.context.frozen(Model.self, model, key),
                let after = to.context.frozen(Model.self, model, key)
            else { return nil }
            return SnapshotModification(
                before: before, after: after, properties: properties(model, key, columns))
        }
    }

    private func objects<Model: ObjectBase>(
        _ model: ModelBinding?, in snapshot: Snapshot, _ keys: (ClassDifference) -> [RowKey]
    ) -> [Frozen<Model>] {
        guard let model else { return [] }
        let difference = differences[model.classID] ?? ClassDifference()
        let renewed = difference.modified.filter { model.isRenewed(by: $0.columns) }.map(\.key)
        return (keys(difference) + renewed).sorted()
            .compactMap { snapshot.context.frozen(Model.self, model, $0) }
    }

    private func properties(
        _ model: ModelBinding, _ key: RowKey, _ columns: ColumnSet
    ) -> [PropertyChange] {
        model.properties.compactMap { property in
            guard property.origin == nil, columns.contains(property.column) else { return nil }
            return PropertyChange(
                name: property.name, oldValue: value(of: property, model, key, from),
                newValue: value(of: property, model, key, to))
        }
    }

    private func value(
        of property: PropertyBinding, _ model: ModelBinding, _ key: RowKey, _ snapshot: Snapshot
    ) -> FrozenValue? {
        guard property.schema.container == .none,
            let row = snapshot.view.classView(model.classID).locate(key)
        else { return nil }
        return FrozenValue(
            row.value(property.column.rawValue, property.schema), target: property.schema.target,
            snapshot.context)
    }
}

extension ModelBinding {
    /// Whether a row that differs in `columns` is a different object in each version, which its
    /// primary key shows: it never changes, but a crash may lose an object and its key be given to
    /// another.
    fileprivate func isRenewed(by columns: ColumnSet) -> Bool {
        primaryKey.map { columns.contains($0.column) } ?? false
    }
}

/// An object with different values in two versions.
public struct SnapshotModification<Model: ObjectBase>: Sendable {
    /// The object in the older version, ``SnapshotChanges/from``.
    public let before: Frozen<Model>
    /// The object in the newer version, ``SnapshotChanges/to``.
    public let after: Frozen<Model>
    /// The properties that differ, in the order of their declaration, with both values; those of
    /// collections are in ``before`` and ``after``.
    public let properties: [PropertyChange]
}

extension Snapshot {
    /// The difference between an older version of the same realm and this one. Any two versions
    /// that are held can be compared, also in the opposite order.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` for a snapshot of another realm; the error when a
    ///   node could not be read.
    /// - Complexity: linear in the parts of the tree that the versions do not share.
    public func changes(from older: Snapshot) throws(RealmError) -> SnapshotChanges {
        guard older.models.isOfSameStore(as: models) else {
            throw .invalidObject(
                "The snapshots are of two realms. Compare two versions of the same one.")
        }
        let changes = SnapshotChanges(from: older, to: self)
        // Contents that could not be read in one version would be reported as inserted or deleted.
        try older.context.requireReadable()
        try context.requireReadable()
        return changes
    }
}

extension Realm {
    /// The difference between two versions, as ``Snapshot/changes(from:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` for snapshots of two realms; the error when a
    ///   node could not be read.
    public func diff(
        from older: Snapshot, to newer: Snapshot
    ) throws(RealmError) -> SnapshotChanges { try newer.changes(from: older) }
}

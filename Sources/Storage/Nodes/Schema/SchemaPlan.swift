/// The migration from a stored schema to that of the models: which columns are kept, added and
/// removed. A value: creating it has no effects.
///
/// A column is kept if the models have one of its name that is stored in the same way. Otherwise
/// the old one is removed and a new one is added, since the number of a column determines how its
/// values are stored in nodes. Renames are one mapping of old names to new ones: two may be
/// swapped, and a name may be reused.
package struct SchemaPlan: Sendable {
    /// A column of the new schema whose values are copied from a removed one.
    package struct Transfer: Sendable, Hashable {
        package let id: ClassID
        package let source: ColumnID
        package let target: ColumnID

        package init(id: ClassID, source: ColumnID, target: ColumnID) {
            self.id = id
            self.source = source
            self.target = target
        }
    }

    /// A column that is added, removed or changed in a class.
    package struct Arrival: Sendable, Hashable {
        package let id: ClassID
        package let column: ColumnID

        package init(id: ClassID, column: ColumnID) {
            self.id = id
            self.column = column
        }
    }

    package let stored: StoreSchema
    /// The final schema.
    package private(set) var target: StoreSchema
    /// The schema during a migration: removed columns still have their values, without a name;
    /// primary keys, and indexes of added columns, are created at the end; and classes that become
    /// embedded are not embedded yet.
    package private(set) var working: StoreSchema
    package private(set) var differences: [SchemaDifference] = []
    /// Added columns of existing classes, which have no values yet.
    package private(set) var arrivals: [Arrival] = []
    /// Removed columns.
    package private(set) var removed: [Arrival] = []
    /// Values that are copied automatically: those of columns that become optional.
    package private(set) var transfers: [Transfer] = []
    /// Columns that keep their values, although the range of their types has become smaller, or was
    /// not recorded.
    package private(set) var narrowed: [Arrival] = []
    /// Classes that become embedded.
    package private(set) var embedded: [ClassID] = []
    /// Classes that get a primary key and had none.
    package private(set) var newKeys: [ClassID] = []

    /// Whether the program has to request a migration.
    package var needsMigration: Bool { differences.contains(where: \.needsMigration) }

    /// The new names of columns by class and old name.
    package typealias Renames = [String: [String: String]]

    /// A plan from `stored` to `models`, with the version and the steps of the latter.
    ///
    /// - Parameter keepsMore: whether properties and indexes that the models lack are kept, for
    ///   other programs whose models have them.
    package init(
        stored: StoreSchema, models: StoreSchema, renames: Renames = [:], keepsMore: Bool = false
    ) {
        self.stored = stored
        target = stored
        working = stored
        var builder = Builder(
            stored: stored, models: models, renames: renames, keepsMore: keepsMore)
        builder.build()
        let (classes, numbers) = (builder.classes, builder.numbers)
        target = StoreSchema(classes: classes, version: models.version, steps: models.steps)
        working = StoreSchema(
            classes: builder.workingClasses, version: stored.version, steps: stored.steps)
        differences = builder.differences
        arrivals = builder.arrivals
        removed = builder.removed
        transfers = builder.transfers
        narrowed = builder.narrowed
        embedded = numbers.filter { id in
            id.rawValue < stored.classes.count && classes[id.rawValue].isEmbedded
                && !stored[id].isEmbedded
        }
        newKeys = numbers.filter { id in
            id.rawValue < stored.classes.count && classes[id.rawValue].primaryKey != nil
                && classes[id.rawValue].primaryKey != stored[id].primaryKey
        }
    }

    /// Removes a class that the models lack from the store, with the links to it from other such
    /// classes.
    package mutating func remove(_ id: ClassID) {
        var classes = target.classes
        classes[id.rawValue].name = ""
        classes[id.rawValue].primaryKey = nil
        for column in classes[id.rawValue].columns.indices {
            classes[id.rawValue].columns[column].name = ""
            classes[id.rawValue].columns[column].dropIndex()
        }
        for (index, entry) in classes.enumerated() where index != id.rawValue {
            for (column, link) in entry.columns.enumerated()
            where link.target == id && !link.isRemoved {
                classes[index].columns[column].name = ""
                classes[index].columns[column].dropIndex()
                removed.append(Arrival(id: ClassID(index), column: ColumnID(column)))
            }
        }
        target = StoreSchema(classes: classes, version: target.version, steps: target.steps)
        removed.removeAll { $0.id == id }
        removed += target[id].columns.indices.map { Arrival(id: id, column: ColumnID($0)) }
    }
}

extension SchemaPlan {
    /// Builds the plan, class by class of the models.
    private struct Builder {
        let stored: StoreSchema
        let models: StoreSchema
        let renames: Renames
        let keepsMore: Bool
        var classes: [ClassSchema]
        var workingClasses: [ClassSchema] = []
        /// The numbers of the models' classes in the store.
        var numbers: [ClassID] = []
        var differences: [SchemaDifference] = []
        var arrivals: [Arrival] = []
        var removed: [Arrival] = []
        var transfers: [Transfer] = []
        var narrowed: [Arrival] = []

        init(stored: StoreSchema, models: StoreSchema, renames: Renames, keepsMore: Bool) {
            self.stored = stored
            self.models = models
            self.renames = renames
            self.keepsMore = keepsMore
            classes = stored.classes
        }

        mutating func build() {
            for model in models.classes {
                if let id = stored.classID(named: model.name) {
                    numbers.append(id)
                    continue
                }
                numbers.append(ClassID(classes.count))
                classes.append(
                    ClassSchema(name: model.name, isEmbedded: model.isEmbedded, columns: []))
                differences.append(
                    SchemaDifference(
                        kind: .classAdded, className: model.name, property: nil,
                        text: "Class '\(model.name)' has been added."))
            }
            workingClasses = classes
            for (model, id) in zip(models.classes, numbers) { build(model, id) }
        }

        private mutating func note(
            _ kind: SchemaDifference.Kind, _ name: String, _ property: String?, _ text: String
        ) {
            differences.append(
                SchemaDifference(kind: kind, className: name, property: property, text: text))
        }

        private mutating func build(_ model: ClassSchema, _ id: ClassID) {
            let isNew = id.rawValue >= stored.classes.count
            let old = classes[id.rawValue]
            var (new, interim) = (old, old)
            new.isEmbedded = model.isEmbedded
            interim.isEmbedded = old.isEmbedded && model.isEmbedded
            let renamed = renames[model.name] ?? [:]
            var isKept = [Bool](repeating: false, count: old.columns.count)
            // The numbers of the model's columns in the store, in its order.
            var places: [ColumnID] = []
            for column in model.columns where !column.isComposite {
                var column = column
                column.target = column.target.map { numbers[$0.rawValue] }
                let former = former(column.name, old, renamed)
                if let former, old.columns[former.rawValue].isStored(as: column) {
                    isKept[former.rawValue] = true
                    places.append(former)
                    let index = old.columns[former.rawValue].index
                    if keepsMore, column.index == .none { column.index = index.declared }
                    noteIndex(index, column, model.name)
                    noteRange(old.columns[former.rawValue], column, model.name, id, former)
                    new.columns[former.rawValue] = column
                    column.index = index
                    interim.columns[former.rawValue] = column
                    continue
                }
                let place = ColumnID(new.columns.count)
                places.append(place)
                add(column, to: &new, &interim, isNew: isNew)
                if isNew { continue }
                arrivals.append(Arrival(id: id, column: place))
                noteArrival(column, former, old, id, place)
            }
            for (index, column) in old.columns.enumerated()
            where !isKept[index] && !column.isRemoved {
                let isReplaced =
                    model.column(named: column.name) != nil || renamed[column.name] != nil
                if keepsMore, !isReplaced { continue }
                removed.append(Arrival(id: id, column: ColumnID(index)))
                new.columns[index].name = ""
                new.columns[index].dropIndex()
                interim.columns[index].name = ""
                if !isReplaced {
                    note(
                        .propertyRemoved, model.name, column.name,
                        "Property '\(model.name).\(column.name)' has been removed.")
                }
            }
            buildComposites(model, old, places, &new, &interim, isNew: isNew)
            new.primaryKey = model.primaryKey.map { places[$0.rawValue] }
            interim.primaryKey = nil
            if !isNew { compare(old, new, model) }
            classes[id.rawValue] = new
            workingClasses[id.rawValue] = interim
        }

        /// The indexes of several columns: an index is kept if it is equal and its columns are
        /// kept; any other is rebuilt with all its rows at the end.
        private mutating func buildComposites(
            _ model: ClassSchema, _ old: ClassSchema, _ places: [ColumnID],
            _ new: inout ClassSchema, _ interim: inout ClassSchema, isNew: Bool
        ) {
            var gone = Set(old.composites)
            for column in model.columns where column.isComposite {
                // An index cannot name columns beyond the limit, and their schema is refused.
                let isBeyond = column.parts.all.contains {
                    places[$0.column.rawValue].rawValue >= Limits.columns
                }
                if isBeyond { continue }
                let parts = column.parts.moved(to: places, of: new)
                if let same = gone.first(where: { old.columns[$0.rawValue].parts == parts }) {
                    gone.remove(same)
                    continue
                }
                add(ColumnSchema(parts), to: &new, &interim, isNew: isNew)
                if !isNew { noteComposite(parts, new, model.name, isAdded: true) }
            }
            for index in gone.sorted() where !keepsMore {
                noteComposite(old.columns[index.rawValue].parts, old, model.name, isAdded: false)
                new.columns[index.rawValue].dropIndex()
                interim.columns[index.rawValue].dropIndex()
            }
        }

        private mutating func noteComposite(
            _ parts: IndexParts, _ schema: ClassSchema, _ name: String, isAdded: Bool
        ) {
            let names = parts.names(in: schema)
            note(
                isAdded ? .indexAdded : .indexRemoved, name, nil,
                "Class '\(name)' \(isAdded ? "has" : "had") "
                    + "\(parts.isUnique ? "a unique index" : "an index") of "
                    + "\(names.joined(separator: ", "))\(isAdded ? " now" : "").")
        }

        /// The stored column whose values a column of the models gets: the one that is renamed to
        /// it, otherwise the one with its name that is not renamed itself.
        private func former(
            _ name: String, _ old: ClassSchema, _ renamed: [String: String]
        ) -> ColumnID? {
            if let source = renamed.first(where: { $0.value == name })?.key {
                return old.column(named: source)
            }
            return renamed[name] == nil ? old.column(named: name) : nil
        }

        private func add(
            _ column: ColumnSchema, to new: inout ClassSchema, _ interim: inout ClassSchema,
            isNew: Bool
        ) {
            new.columns.append(column)
            var column = column
            if !isNew { column.dropIndex() }
            interim.columns.append(column)
        }

        private mutating func noteArrival(
            _ column: ColumnSchema, _ former: ColumnID?, _ old: ClassSchema, _ id: ClassID,
            _ place: ColumnID
        ) {
            let name = old.name
            guard let former else {
                return note(
                    .propertyAdded, name, column.name,
                    "Property '\(name).\(column.name)' has been added.")
            }
            let before = old.columns[former.rawValue]
            note(
                .propertyChanged, name, column.name,
                "Property '\(name).\(column.name)' was \(before.words(classes)) and is "
                    + "\(column.words(classes)).")
            var optional = before
            optional.isNullable = true
            if optional.isStored(as: column) {
                transfers.append(Transfer(id: id, source: former, target: place))
                if before.integers == .unstated || !column.integers.holds(before.integers) {
                    narrowed.append(Arrival(id: id, column: place))
                }
            }
        }

        private mutating func noteRange(
            _ before: ColumnSchema, _ column: ColumnSchema, _ name: String, _ id: ClassID,
            _ place: ColumnID
        ) {
            let (was, now) = (before.integers, column.integers)
            if was == now || now == .unstated { return }
            // No difference, but the stored integers have to be checked.
            if was == .unstated {
                if !now.holds(.int64) { narrowed.append(Arrival(id: id, column: place)) }
                return
            }
            let holdsAll = now.holds(was)
            if !holdsAll { narrowed.append(Arrival(id: id, column: place)) }
            note(
                holdsAll ? .rangeWidened : .rangeNarrowed, name, column.name,
                "Property '\(name).\(column.name)' was \(was.typeName) and is \(now.typeName)"
                    + (holdsAll ? "." : ", which does not hold all of its numbers."))
        }

        private mutating func noteIndex(
            _ was: ColumnIndex, _ column: ColumnSchema, _ name: String
        ) {
            if was == column.index { return }
            let words =
                switch (was, column.index) {
                case (.values, .none), (.composite, .none): "was indexed"
                case (.fullText, .none), (.outdatedFullText, .none): "had a full-text index"
                case (.outdatedFullText, .fullText): "has a new version of its full-text index"
                case (_, .fullText), (_, .outdatedFullText): "has a full-text index now"
                case (_, .values), (_, .composite), (.none, .none): "is now indexed"
                }
            note(
                column.index == .none ? .indexRemoved : .indexAdded, name, column.name,
                "Property '\(name).\(column.name)' \(words).")
        }

        private mutating func compare(
            _ old: ClassSchema, _ new: ClassSchema, _ model: ClassSchema
        ) {
            let name = model.name
            if old.isEmbedded != new.isEmbedded {
                note(
                    new.isEmbedded ? .classEmbedded : .classTopLevel, name, nil,
                    "Class '\(name)' was \(old.isEmbedded ? "embedded" : "top-level").")
            }
            if old.primaryKey != new.primaryKey {
                let oldKey = old.primaryKey.map { old.columns[$0.rawValue].name }
                let newKey = model.primaryKey.map { model.columns[$0.rawValue].name }
                note(
                    .primaryKeyChanged, name, newKey ?? oldKey,
                    "The primary key of class '\(name)' was \(oldKey ?? "none") and is "
                        + "\(newKey ?? "none").")
            }
        }
    }
}

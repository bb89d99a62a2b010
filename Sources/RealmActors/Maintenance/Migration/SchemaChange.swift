import Storage

/// Applies a plan to a tree: changes rows before and after the program's own code.
struct SchemaChange {
    var plan: SchemaPlan
    let models: [DiscoveredModel]
    let monitor: MigrationMonitor
    /// Whether values were moved after the program has read new objects.
    var hasLateRenames = false

    /// A column whose existing rows get the default of the class.
    struct Filling {
        let arrival: SchemaPlan.Arrival
        let model: DiscoveredModel
        let property: DiscoveredProperty
    }

    /// The columns that get defaults: required ones whose class declares one, or whose type does
    /// not begin with the zero bits of an unwritten column.
    var fillings: [Filling] { plan.arrivals.compactMap { filling(of: $0) } }

    private func filling(of arrival: SchemaPlan.Arrival) -> Filling? {
        let schema = plan.working[arrival.id]
        let column = schema.columns[arrival.column.rawValue]
        guard column.container == .none, !column.isNullable, column.kind != .link,
            let model = models.first(where: { $0.name == schema.name }),
            let property = model.properties.first(where: {
                $0.shape.role == .stored && $0.columnName == column.name
            }),
            property.hasDefault || !Self.beginsAtZero(property, of: model)
        else { return nil }
        return Filling(arrival: arrival, model: model, property: property)
    }

    /// Whether an unwritten column has the value of new objects. Dates do not: they begin in 1970,
    /// and the column counts from 2001. Nor may enums, if zero is not a case. Types that begin with
    /// a different value each time have zero instead.
    private static func beginsAtZero(
        _ property: DiscoveredProperty, of model: DiscoveredModel
    ) -> Bool {
        switch property.type._anyStorable(model.type.init(), at: property.place).value {
        case .bool(let value): !value
        case .int(let value): value == 0
        case .string(let value): value.isEmpty
        case .data(let value): value.isEmpty
        case .float(let value): value == 0
        case .double(let value), .date(let value): value == 0
        default: true
        }
    }

    /// Before the program's code: adds the new columns, with their automatic values.
    func begin(_ tree: WorkingTree) throws {
        tree.adapt(to: plan.working)
        for (id, transfers) in Dictionary(grouping: plan.transfers, by: \.id) {
            try monitor.check()
            tree.transfer(transfers, of: id)
        }
        for filling in fillings { try fill(filling, tree) }
        try tree.requireCommittable()
    }

    private func fill(_ filling: Filling, _ tree: WorkingTree) throws {
        let (id, column) = (filling.arrival.id, filling.arrival.column)
        try tree.forEachCluster(id) { keys in
            try monitor.check()
            for key in keys {
                // One for each row, since a default may differ each time.
                let object = filling.model.type.init()
                let value = filling.property.type
                    ._anyStorable(object, at: filling.property.place).value
                tree.set(value, id, key, column)
            }
        }
    }

    /// Resets a column to the default of its class, or to unwritten.
    func reset(_ id: ClassID, _ column: ColumnID, _ tree: WorkingTree) throws {
        let arrival = SchemaPlan.Arrival(id: id, column: column)
        if let filling = filling(of: arrival) { return try fill(filling, tree) }
        try tree.forEachCluster(id) { keys in
            try monitor.check()
            for key in keys { tree.reset(id, key, column) }
        }
    }

    /// After the program's code: builds indexes and primary keys, gives embedded objects one parent
    /// each, and empties removed columns, deleting their embedded objects.
    ///
    /// - Throws: ``RealmError/duplicatePrimaryKeys(className:property:values:)``;
    ///   ``RealmError/invalidValue(_:)`` with integers that do not fit into their types, and for an
    ///   embedded object that would contain itself, or that a value of any type links to.
    func end(_ tree: WorkingTree) throws {
        try requireNoLooseLinks(tree)
        try RealmError.translating { try embed(tree) }
        var removed: [ClassID: [ColumnID]] = [:]
        for column in plan.removed { removed[column.id, default: []].append(column.column) }
        for (id, columns) in removed {
            try monitor.check()
            tree.clear(id, columns)
        }
        // If rows could not be read, the checks below would report false problems.
        try tree.requireCommittable()
        tree.adapt(to: plan.target)
        try requireRanges(tree)
        for index in plan.target.classes.indices {
            let id = ClassID(index)
            guard plan.newKeys.contains(id) || tree.hasChanged(id) else { continue }
            try monitor.check()
            try requireKeys(of: id, tree)
        }
    }

    /// How many duplicate keys an error names.
    static let namedKeysMax = 10

    private func requireKeys(of id: ClassID, _ tree: WorkingTree) throws(RealmError) {
        let repeated = tree.repeatedPrimaryKeys(id, limit: Self.namedKeysMax)
        guard !repeated.isEmpty, let column = plan.target[id].primaryKey else { return }
        throw .duplicatePrimaryKeys(
            className: plan.target[id].name,
            property: plan.target[id].columns[column.rawValue].name,
            values: repeated.map { "\(FrozenValue(plain: $0.value)) (\($0.count) objects)" })
    }

    /// Stored integers that do not fit into the types of their columns.
    func misfits(_ tree: WorkingTree) throws -> [MigrationPlan.Misfit] {
        var found: [MigrationPlan.Misfit] = []
        for (index, schema) in plan.target.classes.enumerated() {
            let id = ClassID(index)
            let hasChanged = tree.hasChanged(id)
            for (number, column) in schema.columns.enumerated()
            where column.integers.bounds != IntegerRange.int64.bounds {
                let place = SchemaPlan.Arrival(id: id, column: ColumnID(number))
                guard hasChanged || plan.narrowed.contains(place) else { continue }
                try monitor.check()
                let misfits = tree.outOfRangeIntegers(id, place.column, limit: Self.namedKeysMax)
                if misfits.count == 0 { continue }
                let model = models.first { $0.name == schema.name }
                let property = model?.properties.first { $0.columnName == column.name }
                found.append(
                    MigrationPlan.Misfit(
                        className: schema.name, property: property?.name ?? column.name,
                        type: column.integers.typeName, values: misfits.values.map { Int($0) },
                        count: misfits.count))
            }
        }
        return found
    }

    private func requireRanges(_ tree: WorkingTree) throws {
        let found = try misfits(tree)
        if found.isEmpty { return }
        throw RealmError.invalidValue(
            "Numbers do not fit the types that their properties get:"
                + found.map { "\n- \($0)" }.joined()
                + "\nSet others in the migration, or keep the larger type.")
    }

    /// Refuses to embed objects that values of any type link to, because such a value cannot own or
    /// show an embedded object.
    private func requireNoLooseLinks(_ tree: WorkingTree) throws {
        if plan.embedded.isEmpty { return }
        for (index, entry) in plan.target.classes.enumerated() {
            let id = ClassID(index)
            for (number, column) in entry.columns.enumerated()
            where column.kind == .mixed && !column.isRemoved {
                try tree.forEachCluster(id) { keys in
                    try monitor.check()
                    for key in keys {
                        let contents = tree.contents(id, key, ColumnID(number), column)
                        guard let target = embedded(in: contents, tree) else { continue }
                        throw RealmError.invalidValue(
                            "Class '\(plan.target[target].name)' cannot become embedded: the value"
                                + " '\(entry.name).\(column.name)' links to an object of it, and"
                                + " no value of any type links to embedded objects. Set another"
                                + " value in the migration.")
                    }
                }
            }
        }
    }

    /// A class that becomes embedded and has an object that values link to.
    private func embedded(in contents: ColumnContents, _ tree: WorkingTree) -> ClassID? {
        switch contents {
        case .value(let value): embedded(in: [value], tree)
        case .elements(let values), .entries(_, let values): embedded(in: values, tree)
        }
    }

    private func embedded(in values: [StoredValue], _ tree: WorkingTree) -> ClassID? {
        for value in values {
            if case .object(let id, let key) = value {
                if plan.embedded.contains(id), tree.locate(id, key) != nil { return id }
            } else if let inner = value.collection?.elements.values,
                let id = embedded(in: inner, tree)
            {
                return id
            }
        }
        return nil
    }

    /// Embedded classes whose objects belonged to removed properties, or to one whose values a late
    /// rename has replaced.
    private func losingParents(_ tree: WorkingTree) -> [ClassID] {
        var ids = plan.removed.compactMap { place in
            plan.working[place.id].columns[place.column.rawValue].target
        }
        if hasLateRenames {
            ids += plan.target.classes.indices.map { ClassID($0) }.filter { tree.hasChanged($0) }
        }
        return Set(ids).subtracting(plan.embedded).filter { plan.target[$0].isEmbedded }.sorted()
    }

    /// Gives each object of the classes that become embedded exactly one parent: objects without a
    /// parent, and cycles of such, are deleted; those with several are copied. Objects of removed
    /// properties are deleted, too.
    private func embed(_ tree: WorkingTree) throws {
        let ids = plan.embedded + losingParents(tree)
        var hasChanged = !ids.isEmpty
        while hasChanged {
            hasChanged = false
            for id in ids {
                var orphans: [RowKey] = []
                try tree.forEachCluster(id) { keys in
                    try monitor.check()
                    for key in keys where try !tree.enforceSingleParent(id, key, plan.target) {
                        orphans.append(key)
                    }
                }
                if orphans.isEmpty { continue }
                tree.delete(id, orphans)
                // Their children may be without a parent now.
                hasChanged = true
            }
            if hasChanged || plan.embedded.isEmpty { continue }
            try monitor.check()
            for cycle in tree.rowsInCycles(plan.target) {
                tree.delete(cycle.id, cycle.rows)
                hasChanged = true
            }
        }
    }
}

import Storage

/// Determines what an opening would do, on a tree that is never written.
struct MigrationForecast {
    private let configuration: Realm.Configuration
    private let account: NodeAccount

    init(_ configuration: Realm.Configuration) { self.init(configuration, NodeAccount()) }

    private init(_ configuration: Realm.Configuration, _ account: NodeAccount) {
        self.configuration = configuration
        self.account = account
    }

    /// The present store; nil when there is none.
    func stored() throws -> StoreOpening.Opened? {
        guard let path = configuration.path else { return nil }
        return try RealmError.translating {
            var opening = StoreOpening(fileSystem: configuration.fileSystem, directory: path)
            opening.options = configuration.logOptions
            opening.options.readOnly = true
            opening.options.isShared = configuration.fileSystem.shared != nil
            opening.options.encryptionKey = configuration.encryptionKey?.userKey
            do {
                return try opening.open(account: account) { $0 }
            } catch StorageError.fileNotFound {
                return nil
            }
        }
    }

    /// The seed that a new store would be copied from.
    private func seed() throws -> StoreOpening.Opened? {
        guard configuration.path != nil, !configuration.readOnly,
            let path = configuration.seedFilePath
        else { return nil }
        var seed = configuration
        seed.path = path
        // Opening fails without the seed.
        guard let opened = try MigrationForecast(seed, account).stored() else {
            throw RealmError.fileNotFound(path: path)
        }
        return opened
    }

    func plan() throws -> MigrationPlan {
        let (models, discovered) = try SchemaDiscovery.discover(configuration.objectTypes)
        let found: StoreOpening.Opened?
        do {
            found = try self.stored()
        } catch RealmError.unsupportedFormat where configuration.deleteIfMigrationNeeded {
            return empty(.delete, nil)
        }
        guard let opened = try found ?? seed() else {
            guard configuration.readOnly || configuration.usesStoredSchema,
                let path = configuration.path
            else { return empty(.create, nil) }
            // Opening does not create the store.
            throw RealmError.fileNotFound(path: path)
        }
        defer { try? opened.log.close() }
        let plan = Result { try self.plan(opened.tree, models, discovered) }
        // A plan without the objects that could not be read would be wrong.
        if let failure = account.failure { throw RealmError(failure) }
        return try plan.get()
    }

    private func plan(
        _ tree: WorkingTree, _ models: StoreSchema, _ discovered: [DiscoveredModel]
    ) throws -> MigrationPlan {
        let stored = tree.schema
        switch SchemaDecision.make(configuration, stored: stored, models: models) {
        case .open(let schema):
            if stored.classes.isEmpty, stored.version == nil { return empty(.create, nil) }
            if schema.classes == stored.classes { return forecast(.open, stored, models) }
            return forecast(Self.refusal(of: schema, tree) ?? .extend, stored, models)
        case .migrate(let due):
            return try forecast(due.isAddition ? .extend : .migrate, due, tree, discovered)
        case .delete: return forecast(.delete, stored, models)
        case .refuse(let error): return forecast(.refuse(error), stored, models)
        }
    }

    /// The error of extending the tree's schema to this one; nil if there is none. Rows are read,
    /// and indexes built, only for a new unique index.
    private static func refusal(
        of schema: StoreSchema, _ tree: WorkingTree
    ) -> MigrationPlan.Outcome? {
        let isUniqueNow = zip(schema.classes, tree.schema.classes).contains { new, old in
            new.columns.contains { $0.parts.isUnique && !old.columns.contains($0) }
        }
        guard isUniqueNow else { return nil }
        tree.adapt(to: schema)
        return duplicate(tree).map { .refuse($0) }
    }

    /// The error for rows with equal values in a new unique index.
    private static func duplicate(_ tree: WorkingTree) -> RealmError? {
        tree.duplicateValues().map { RealmError(.duplicateValues($0)) }
    }

    private func empty(_ outcome: MigrationPlan.Outcome, _ version: UInt64?) -> MigrationPlan {
        MigrationPlan(
            outcome: outcome, storedVersion: version, version: configuration.wantedSchemaVersion,
            differences: [], steps: [], runsBlock: false, touchedObjects: [:], defaults: [],
            clashes: [], misfits: [])
    }

    private func forecast(
        _ outcome: MigrationPlan.Outcome, _ stored: StoreSchema, _ models: StoreSchema
    ) -> MigrationPlan {
        let plan = SchemaPlan(
            stored: stored, models: models,
            keepsMore: SchemaDecision.sparesOthers(configuration, stored))
        return MigrationPlan(
            outcome: outcome, storedVersion: stored.version,
            version: configuration.wantedSchemaVersion, differences: plan.differences.map(\.text),
            steps: [], runsBlock: false, touchedObjects: [:], defaults: [], clashes: [],
            misfits: [])
    }

    private func forecast(
        _ outcome: MigrationPlan.Outcome, _ due: DueMigration, _ tree: WorkingTree,
        _ models: [DiscoveredModel]
    ) throws -> MigrationPlan {
        let change = SchemaChange(
            plan: due.plan, models: models, monitor: MigrationMonitor(nil))
        let defaults = defaults(change) { tree.count($0) }
        let touched = touched(due.plan) { tree.count($0) }
        var clashes: [MigrationPlan.Clash] = []
        var misfits: [MigrationPlan.Misfit] = []
        var outcome = outcome
        try change.begin(tree)
        do {
            try change.end(tree)
            if let duplicate = Self.duplicate(tree) { throw duplicate }
        } catch let error as RealmError {
            clashes = self.clashes(due.plan, tree)
            misfits = try change.misfits(tree)
            // An object would contain itself, or two would have the same values in a unique index.
            // The migration block may prevent that.
            let isExplained = !clashes.isEmpty || !misfits.isEmpty
            if !isExplained, !due.runsBlock, due.steps.isEmpty { outcome = .refuse(error) }
        }
        return MigrationPlan(
            outcome: outcome, storedVersion: due.plan.stored.version,
            version: configuration.wantedSchemaVersion,
            differences: due.plan.differences.map(\.text), steps: due.steps.map(\.name),
            runsBlock: due.runsBlock, touchedObjects: touched, defaults: defaults,
            clashes: clashes, misfits: misfits)
    }

    private func defaults(
        _ change: SchemaChange, _ countOf: (ClassID) -> Int
    ) -> [MigrationPlan.Default] {
        let fillings = change.fillings
        let moved = Set(change.plan.transfers.map { [$0.id.rawValue, $0.target.rawValue] })
        return change.plan.arrivals.compactMap { arrival in
            let count = countOf(arrival.id)
            let place = [arrival.id.rawValue, arrival.column.rawValue]
            if count == 0 || moved.contains(place) { return nil }
            let schema = change.plan.working[arrival.id]
            let column = schema.columns[arrival.column.rawValue]
            let filling = fillings.first { $0.arrival == arrival }
            return MigrationPlan.Default(
                className: schema.name, property: filling?.property.name ?? column.name,
                value: filling.map { text(of: $0) } ?? text(ofZero: column), objects: count)
        }
    }

    private func text(of filling: SchemaChange.Filling) -> String {
        let object = filling.model.type.init()
        let value = filling.property.type._anyStorable(object, at: filling.property.place).value
        return "\(FrozenValue(plain: value))"
    }

    private func text(ofZero column: ColumnSchema) -> String {
        if column.container != .none { return "empty" }
        if column.isNullable || column.kind == .link || column.kind == .mixed { return "nil" }
        return column.kind.traits.zeroName
    }

    /// The number of objects of each class whose rows change.
    private func touched(_ plan: SchemaPlan, _ countOf: (ClassID) -> Int) -> [String: Int] {
        let ids = Set(
            plan.arrivals.map(\.id) + plan.removed.map(\.id) + plan.embedded + plan.newKeys)
        var counts: [String: Int] = [:]
        for id in ids { counts[plan.stored[id].name] = countOf(id) }
        return counts
    }

    private func clashes(_ plan: SchemaPlan, _ tree: WorkingTree) -> [MigrationPlan.Clash] {
        plan.target.classes.indices.compactMap { index in
            let repeated = tree.repeatedPrimaryKeys(
                ClassID(index), limit: SchemaChange.namedKeysMax)
            guard !repeated.isEmpty, let column = plan.target.classes[index].primaryKey else {
                return nil
            }
            return MigrationPlan.Clash(
                className: plan.target.classes[index].name,
                property: plan.target.classes[index].columns[column.rawValue].name,
                values: repeated.map {
                    "\(FrozenValue(plain: $0.value)) (\($0.count) objects)"
                })
        }
    }
}

/// The forecast for a `.realm` file that is imported and then opened.
extension MigrationForecast {
    /// The decision of the opening; without models it accepts the file's schema.
    func decision(on file: RealmFile) throws -> SchemaDecision {
        guard let path = configuration.path else {
            return .refuse(
                .invalidValue(
                    "A .realm file is imported into files. Give the configuration a path."))
        }
        let target = StoreDirectory(fileSystem: configuration.fileSystem, path: path)
        if try target.holdsStore() { return .refuse(.taken(path)) }
        if configuration.sharedLog != nil { return .refuse(.importBesideSharedLog) }
        let stored = try StoreSchema(of: file)
        if configuration.objectTypes.isEmpty { return .open(stored) }
        let (models, _) = try SchemaDiscovery.discover(configuration.objectTypes)
        let decision = SchemaDecision.make(configuration, stored: stored, models: models)
        switch decision {
        // The import checks the range of integers itself.
        case .migrate(let due) where due.isAddition && due.plan.arrivals.isEmpty:
            return .open(due.plan.target)
        // The same for a realm that is only read afterwards.
        case .refuse where configuration.readOnly:
            var writing = configuration
            writing.readOnly = false
            if case .migrate(let due) = SchemaDecision.make(
                writing, stored: stored, models: models),
                due.isAddition, due.plan.arrivals.isEmpty
            {
                return .open(due.plan.target)
            }
            return decision
        // The opening would delete the imported store.
        case .delete: return .refuse(.importToBeDeleted)
        case .open, .migrate, .refuse: return decision
        }
    }

    /// The plan, without what depends on values.
    func plan(importing file: RealmFile) throws -> MigrationPlan {
        let (models, discovered) = try SchemaDiscovery.discover(configuration.objectTypes)
        let stored = try StoreSchema(of: file)
        switch try decision(on: file) {
        case .open:
            let isSame = SchemaPlan(stored: stored, models: models).differences.isEmpty
            return forecast(isSame ? .open : .extend, stored, models)
        case .migrate(let due):
            let change = SchemaChange(
                plan: due.plan, models: discovered, monitor: MigrationMonitor(nil))
            let countOf = { (id: ClassID) in file.classes[id.rawValue].count }
            return MigrationPlan(
                outcome: due.isAddition ? .extend : .migrate, storedVersion: stored.version,
                version: configuration.wantedSchemaVersion,
                differences: due.plan.differences.map(\.text), steps: due.steps.map(\.name),
                runsBlock: due.runsBlock, touchedObjects: touched(due.plan, countOf),
                defaults: defaults(change, countOf), clashes: [], misfits: [])
        case .delete: return forecast(.delete, stored, models)
        case .refuse(let error): return forecast(.refuse(error), stored, models)
        }
    }
}

extension DueMigration {
    /// Whether it only adds to the schema, without code of the program.
    var isAddition: Bool { !plan.needsMigration && !runsBlock && steps.isEmpty }
}

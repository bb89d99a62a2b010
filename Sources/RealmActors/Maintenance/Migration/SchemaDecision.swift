import Storage

/// What an opening does with a store's schema.
enum SchemaDecision {
    /// Opens with a schema, which may be the stored one.
    case open(StoreSchema)
    /// Runs a migration first.
    case migrate(DueMigration)
    /// Deletes the store, as configured.
    case delete
    /// Refuses the store.
    case refuse(RealmError)

    /// The steps that a store has not run yet, ascending.
    private static func dueSteps(
        _ configuration: Realm.Configuration, _ stored: StoreSchema
    ) -> [MigrationStep] {
        let recorded = Set(stored.steps.map(\.number))
        // A store that reached its version without steps counts as having run those below it.
        let first = stored.steps.isEmpty ? stored.version ?? 0 : nil
        return configuration.migrationSteps.filter { step in
            !recorded.contains(step.number) && first.map { step.number > $0 } ?? true
        }.sorted { $0.number < $1.number }
    }

    /// Whether the configuration requests a migration; `steps` are those that are due.
    private static func isAskedFor(
        _ configuration: Realm.Configuration, _ stored: StoreSchema, _ steps: [MigrationStep]
    ) -> Bool { configuration.wantedSchemaVersion > stored.version ?? 0 || !steps.isEmpty }

    /// Whether properties that the models lack are kept: the models of other hosts may have them,
    /// so they stay unless a migration is requested.
    static func sparesOthers(
        _ configuration: Realm.Configuration, _ stored: StoreSchema
    ) -> Bool {
        configuration.sharedLog != nil
            && !isAskedFor(configuration, stored, dueSteps(configuration, stored))
    }

    /// Compares the stored schema with that of the models.
    static func make(
        _ configuration: Realm.Configuration, stored: StoreSchema, models: StoreSchema
    ) -> SchemaDecision {
        if configuration.usesStoredSchema { return .open(stored) }
        let version = configuration.wantedSchemaVersion
        let known = configuration.migrationSteps.sorted { $0.number < $1.number }
        let asSteps = known.map { SchemaStep(number: $0.number, name: $0.name) }
        guard stored.version != nil || !stored.classes.isEmpty else {
            return .open(
                StoreSchema(classes: models.classes, version: version, steps: asSteps))
        }
        let storedVersion = stored.version ?? 0
        let recorded = Set(stored.steps.map(\.number))
        let wanted = StoreSchema(
            classes: models.classes, version: version,
            steps: (stored.steps + asSteps.filter { !recorded.contains($0.number) })
                .sorted { $0.number < $1.number })
        // Nearly every opening finds its own schema.
        if wanted == stored {
            return renamedStep(known, stored).map { .refuse($0) } ?? .open(stored)
        }
        let steps = dueSteps(configuration, stored)
        let isAskedFor = isAskedFor(configuration, stored, steps)
        let sparesOthers = configuration.sharedLog != nil && !isAskedFor
        let plan = SchemaPlan(stored: stored, models: wanted, keepsMore: sparesOthers)
        if configuration.deleteIfMigrationNeeded,
            plan.needsMigration || isAskedFor || version < storedVersion
        {
            return .delete
        }
        if let error = renamedStep(known, stored) ?? tooLarge(plan.target) {
            return .refuse(error)
        }
        if version < storedVersion {
            return .refuse(.schemaDowngrade(stored: storedVersion, configured: version))
        }
        let runsBlock = configuration.migration != nil && version > storedVersion
        let differences = plan.differences.map(\.text)
        if configuration.readOnly {
            let opens = plan.differences.allSatisfy { $0.kind.isFineReadOnly }
            let refused = opens ? plan.unknownNumbers : differences
            return refused.isEmpty
                ? .open(plan.readOnly) : .refuse(.schemaMismatch(differences: refused))
        }
        if plan.needsMigration, !isAskedFor {
            return .refuse(.schemaMismatch(differences: differences))
        }
        if sparesOthers, let error = endsOthers(plan) { return .refuse(error) }
        let due = DueMigration(
            plan: plan, modelSchema: wanted, steps: steps, runsBlock: runsBlock)
        let hasWork = plan.needsMigration || runsBlock || !steps.isEmpty
        let checksRows = !plan.arrivals.isEmpty || !plan.narrowed.isEmpty
        return hasWork || checksRows ? .migrate(due) : .open(plan.target)
    }

    /// Refuses a schema that exceeds the limits of the format; removed columns count too.
    private static func tooLarge(_ schema: StoreSchema) -> RealmError? {
        var problems: [String] = []
        if schema.classes.count > Limits.classes {
            problems.append("The store would have more than \(Limits.classes) classes.")
        }
        for entry in schema.classes where entry.columns.count > Limits.columns {
            problems.append(
                "The store would have more than \(Limits.columns) columns of class "
                    + "'\(entry.name)', with those that migrations have removed.")
        }
        return problems.isEmpty ? nil : .invalidSchema(problems: problems)
    }

    /// Refuses a change with which hosts with the stored models could not continue.
    private static func endsOthers(_ plan: SchemaPlan) -> RealmError? {
        if plan.target.extends(plan.stored) { return nil }
        let texts = plan.differences.filter { $0.kind == .rangeWidened || $0.kind == .indexAdded }
            .map(\.text)
        return .invalidValue(
            "Other hosts that have the realm open could not continue with this schema: "
                + texts.joined(separator: " ")
                + " Keep types and indexes unchanged, and add a new property instead. Or raise "
                + "schemaVersion: these hosts then have to open the realm again, with models that "
                + "fit.")
    }

    private static func renamedStep(
        _ steps: [MigrationStep], _ stored: StoreSchema
    ) -> RealmError? {
        for step in steps {
            guard let old = stored.steps.first(where: { $0.number == step.number }),
                old.name != step.name
            else { continue }
            return .invalidValue(
                "Migration step \(step.number) is '\(step.name)' and was '\(old.name)' when it "
                    + "ran on this store. Give the new step another number.")
        }
        return nil
    }
}

extension SchemaDifference.Kind {
    /// Whether the realm can be opened read-only nevertheless.
    fileprivate var isFineReadOnly: Bool {
        switch self {
        case .classAdded, .propertyRemoved, .rangeWidened, .indexAdded, .indexRemoved: true
        default: false
        }
    }
}

extension SchemaPlan {
    /// Properties whose integers were not checked against a narrower type: a read-only realm could
    /// not record the result of a check.
    fileprivate var unknownNumbers: [String] {
        narrowed.map { place in
            let entry = target[place.id]
            let column = entry.columns[place.column.rawValue]
            return "Property '\(entry.name).\(column.name)' is \(column.integers.typeName) and was "
                + "imported without a type. Open the realm once for writing, which checks its "
                + "numbers."
        }
    }

    /// The stored schema with the classes that the models add, which are empty.
    fileprivate var readOnly: StoreSchema {
        StoreSchema(
            classes: stored.classes + target.classes.dropFirst(stored.classes.count),
            version: stored.version, steps: stored.steps)
    }
}

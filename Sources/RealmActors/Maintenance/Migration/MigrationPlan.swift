import Storage

/// What opening a realm would do to its schema, determined without changing anything.
///
///     let plan = try await Realm.migrationPlan(for: configuration)
///     print(plan)             // every difference, and what happens to the objects
///
/// It describes the changes of the library, not those of the program's own migration: an object to
/// which the migration would give another primary key is counted among the clashes nevertheless.
public struct MigrationPlan: Sendable, Hashable {
    /// The outcome for the store.
    public enum Outcome: Sendable, Hashable {
        /// There is no store; it would be created.
        case create
        /// It opens unchanged.
        case open
        /// It opens with changes that lose nothing, and need neither a version nor code.
        case extend
        /// It is migrated, with the configuration's migration or steps if there are any.
        case migrate
        /// It is deleted, because of `deleteIfMigrationNeeded`.
        case delete
        /// It is refused, for this reason.
        case refuse(RealmError)
    }

    /// A default that the objects of a class would get.
    public struct Default: Sendable, Hashable {
        /// The class.
        public let className: String
        /// The property that is added, or gets another type.
        public let property: String
        /// The default that the class declares, else the zero of the type, as text.
        public let value: String
        /// How many objects get it.
        public let objects: Int
    }

    /// Primary keys that several objects of a class would have.
    public struct Clash: Sendable, Hashable {
        /// The class.
        public let className: String
        /// The primary key.
        public let property: String
        /// Some of the values, and how many objects have each.
        public let values: [String]
    }

    /// Integers that do not fit into the new type of a property.
    public struct Misfit: Sendable, Hashable, CustomStringConvertible {
        /// The class.
        public let className: String
        /// The property.
        public let property: String
        /// The type that it gets.
        public let type: String
        /// Some of the numbers.
        public let values: [Int]
        /// How many there are.
        public let count: Int

        /// The property, its type and the numbers.
        public var description: String {
            let named = values.map { "\($0)" }.joined(separator: ", ")
            return "\(className).\(property), \(type): \(named)"
                + (count > values.count ? " and \(count - values.count) more" : "")
        }
    }

    /// The outcome for the store.
    public let outcome: Outcome
    /// The version of the store; nil when it has none or does not exist.
    public let storedVersion: UInt64?
    /// The version of the configuration.
    public let version: UInt64
    /// Every difference between the stored schema and the models.
    public let differences: [String]
    /// The names of the steps that would run, in order.
    public let steps: [String]
    /// Whether the configuration's migration block would run.
    public let runsBlock: Bool
    /// For each class that the library would change, how many objects it has.
    public let touchedObjects: [String: Int]
    /// The defaults that objects would get.
    public let defaults: [Default]
    /// The primary keys that clash.
    public let clashes: [Clash]
    /// The numbers that do not fit their types.
    public let misfits: [Misfit]
}

extension MigrationPlan: CustomStringConvertible {
    /// The plan as text, one item per line.
    public var description: String {
        var lines = ["schemaVersion \(storedVersion.map { "\($0)" } ?? "none") -> \(version)"]
        switch outcome {
        case .create: lines.append("A new realm is created.")
        case .open: lines.append("The realm opens without changes.")
        case .extend: lines.append("The realm opens with additions, and without loss of data.")
        case .migrate: lines.append("The realm is migrated.")
        case .delete: lines.append("The realm is deleted and created anew.")
        case .refuse(let error): lines.append("The realm is refused: \(error)")
        }
        lines += differences
        if runsBlock { lines.append("The migration block runs.") }
        lines += steps.map { "Step '\($0)' runs." }
        for (name, count) in touchedObjects.sorted(by: { $0.key < $1.key }) {
            lines.append("\(count) objects of class '\(name)' are modified.")
        }
        for entry in defaults {
            lines.append(
                "\(entry.objects) objects get '\(entry.className).\(entry.property)' = "
                    + "\(entry.value).")
        }
        for clash in clashes {
            lines.append(
                "The primary key '\(clash.className).\(clash.property)' is not unique: "
                    + clash.values.joined(separator: ", ") + ".")
        }
        lines += misfits.map { "Numbers do not fit: \($0)." }
        return lines.joined(separator: "\n")
    }
}

extension Realm {
    /// The plan for opening `configuration`: what it would do to the store's schema. Nothing is
    /// changed, and no code of a migration runs; the realm may be open meanwhile.
    ///
    /// - Throws: ``RealmError`` when the models are not a valid schema or the store cannot be read.
    /// - Complexity: linear in the objects that would be changed, or that are in a new unique
    ///   index; these are in memory meanwhile.
    @concurrent
    public static func migrationPlan(
        for configuration: Configuration = .default
    ) async throws -> MigrationPlan {
        let configuration = configuration.placed
        try configuration.requireConsistency()
        return try await BlockingWork.run { try MigrationForecast(configuration).plan() }
    }

    /// The schema version of the realm at `path`; nil when there is no realm, or it has none yet.
    /// The realm may be open meanwhile.
    ///
    /// - Throws: ``RealmError`` when it cannot be read, or the key is missing or wrong.
    public static func schemaVersion(
        at path: String, encryptionKey: EncryptionKey? = nil
    ) throws -> UInt64? {
        var configuration = Configuration()
        configuration.path = path
        configuration.encryptionKey = encryptionKey
        return try MigrationForecast(configuration).stored()?.tree.schema.version
    }
}

import Storage

extension Realm.Configuration {
    /// The configuration with the default path if it has neither a path nor an identifier.
    var placed: Realm.Configuration {
        // Setting the path clears the identifier: a configuration with both would pass.
        if inMemoryIdentifier != nil { return self }
        var placed = self
        placed.path = absolute(path ?? Realm.defaultPath)
        placed.seedFilePath = seedFilePath.map { absolute($0) }
        return placed
    }

    /// The path made absolute: the working directory may change while files are made there.
    func absolute(_ path: String) -> String {
        let isRelative = fileSystem is POSIXFileSystem && !path.isEmpty && !path.hasPrefix("/")
        return isRelative ? Platform.canonicalPath(path) : path
    }

    /// The version of the schema that a store gets.
    var wantedSchemaVersion: UInt64 {
        max(schemaVersion, migrationSteps.map(\.number).max() ?? 0)
    }

    /// Refuses options that contradict each other.
    func requireConsistency() throws(RealmError) {
        if path != nil, inMemoryIdentifier != nil {
            throw .invalidValue(
                "A configuration has a path or an inMemoryIdentifier, not both. Remove one.")
        }
        if path == "" {
            throw .invalidValue(
                "The path of the realm is empty. Give the path of a folder, or nil for "
                    + "Realm.defaultPath.")
        }
        if filePermissions & 0o600 != 0o600 || filePermissions > 0o777 {
            throw .invalidValue(
                "The filePermissions 0o\(String(filePermissions, radix: 8)) must let the owner "
                    + "read and write, and have permission bits only: give 0o600 to 0o777.")
        }
        if readOnly, deleteIfMigrationNeeded || shouldCompactOnOpen != nil {
            let name = deleteIfMigrationNeeded ? "deleteIfMigrationNeeded" : "shouldCompactOnOpen"
            throw .invalidValue(
                "A readOnly configuration cannot have \(name), which writes. Remove one of them.")
        }
        if schemaVersion == .max {
            throw .invalidValue("UInt64.max is not a valid schemaVersion. Use a lower one.")
        }
        if seedFilePath != nil, inMemoryIdentifier != nil {
            throw .invalidValue(
                "A realm in memory cannot be created from a seedFilePath. Give a path, or remove "
                    + "seedFilePath.")
        }
        try requireLimits()
        if usesStoredSchema { try requireNoSchema() }
        try requireFitForSharedLog()
        try requireSteps()
    }

    /// Refuses sizes and durations that are out of range.
    private func requireLimits() throws(RealmError) {
        if let memoryBudget, memoryBudget <= 0 {
            throw .invalidValue(
                "A memoryBudget of \(memoryBudget) bytes is too small for reading. Give more, or "
                    + "nil for a quarter of the machine's memory.")
        }
        if maximumNumberOfActiveVersions == 0 {
            throw .invalidValue(
                "With a maximumNumberOfActiveVersions of 0 no write could begin, because the "
                    + "newest version counts. Give 1 or more, or nil for no limit.")
        }
        try requireWait(writeTimeout, "writeTimeout")
        try requireWait(releaseTimeout, "activeVersionPolicy")
        try requireWait(syncInterval, "durability")
        if syncInterval == .zero {
            throw .invalidValue(
                "A durability of .relaxed(every: .zero) would sync continuously. Give a longer "
                    + "interval, or .fsync.")
        }
        if !history.isPossible {
            throw .invalidValue(
                "A history of \(history) is negative. Give 0 or more, or .untilCompacted.")
        }
    }

    /// Refuses a duration that is negative or overflows a clock.
    private func requireWait(_ wait: Duration?, _ name: String) throws(RealmError) {
        guard let wait, wait < .zero || wait > Self.waitMax else { return }
        throw .invalidValue(
            "The duration of \(name) is \(wait). Give one of 0 seconds to 100 years.")
    }

    /// A hundred years.
    private static var waitMax: Duration { .seconds(3_155_760_000) }

    /// Refuses schema options beside `usesStoredSchema`.
    private func requireNoSchema() throws(RealmError) {
        let contradictions = [
            objectTypes.isEmpty ? nil : "objectTypes", schemaVersion == 0 ? nil : "schemaVersion",
            migration == nil ? nil : "migration", migrationSteps.isEmpty ? nil : "migrationSteps",
            deleteIfMigrationNeeded ? "deleteIfMigrationNeeded" : nil,
            inMemoryIdentifier == nil ? nil : "inMemoryIdentifier",
        ].compactMap { $0 }
        if contradictions.isEmpty { return }
        throw .invalidValue(
            "A configuration with usesStoredSchema opens a store on disk with its stored schema, "
                + "and cannot have "
                + contradictions.joined(separator: ", ") + ". Remove one or the other.")
    }

    private func requireFitForSharedLog() throws(RealmError) {
        guard sharedLog != nil else { return }
        if path == nil {
            throw .invalidValue(
                "A realm on a shared log has a folder on each host. Give its path.")
        }
        if durability != .fsync {
            throw .invalidValue(
                "On a shared log, a commit is durable when its engine acknowledges it. Leave "
                    + "durability at .fsync.")
        }
        if case .keep(.time) = history {
            throw .invalidValue(
                "The history of a realm on a shared log cannot be limited by time, since the "
                    + "clocks of hosts differ. Limit it by size: history = .keep(bytes:).")
        }
        if seedFilePath != nil || deleteIfMigrationNeeded {
            let name = seedFilePath != nil ? "seedFilePath" : "deleteIfMigrationNeeded"
            throw .invalidValue(
                "A realm on a shared log cannot be created anew by one host. Remove \(name).")
        }
    }

    private func requireSteps() throws(RealmError) {
        if migrationSteps.isEmpty { return }
        if migration != nil {
            throw .invalidValue(
                "A configuration has a migration or migrationSteps, not both. Remove one.")
        }
        var names: [UInt64: String] = [:]
        for step in migrationSteps {
            guard step.number > 0, step.number < .max else {
                throw .invalidValue(
                    "Migration step '\(step.name)' has the number \(step.number). Use 1 or more.")
            }
            if let other = names.updateValue(step.name, forKey: step.number) {
                throw .invalidValue(
                    "Migration steps '\(other)' and '\(step.name)' have the number "
                        + "\(step.number). Give each its own.")
            }
        }
    }
}

/// One of the numbered steps that a program's migrations consist of, as an alternative to one block
/// that looks at the version.
///
///     configuration.migrationSteps = [
///         MigrationStep(1, "split names") { migration in
///             try migration.enumerateObjects(ofType: "Person") { old, new in
///                 let words = (old?["fullName"] as? String ?? "").split(separator: " ")
///                 new?["firstName"] = words.first.map { String($0) } ?? ""
///             }
///         },
///         MigrationStep(2, "discard drafts") { migration in
///             try migration.deleteData(forType: "Draft")
///         },
///     ]
///
/// A store records the steps that it has run: each runs once, in the order of the numbers, also one
/// that came later with a number in between. A new store begins as if all had run. The number of
/// the last step is the schema version, unless the configuration's is higher.
public struct MigrationStep: Sendable {
    /// Its place among the steps: from 1 on.
    public let number: UInt64
    /// Its name, in the store and in errors. It must not change once the step has run.
    public let name: String
    /// What it does.
    public let run: @Sendable (Migration) throws -> Void

    /// A step; `run` changes the objects.
    public init(
        _ number: UInt64, _ name: String, run: @escaping @Sendable (Migration) throws -> Void
    ) {
        self.number = number
        self.name = name
        self.run = run
    }
}

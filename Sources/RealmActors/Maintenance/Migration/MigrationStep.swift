/// One numbered step of a program's migrations, an alternative to one block that checks the
/// version.
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
/// A store records the steps that have run on it. Each step runs once, in the order of the numbers,
/// even if it was added later with a number in between. A new store counts as having run all of
/// them. The number of the last step is the schema version, unless the configuration's is higher.
public struct MigrationStep: Sendable {
    /// Its number, from 1 on, which determines the order.
    public let number: UInt64
    /// Its name in the store and in errors, which must not change once the step has run.
    public let name: String
    /// Changes the objects.
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

/// The progress of a migration.
public struct MigrationProgress: Sendable, Hashable {
    /// The name of the step that runs; nil for a migration block.
    public let step: String?
    /// The class whose objects are visited.
    public let className: String
    /// How many of its objects have been visited.
    public let completed: Int
    /// How many it had before the migration.
    public let total: Int

    /// The fraction of this class that is done, from 0 to 1.
    public var fraction: Double { total == 0 ? 1 : Double(completed) / Double(total) }
}

/// The changes that made a conditional write fail.
public struct WriteConflict: Sendable, Hashable {
    /// The changed objects of one class.
    public struct ClassChanges: Sendable, Hashable {
        /// The class.
        public let className: String
        /// How many objects were inserted.
        public let insertions: Int
        /// How many objects were deleted.
        public let deletions: Int
        /// How many objects have other values.
        public let modifications: Int
        /// The properties with different values, in alphabetical order.
        public let properties: [String]
    }

    /// The version that the write required.
    public let since: Realm.Version
    /// The version that it found.
    public let latest: Realm.Version
    /// The changes in between, sorted by class name. Empty when the condition was a version or a
    /// token, which have no objects to compare.
    public let classes: [ClassChanges]
}

extension WriteConflict: CustomStringConvertible {
    /// The changes, and what to do.
    public var description: String {
        let lines = classes.map { changes in
            var text =
                "\n- \(changes.className): \(changes.insertions) inserted, \(changes.deletions) "
                + "deleted, \(changes.modifications) modified"
            if !changes.properties.isEmpty {
                text += " (\(changes.properties.joined(separator: ", ")))"
            }
            return text
        }
        return "The realm has changed since version \(since) and is at \(latest):"
            + (lines.isEmpty ? " other commits were made since." : lines.joined())
            + "\nThe write did not run. Read the newest version, and write again based on it."
    }
}

/// What a conditional write found changed.
public struct WriteConflict: Sendable, Hashable {
    /// What changed of the objects of one class.
    public struct ClassChanges: Sendable, Hashable {
        /// The class.
        public let className: String
        /// How many objects came.
        public let insertions: Int
        /// How many objects went.
        public let deletions: Int
        /// How many objects have other values.
        public let modifications: Int
        /// The properties that have other values, in alphabetic order.
        public let properties: [String]
    }

    /// The version that the write was to find.
    public let since: Realm.Version
    /// The version that it found.
    public let latest: Realm.Version
    /// What changed in between, by the names of the classes. Empty when the write named only a
    /// version or a token, with which there is nothing to compare.
    public let classes: [ClassChanges]
}

extension WriteConflict: CustomStringConvertible {
    /// What changed, and what to do.
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

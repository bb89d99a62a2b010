/// A version that is held, or the newest.
public struct ActiveVersion: Sendable, Hashable, CustomStringConvertible {
    /// The version.
    public let version: Realm.Version
    /// How long it has been held; zero for the newest when it is not held.
    public let age: Duration
    /// How many snapshots hold it.
    public let holders: Int
    /// The labels of the holders that have one: see ``Realm/snapshot(label:)``.
    public let labels: [String]

    /// The version, its age, the number of its holders and a few of their labels.
    public var description: String {
        var names = labels.prefix(3).joined(separator: ", ")
        if labels.count > 3 { names += " and \(labels.count - 3) more" }
        let by = labels.isEmpty ? "" : " (\(names))"
        return "version \(version), held \(holders) times\(by) for \(age)"
    }
}

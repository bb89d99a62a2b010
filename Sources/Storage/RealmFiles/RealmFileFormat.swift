/// The number of a file's format, which each generation of Realm has raised.
struct RealmFileFormat: RawRepresentable, Hashable, Comparable, Sendable {
    let rawValue: Int

    static let oldest = RealmFileFormat(rawValue: 10)
    static let newest = RealmFileFormat(rawValue: 24)

    /// Until 22 a dictionary is a tree of clusters, and two trees of keys and values since.
    var hasDictionariesInClusters: Bool { rawValue < 23 }

    static func < (left: RealmFileFormat, right: RealmFileFormat) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The number of a file's format, which generations of Realm have increased.
struct RealmFileFormat: RawRepresentable, Hashable, Comparable, Sendable {
    let rawValue: Int

    static let oldest = RealmFileFormat(rawValue: 10)
    static let newest = RealmFileFormat(rawValue: 24)

    /// Until format 22, a dictionary is a tree of clusters; since then, two trees of keys and
    /// values.
    var hasDictionariesInClusters: Bool { rawValue < 23 }

    static func < (left: RealmFileFormat, right: RealmFileFormat) -> Bool {
        left.rawValue < right.rawValue
    }
}

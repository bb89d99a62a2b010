/// The name of a version, which is that of the commit that made it: its number, and the life of the
/// store that it is of. After a crash a relaxed store may give the number of a commit that was lost
/// to another one.
package struct VersionName: Hashable, Comparable, Sendable {
    package let version: Version
    package let life: UInt64

    package init(version: Version, life: UInt64) {
        self.version = version
        self.life = life
    }

    /// Ascending by number. Between two with the same number the order means nothing.
    package static func < (a: VersionName, b: VersionName) -> Bool {
        a.version == b.version ? a.life < b.life : a.version < b.version
    }
}

/// A version at the moment in which an open store captured it.
///
/// Numbers tell what came first only among versions of which none was taken back. Captures of a
/// store always do: it never goes back to a version that it has left.
package struct VersionMoment: Hashable, Sendable {
    package let name: VersionName
    /// Nil for a version of the past that was made again: it comes before all that were captured.
    let capture: UInt64?

    /// Whether the store captured this version after another one, `other`.
    package func isNewer(than other: VersionMoment) -> Bool {
        guard name != other.name, let capture else { return false }
        return other.capture.map { capture > $0 } ?? true
    }

    /// Whether this version, which was published, shows that `other` is not among those before it:
    /// a crash has taken it back, or its transaction was rolled back. Where the commits since then
    /// have passed its number, nothing shows that any more.
    package func takesBack(_ other: VersionMoment) -> Bool {
        isNewer(than: other) && name.version <= other.name.version
    }
}

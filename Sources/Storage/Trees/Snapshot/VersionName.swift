/// The identity of a version and its commit: its number, and the ``Journal/life`` of its writer.
/// After a crash, a relaxed store may reuse the number of a lost commit for another one.
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
/// Numbers order versions only if none of them was lost or rolled back. The order of captures is
/// always valid: a store never returns to a version that it has left.
package struct VersionMoment: Hashable, Sendable {
    package let name: VersionName
    /// Nil for a reconstructed past version, which precedes all captured ones.
    let capture: UInt64?

    /// Whether the store captured this version after another one, `other`.
    package func isNewer(than other: VersionMoment) -> Bool {
        guard name != other.name, let capture else { return false }
        return other.capture.map { capture > $0 } ?? true
    }

    /// Whether this published version proves that `other` is not one of its predecessors: a crash
    /// has lost it, or its transaction was rolled back. Not detected once later commits have passed
    /// its number.
    package func invalidates(_ other: VersionMoment) -> Bool {
        isNewer(than: other) && name.version <= other.name.version
    }

    /// Whether this published version may be a predecessor of `other`: its number is lower, and it
    /// does not prove that `other` was lost.
    package func precedes(_ other: VersionMoment) -> Bool {
        name.version < other.name.version && !invalidates(other)
    }
}

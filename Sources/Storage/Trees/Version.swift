/// The number of a committed state of the database. Every commit creates the next one; numbers are
/// never reused for another state.
@usableFromInline
package struct Version: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    @usableFromInline package let rawValue: UInt64

    @inlinable
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    @inlinable
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// The empty database, before its first commit.
    package static let zero = Version(0)

    /// The greatest valid number in a file: a store with a million commits per second reaches it in
    /// 146,000 years, and greater ones are damage.
    package static let max = Version(1 << 62)

    /// The version that the commit after this one makes.
    @inlinable package var next: Version { Version(rawValue + 1) }

    @inlinable
    package static func < (left: Version, right: Version) -> Bool {
        left.rawValue < right.rawValue
    }

    @usableFromInline package var description: String { "\(rawValue)" }
}

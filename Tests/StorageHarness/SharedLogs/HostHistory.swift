package import Storage

/// What hosts of one realm were asked for, what they answered and showed, and what the log has in
/// the end: everything that ``HostHistory/check()`` judges by.
///
/// Moments are numbers that ascend.
package struct HostHistory: Sendable {
    /// One commit, as the one who asked for it knows it.
    package struct Commit: Sendable {
        package enum Outcome: Sendable, Hashable {
            case acknowledged(Version)
            /// Nothing of it was written.
            case refused
            case unknown
        }

        /// Which it is; no other one has the same.
        let number: Int64
        let begun: Int
        let ended: Int
        let outcome: Outcome

        package init(number: Int64, begun: Int, ended: Int, outcome: Outcome) {
            (self.number, self.begun, self.ended, self.outcome) = (number, begun, ended, outcome)
        }
    }

    /// A version that was seen somewhere.
    package struct Sight: Sendable {
        package enum Kind: Sendable {
            case snapshot
            /// An element of a stream, and what a replica is by then that knows nothing else.
            case element
        }

        let kind: Kind
        let host: Int
        /// Which opening of the host.
        let opening: Int
        let version: Version
        /// That of all rows.
        let hash: Int64

        package init(kind: Kind, host: Int, opening: Int, version: Version, hash: Int64) {
            (self.kind, self.host, self.opening) = (kind, host, opening)
            (self.version, self.hash) = (version, hash)
        }
    }

    /// A host was asked to show everything that was there.
    package struct Refresh: Sendable {
        let begun: Int
        /// What it showed then.
        let version: Version

        package init(begun: Int, version: Version) {
            (self.begun, self.version) = (begun, version)
        }
    }

    /// A commit in the log.
    package struct Entry: Sendable {
        let version: Version
        let number: Int64
        /// The hash of the rows that its body saw.
        let seen: Int64
        /// That of the rows which it made.
        let hash: Int64

        package init(version: Version, number: Int64, seen: Int64, hash: Int64) {
            (self.version, self.number, self.seen, self.hash) = (version, number, seen, hash)
        }
    }

    package var commits: [Commit] = []
    package var sights: [Sight] = []
    package var refreshes: [Refresh] = []
    /// What the log begins with, before the first commit.
    package var base = (version: Version.zero, hash: HostRows().hash)
    /// The commits of the log, as a reader of nothing else finds them.
    package var log: [Entry] = []

    package init() {}
}

public import Foundation
import Storage

/// A position in the history of one store, after one of its commits. Store it, and continue there
/// with ``Realm/commits(since:)``, also after a restart.
///
/// A realm on a shared log has one history, whichever host makes the commits: a token is valid on
/// the host that made it, and on every other.
public struct ChangeToken: Codable, Hashable, Sendable {
    /// The store that has the history; for a realm on a shared log, the realm, the same on all
    /// hosts.
    public let storeID: UUID
    /// The commit that the token follows.
    public let version: Realm.Version
    /// The life of the store in which the commit was made: when a store with relaxed durability
    /// loses a commit in a crash, another commit gets its number. Nil in tokens of earlier
    /// releases, and on a shared log, which loses no commit.
    let life: UInt64?

    init(in history: HistoryIdentity, version: Storage.Version, life: UInt64?) {
        storeID = history.id
        self.version = Realm.Version(version)
        self.life = history.hasLives ? life : nil
    }
}

extension Snapshot {
    /// The position in the history after the commit that made this version: exactly the later
    /// commits are missing from the snapshot.
    public var changeToken: ChangeToken {
        ChangeToken(in: models.history, version: root.version, life: root.life)
    }
}

extension Realm {
    /// The position in the history after the commit that made a version, for a program that has
    /// only its number, for example from a log file or another process. Zero is before all commits.
    ///
    /// Whether the history still reaches back to that position is checked when ``commits(since:)``
    /// reads it. A number cannot distinguish a commit that was lost in a crash from the one that
    /// has its number now: store tokens where that matters.
    public func changeToken(behind version: Version) -> ChangeToken {
        ChangeToken(
            in: store.models.history, version: Storage.Version(version.rawValue), life: nil)
    }
}

public import Foundation
import Storage

/// A position in the history of one store, after one of its commits. Store it, and continue there
/// with ``Realm/commits(since:)``, also after a restart.
///
/// A realm on a shared log has one history, whichever host makes the commits: a token is valid on
/// the host that made it, and on every other.
public struct ChangeToken: Codable, Hashable, Sendable {
    /// The store that the history is of; in a realm on a shared log that realm, on all hosts.
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
    /// The position in the history after the commit that made this version: the commits after it
    /// are those that the snapshot does not show.
    public var changeToken: ChangeToken {
        ChangeToken(in: models.history, version: root.version, life: root.life)
    }
}

extension Realm {
    /// The position in the history after the commit that made a version, for a program that knows
    /// versions by their numbers, as from a log or another process. Zero is before all commits.
    ///
    /// Whether the history reaches back to that position shows when ``commits(since:)`` reads it.
    /// That the commit was lost in a crash, and another one has its number, cannot be detected:
    /// store tokens where that matters.
    public func changeToken(behind version: Version) -> ChangeToken {
        ChangeToken(
            in: store.models.history, version: Storage.Version(version.rawValue), life: nil)
    }
}

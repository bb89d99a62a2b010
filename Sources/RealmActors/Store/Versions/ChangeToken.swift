public import Foundation
import Storage

/// A place in the history of one store: behind one of its commits. Store it, and go on there with
/// ``Realm/commits(since:)``, also after a restart.
///
/// A realm on a shared log has one history, whichever host makes the commits: a token goes on where
/// it was made, and on every other host as well.
public struct ChangeToken: Codable, Hashable, Sendable {
    /// The store that the history is of; in a realm on a shared log that realm, on all hosts.
    public let storeID: UUID
    /// The commit that the token stands behind.
    public let version: Realm.Version
    /// In which life of the store that was made: when a crash takes a commit of a relaxed store
    /// back, another one gets its number. Nil in tokens of earlier releases, and where that cannot
    /// be: what a shared log has is not taken back.
    let life: UInt64?

    init(in history: HistoryIdentity, version: Storage.Version, life: UInt64?) {
        storeID = history.id
        self.version = Realm.Version(version)
        self.life = history.hasLives ? life : nil
    }
}

extension Snapshot {
    /// The place in the history behind the commit that made this version: what comes after it are
    /// the changes that the snapshot does not show.
    public var changeToken: ChangeToken {
        ChangeToken(in: models.history, version: root.version, life: root.life)
    }
}

extension Realm {
    /// The place in the history behind the commit that made a version, for a program that knows
    /// versions by their numbers: what a log or another process names. Zero stands in front of all
    /// commits.
    ///
    /// Whether the history reaches back to there shows when ``commits(since:)`` reads it. That a
    /// crash has taken the commit back, and another one has its number, cannot show: keep tokens
    /// where that matters.
    public func changeToken(behind version: Version) -> ChangeToken {
        ChangeToken(
            in: store.models.history, version: Storage.Version(version.rawValue), life: nil)
    }
}

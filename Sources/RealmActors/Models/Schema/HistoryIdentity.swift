package import Foundation

/// The identity of a history of commits, which a token must match.
package struct HistoryIdentity: Sendable, Hashable {
    package let id: UUID
    /// Whether a crash may lose commits, whose numbers are then reused.
    package let hasLives: Bool

    /// The identity of a store's own history.
    package init(of store: UUID) {
        id = store
        hasLives = true
    }

    /// The identity of a realm on a shared log, the same on every host.
    package init(ofSharedRealm realm: UUID) {
        id = realm
        hasLives = false
    }
}

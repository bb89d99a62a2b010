package import Foundation

/// Which commits the numbers of versions are of: what a token has to agree with.
package struct HistoryIdentity: Sendable, Hashable {
    package let id: UUID
    /// Whether a crash may take commits back, so that others get their numbers.
    package let hasLives: Bool

    /// That of a store that no other process writes.
    package init(of store: UUID) {
        id = store
        hasLives = true
    }

    /// That of a realm on a shared log, on whichever host.
    package init(ofSharedRealm realm: UUID) {
        id = realm
        hasLives = false
    }
}

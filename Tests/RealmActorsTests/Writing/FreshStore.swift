import Foundation
import RealmActors

/// Lends a path for a store of its own and removes what stands there afterwards.
func withStorePath<R>(_ body: (String) async throws -> R) async throws -> R {
    let path = TestFolder.path("writing")
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

/// Lends a fresh realm, which is closed afterwards. `configure` changes its configuration first.
///
/// Writes have no time limit: they wait for their threads behind all other tests of the run.
func withFreshRealm<R>(
    _ types: [ObjectBase.Type], _ configure: (inout Realm.Configuration) -> Void = { _ in },
    _ body: (Realm) async throws -> R
) async throws -> R {
    try await withStorePath { path in
        var configuration = Realm.Configuration(
            path: path, objectTypes: types, writeTimeout: nil)
        configure(&configuration)
        let realm = try await Realm.open(configuration)
        do {
            let result = try await body(realm)
            try await realm.close()
            return result
        } catch {
            try? await realm.close()
            throw error
        }
    }
}

/// Lends a fresh realm that permits one active version. A write waits up to `duration` for the
/// release of another one.
func withOneActiveVersion<R>(
    _ types: [ObjectBase.Type], waitingUpTo duration: Duration = .seconds(3_600),
    _ body: (Realm) async throws -> R
) async throws -> R {
    try await withFreshRealm(types) { configuration in
        configuration.maximumNumberOfActiveVersions = 1
        configuration.activeVersionPolicy = .wait(upTo: duration)
    } _: { realm in
        try await body(realm)
    }
}

/// Lends two live realms on the main actor, each of a fresh store.
@MainActor func withLiveRealms(
    _ types: [ObjectBase.Type], _ body: @MainActor (LiveRealm, LiveRealm) async throws -> Void
) async throws {
    try await withFreshRealm(types) { realm in
        try await withFreshRealm(types) { other in
            try await body(try await realm.live(), try await other.live())
        }
    }
}

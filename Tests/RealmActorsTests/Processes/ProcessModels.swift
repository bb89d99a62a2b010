import Foundation
import RealmActors
import Storage

/// What the tests of several processes store.
final class SharedParcel: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var state: Int
    @Persisted var tags: List<String>
    @Persisted var box: SharedParcel?
}

/// A folder with a store, and names under which this process takes it for several: what it opens
/// through them shares nothing in memory.
struct SharedFolder {
    let path: String

    func name(_ number: Int) -> String { "\(path)/name-\(number)" }

    func open(
        _ number: Int, readOnly: Bool = false,
        key: EncryptionKey? = nil, durability: Realm.Configuration.Durability = .fsync,
        timeout: Duration? = nil, options: LogOptions? = nil
    ) async throws -> Realm {
        var configuration = Realm.Configuration(
            path: name(number), objectTypes: [SharedParcel.self], readOnly: readOnly,
            encryptionKey: key, durability: durability, writeTimeout: timeout)
        if let options { configuration.logOptions = options }
        return try await Realm.open(configuration)
    }

    /// Calls `body` with a fresh folder, which is deleted afterwards.
    static func with<R>(
        _ count: Int = 4, isolation: isolated (any Actor)? = #isolation,
        _ body: (SharedFolder) async throws -> R
    ) async throws -> R {
        let folder = SharedFolder(path: TestFolder.path("shared"))
        let files = FileManager.default
        try files.createDirectory(
            atPath: folder.path + "/store", withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: folder.path) }
        for number in 0..<count {
            try files.createSymbolicLink(
                atPath: folder.name(number), withDestinationPath: folder.path + "/store")
        }
        return try await body(folder)
    }
}

extension Realm {
    /// Waits until this realm shows `version`; fails the wait, not the test, after a minute.
    func reaches(_ version: Realm.Version) async -> Bool {
        for _ in 0..<60_000 where latestVersion < version {
            try? await Task.sleep(for: .milliseconds(1))
        }
        return latestVersion >= version
    }

    /// The states of the parcels by their ids.
    var states: [Int: Int] {
        Dictionary(uniqueKeysWithValues: objects(SharedParcel.self).map { ($0.id, $0.state) })
    }
}

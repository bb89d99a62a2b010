import Foundation
import RealmActors

/// What a workload works with: the options, a folder for databases, and the shared data set.
actor Bench {
    nonisolated let options: Options
    nonisolated let folder: URL
    private var persons: Realm?

    init(_ options: Options) throws {
        self.options = options
        folder = try options.makeFolder()
    }

    nonisolated var count: Int { options.objects }

    /// The files of w16_flights.
    nonisolated var flights: URL {
        if let path = options.others["--flights"] { return URL(fileURLWithPath: path) }
        return URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../shared/data/nycflights13").standardizedFileURL
    }

    /// The file of w21_realmfile.
    nonisolated var realmFile: URL {
        if let path = options.others["--realm-file"] { return URL(fileURLWithPath: path) }
        return URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../shared/data/realm-files/many.realm")
            .standardizedFileURL
    }

    /// The store that the workloads from w05 on read.
    nonisolated var personsPath: String { folder.appendingPathComponent("persons.realm").path }

    nonisolated static let objectTypes: [ObjectBase.Type] = [Person.self, StringObject.self]

    /// A new, empty realm of its own.
    nonisolated func freshRealm(
        _ name: String, durability: Realm.Configuration.Durability = .fsync,
        history: Realm.Configuration.History = .untilCompacted,
        encryptionKey: EncryptionKey? = nil, monitor: (any RealmMonitor)? = nil
    ) async throws -> Realm {
        let path = folder.appendingPathComponent("\(name)-\(UUID().uuidString).realm").path
        var configuration = Realm.Configuration(
            path: path, objectTypes: Self.objectTypes, encryptionKey: encryptionKey,
            durability: durability, history: history)
        configuration.monitor = monitor
        return try await Realm.open(configuration)
    }

    /// Closes a realm and removes its files.
    nonisolated func discard(_ realm: Realm) async throws {
        let path = realm.configuration.path
        try await realm.close()
        if let path { try FileManager.default.removeItem(atPath: path) }
    }

    /// The realm with the whole data set; made when it is first asked for, untimed.
    func personsRealm() async throws -> Realm {
        if let persons { return persons }
        let isThere = FileManager.default.fileExists(atPath: personsPath)
        let realm = try await Realm.open(.init(path: personsPath, objectTypes: Self.objectTypes))
        if !isThere {
            progress("inserting \(count) persons for the workloads that read")
            let count = count
            try await realm.write { tx in try Dataset.insert(0..<count, into: tx) }
        }
        persons = realm
        return realm
    }

    /// Closes the data set, so that another process can open it.
    func closePersons() async throws {
        try await persons?.close()
        persons = nil
    }

    /// Removes everything this run made.
    nonisolated func cleanUp() {
        try? FileManager.default.removeItem(at: folder)
    }
}

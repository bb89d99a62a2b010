import Flights
import Foundation
import RealmActors

/// Where the quick start keeps its database.
struct RealmPlace {
    private let folder: URL
    private let isTemporary: Bool
    private let path: String
    private var isOurs = false

    /// A database is already there: the quick start never touches what it did not make.
    struct Occupied: Error, CustomStringConvertible {
        let path: String
        var description: String {
            "There is already a database at \(path). Give another --path, or remove it first."
        }
    }

    /// In the folder that the user chose, or in a temporary one.
    init(_ name: String, in folder: URL?) {
        isTemporary = folder == nil
        self.folder =
            folder
            ?? FileManager.default.temporaryDirectory
            .appendingPathComponent("quickstart-\(UUID().uuidString)", isDirectory: true)
        path = self.folder.appendingPathComponent(name).path
    }

    /// The path to show to the user, unless the database goes away at the end.
    var keptPath: String? { isTemporary ? nil : path }

    /// Makes the folder, and gives the path where the database is to be.
    mutating func claim() throws -> String {
        guard !FileManager.default.fileExists(atPath: path) else { throw Occupied(path: path) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        isOurs = true
        return path
    }

    /// Opens a new realm of flights.
    mutating func openNew() async throws -> Realm {
        _ = try claim()
        return try await open()
    }

    /// Opens the realm of flights.
    func open() async throws -> Realm {
        try await Realm.open(.init(path: path, objectTypes: FlightModel.objectTypes))
    }

    /// What the database occupies, in bytes.
    var bytesOnDisk: Int {
        let files = FileManager.default.enumerator(atPath: path)?.allObjects ?? []
        return files.reduce(0) { sum, name in
            let file = "\(path)/\(name)"
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }

    /// Removes the database after a failure, if this run made it.
    func discard() {
        if isOurs { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Removes what was only temporary.
    func cleanUp() {
        if isTemporary { try? FileManager.default.removeItem(at: folder) }
    }
}

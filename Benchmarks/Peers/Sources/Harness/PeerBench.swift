import Foundation

/// What a workload works with: the options, the database, and a folder for its files.
struct PeerBench: Sendable {
    let options: Options
    let peer: any Peer.Type
    let folder: URL

    init(_ options: Options, _ peer: any Peer.Type) throws {
        self.options = options
        self.peer = peer
        folder = try options.makeFolder()
    }

    var count: Int { options.objects }

    /// The database that the workloads from w05 on read.
    var personsPath: String { path("persons") }

    /// The folder of a database.
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// The database with the whole data set, made untimed when it is first asked for.
    func openPersons() throws -> any Peer {
        let isThere = FileManager.default.fileExists(atPath: personsPath)
        if !isThere {
            progress("inserting \(count) persons for the workloads that read")
            let peer = try open("persons", .unsynced)
            try peer.insertPersons(0..<count) { $0 }
            try peer.close()
        }
        return try open("persons", .unsynced)
    }

    /// A database of its own, in a folder of its own.
    func open(_ name: String, _ durability: PeerDurability) throws -> any Peer {
        try peer.init(path: makeFolder(name), durability: durability)
    }

    /// The same for many tasks.
    func openCommitter(_ name: String, _ durability: PeerDurability) throws -> any PeerCommitter {
        try peer.committer(path: makeFolder(name), durability: durability)
    }

    /// Makes the folder of a database, unless it is there.
    func makeFolder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(
            atPath: path(name), withIntermediateDirectories: true)
        return path(name)
    }

    func discard(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path(name))
    }

    /// Removes everything this run made.
    func cleanUp() {
        try? FileManager.default.removeItem(at: folder)
    }
}

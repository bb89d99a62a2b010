import Foundation
import RealmActors
import Testing

private final class Note: Object {
    @Persisted(primaryKey: true) var id: Int
}

/// What a path means, what is wrong with it, and who may read what is made there.
@Suite struct PathErrorTests {
    /// Said only that a directory could not be created, and to check the disk.
    @Test func aMissingFolderIsNamed() async throws {
        try await withStorePath { path in
            let inside = path + "/deeper/notes.realm"
            await #expect(throws: RealmError.folderNotFound(path: path + "/deeper")) {
                try await Realm.open(.init(path: inside, objectTypes: [Note.self]))
            }
            #expect(RealmError.folderNotFound(path: "/x").description.contains("Create it first"))
            #expect(!FileManager.default.fileExists(atPath: path))
            try FileManager.default.createDirectory(
                atPath: path + "/deeper", withIntermediateDirectories: true)
            let realm = try await Realm.open(.init(path: inside, objectTypes: [Note.self]))
            await #expect(throws: RealmError.folderNotFound(path: path + "/none")) {
                try await realm.writeCopy(to: path + "/none/copy.realm")
            }
            try await realm.close()
        }
    }

    @Test func anEmptyPathIsRefused() async throws {
        for readOnly in [false, true] {
            do {
                _ = try await Realm.open(
                    .init(path: "", objectTypes: [Note.self], readOnly: readOnly))
                Issue.record("It opens")
            } catch RealmError.invalidValue(let text) {
                #expect(text.contains("path") && text.contains("empty"))
            }
        }
        try await withFreshRealm([Note.self]) { realm in
            await #expect(throws: RealmError.self) { try await realm.writeCopy(to: "") }
            #expect(realm.failure == nil)
        }
    }

    /// It was followed anew for every file: once the process had changed its working directory, the
    /// next file of the realm was made or removed there, be it that of another realm.
    @Test("Z2: a relative path is followed once, when the realm is opened")
    func aRelativePathIsFollowedOnce() async throws {
        try await withStorePath { path in
            let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
            let relative = String(repeating: "../", count: depth) + path.dropFirst()
            #expect(path.hasPrefix("/") && !relative.hasPrefix("/"))
            let configuration = Realm.Configuration(
                path: relative, objectTypes: [Note.self], writeTimeout: nil)
            let realm = try await Realm.open(configuration)
            let place = try #require(realm.configuration.path)
            #expect(place.hasPrefix("/") && !place.contains(".."))
            #expect(Realm.exists(at: path) && Realm.exists(for: configuration))
            let same = try await Realm.open(.init(path: path, objectTypes: [Note.self]))
            #expect(same == realm)
            try await realm.close()
            try await realm.reopen()
            try await realm.write { tx in try tx.create(Note.self, value: ["id": 1]) }
            try await realm.close()
            #expect(try Realm.deleteFiles(for: configuration))
            #expect(!Realm.exists(at: path))
        }
        // Whatever else is wrong with it is said of the path that was given.
        await #expect(throws: RealmError.folderNotFound(path: "no-such-folder")) {
            try await Realm.open(
                .init(path: "no-such-folder/notes.realm", objectTypes: [Note.self]))
        }
    }

    /// Names that are equal as strings, and have other bytes, are other files on Linux: opening the
    /// second one gave the realm of the first.
    @Test func namesWithOtherBytesAreOtherRealms() async throws {
        try await withStorePath { path in
            let files = FileManager.default
            try files.createDirectory(atPath: path, withIntermediateDirectories: true)
            let names = ["\u{e9}", "e\u{301}"].map { path + "/" + $0 }
            let first = try await Realm.open(.init(path: names[0], objectTypes: [Note.self]))
            // So they are on Apple platforms.
            let areOne = files.fileExists(atPath: names[1])
            let second = try await Realm.open(.init(path: names[1], objectTypes: [Note.self]))
            #expect((first == second) == areOne)
            try await first.write { tx in _ = try tx.create(Note.self, value: ["id": 1]) }
            #expect(second.objects(Note.self).count == (areOne ? 1 : 0))
            try await first.close()
            if !areOne { try await second.close() }
        }
    }

    @Test func filesAreForTheirOwnerUnlessItIsSaidOtherwise() async throws {
        for permissions in [nil, 0o640, 0o644] as [UInt16?] {
            try await withStorePath { path in
                var configuration = Realm.Configuration(path: path, objectTypes: [Note.self])
                if let permissions { configuration.filePermissions = permissions }
                let realm = try await Realm.open(configuration)
                try await realm.write { tx in _ = try tx.create(Note.self, value: ["id": 1]) }
                try await realm.compact()
                // The process's umask takes away what it takes from any other file.
                try Data().write(to: URL(fileURLWithPath: path + "/other"))
                let masked = try Self.permissions(below: path).first { $0.name == "/other" }
                try FileManager.default.removeItem(atPath: path + "/other")
                let mask = 0o666 & ~(try #require(masked?.permissions))
                let wanted = (permissions ?? 0o600) & ~mask
                let found = try Self.permissions(below: path)
                #expect(found.count > 4)
                for (name, isFolder, given) in found {
                    let readers = wanted | (wanted >> 2 & 0o111)
                    #expect(given == (isFolder ? readers : wanted), "\(name)")
                }
                try await realm.close()
            }
        }
        for permissions in [0o400, 0o060, 0o1600] as [UInt16] {
            var configuration = Realm.Configuration(
                path: TestFolder.path("refused"), objectTypes: [Note.self])
            configuration.filePermissions = permissions
            await #expect(throws: RealmError.self) { try await Realm.open(configuration) }
        }
    }

    private static func permissions(
        below path: String
    ) throws -> [(name: String, isFolder: Bool, permissions: UInt16)] {
        let files = FileManager.default
        let names = [""] + (try files.subpathsOfDirectory(atPath: path)).map { "/" + $0 }
        return try names.map { name in
            let attributes = try files.attributesOfItem(atPath: path + name)
            let given = try #require(attributes[.posixPermissions] as? NSNumber)
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            return (name, isFolder, given.uint16Value)
        }
    }
}

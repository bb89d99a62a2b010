import Foundation
import RealmActors
import Testing

/// Stores that are made of backups. What is replaced is a copy of the kennel's store: this process
/// may have that open, also for a moment after it was closed.
@Suite(.timeLimit(.minutes(10))) struct RestoreTests {
    /// What is in a folder, but for the files of stores.
    private func names(in kennel: Kennel) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: kennel.folder))
    }

    private func count(_ path: String) async throws -> String {
        try await Tool.run("query", path, "Dog", "--count").output
    }

    /// A store without dogs, and a backup of one with them.
    private func emptied(_ kennel: Kennel) async throws -> (store: String, backup: String) {
        let backup = kennel.folder + "/backup"
        let made = try await Tool.run("backup", kennel.path, backup)
        #expect(made.status == 0, "\(made.errors)")
        let store = try kennel.copied("store")
        let deleted = try await Tool.run("delete", store, "Dog", "--all", "--yes")
        #expect(deleted.status == 0, "\(deleted.errors)")
        return (store, backup)
    }

    @Test func aBackupIsRestored() async throws {
        try await Kennel.with { kennel in
            let service = try await kennel.open()
            let made = try await Tool.run("backup", kennel.path, kennel.folder + "/first")
            #expect(made.errors.contains("version \(service.latestVersion)"))
            try await service.close()
            let (store, backup) = try await emptied(kennel)
            let before = try await kennel.contents(of: backup)
            #expect(try await Tool.run("restore", backup, store).status == 3)
            let unasked = try await Tool.run("restore", backup, store, "--replace")
            #expect(unasked.status == 8)
            #expect(try await count(store) == "0\n")
            let restored = try await Tool.run(
                "restore", backup, store + "/", "--replace", "--yes")
            #expect(restored.status == 0, "\(restored.errors)")
            let own = try await Tool.run("restore", store, store + "/", "--replace", "--yes")
            #expect(own.status == 3, "\(own.errors)")
            #expect(try await kennel.contents(of: store) == before)
            #expect(try names(in: kennel) == ["kennel", "first", "backup", "store"])
        }
    }

    /// The new store stood in the place of the link, on another disk perhaps.
    @Test func aStoreThatALinkLeadsToIsReplacedWhereItIs() async throws {
        try await Kennel.with { kennel in
            let (store, backup) = try await emptied(kennel)
            let files = FileManager.default
            let disk = kennel.folder + "/disk"
            try files.createDirectory(atPath: disk, withIntermediateDirectories: true)
            try files.moveItem(atPath: store, toPath: disk + "/store")
            try files.createSymbolicLink(atPath: store, withDestinationPath: disk + "/store")
            let restored = try await Tool.run("restore", backup, store, "--replace", "--yes")
            #expect(restored.status == 0, "\(restored.errors)")
            #expect(try await count(store) == "3\n")
            #expect(try files.destinationOfSymbolicLink(atPath: store) == disk + "/store")
            #expect(try files.contentsOfDirectory(atPath: disk) == ["store"])
            #expect(try names(in: kennel) == ["kennel", "backup", "store", "disk"])
            // The store that a link leads to is no backup of itself.
            let own = try await Tool.run("restore", disk + "/store", store, "--replace", "--yes")
            #expect(own.status == 3, "\(own.errors)")
        }
    }

    @Test func whatIsNoStoreIsNotReplaced() async throws {
        try await Kennel.with { kennel in
            let folder = kennel.folder + "/photos"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            let file = folder + "/rex.png"
            try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
            for path in [folder, file] {
                let run = try await Tool.run("restore", kennel.path, path, "--replace", "--yes")
                #expect(run.status == 3 && run.errors.contains("is not a store"), "\(run.errors)")
            }
            #expect(FileManager.default.contents(atPath: file) == Data("mine".utf8))
        }
    }

    /// What a restore that did not end has left beside its place may be all that there is.
    @Test func aCopyBesideItsPlaceIsRestoredWhereNothingIsReplaced() async throws {
        try await Kennel.with { kennel in
            try await kennel.open().close()
            let beside = kennel.folder + "/kept.restoring"
            #expect(try await Tool.run("restore", kennel.path, beside).status == 0)
            let restored = try await Tool.run("restore", beside, kennel.folder + "/kept")
            #expect(restored.status == 0, "\(restored.errors)")
            let again = try await Tool.run(
                "restore", beside, kennel.folder + "/kept", "--replace", "--yes")
            #expect(again.status == 3, "\(again.errors)")
            for path in [beside, kennel.folder + "/kept"] {
                #expect(
                    try await kennel.contents(of: path) == kennel.contents(of: kennel.path))
            }
        }
    }

    /// As a run leaves it that was killed while it copied, or between its two renames.
    @Test func whatARunHasLeftThatWasKilledIsPutRight() async throws {
        try await Kennel.with { kennel in
            let (store, backup) = try await emptied(kennel)
            let files = FileManager.default
            for name in ["restoring", "restoring.copying-1"] {
                try files.copyItem(atPath: backup, toPath: "\(store).\(name)")
            }
            let restored = try await Tool.run("restore", backup, store, "--replace", "--yes")
            #expect(restored.status == 0, "\(restored.errors)")
            #expect(try await count(store) == "3\n")
            #expect(try names(in: kennel) == ["kennel", "backup", "store"])
            // The store that was to be replaced has lost its place, and the copy has not got it.
            try files.copyItem(atPath: backup, toPath: store + ".restoring")
            try files.moveItem(atPath: store, toPath: store + ".replaced")
            let unsaid = try await Tool.run("restore", backup, store)
            #expect(unsaid.status == 3 && unsaid.errors.contains("was renamed back"))
            #expect(try await count(store) == "3\n")
            let again = try await Tool.run("restore", backup, store, "--replace", "--yes")
            #expect(again.status == 0, "\(again.errors)")
            #expect(try names(in: kennel) == ["kennel", "backup", "store"])
        }
    }

    /// The folder of a store may have files of other programs too.
    @Test func whatElseIsInTheFolderOfAReplacedStoreIsKept() async throws {
        try await Kennel.with { kennel in
            let (store, backup) = try await emptied(kennel)
            try Data("mine".utf8).write(to: URL(fileURLWithPath: store + "/notes.txt"))
            let restored = try await Tool.run("restore", backup, store, "--replace", "--yes")
            #expect(restored.status == 0 && restored.errors.contains(".replaced"))
            #expect(try await count(store) == "3\n")
            let kept = store + ".replaced/notes.txt"
            #expect(FileManager.default.contents(atPath: kept) == Data("mine".utf8))
            // The next one has no place for what it replaces, and says so before it begins.
            let next = try await Tool.run("restore", backup, store, "--replace", "--yes")
            #expect(next.status == 3 && next.errors.contains(".replaced"), "\(next.errors)")
            #expect(try names(in: kennel) == ["kennel", "backup", "store", "store.replaced"])
        }
    }

    /// Names of files have up to 255 bytes: those beside a longer name than 245 were too long.
    @Test(arguments: [219, 220, 246, 255])
    func aStoreWithALongNameIsReplaced(count: Int) async throws {
        try await Kennel.with { kennel in
            let (store, backup) = try await emptied(kennel)
            let name = String(repeating: "n", count: count)
            let path = kennel.folder + "/" + name
            let files = FileManager.default
            try files.moveItem(atPath: store, toPath: path)
            let restored = try await Tool.run("restore", backup, path, "--replace", "--yes")
            #expect(restored.status == 0, "\(restored.errors)")
            #expect(try await self.count(path) == "3\n")
            #expect(try names(in: kennel) == ["kennel", "backup", name])
            // What another name of this length, and with the same beginning, has left.
            let other = String(name.dropLast()) + "m"
            try files.moveItem(atPath: path, toPath: kennel.folder + "/" + other)
            try Data("mine".utf8).write(
                to: URL(fileURLWithPath: kennel.folder + "/" + other + "/notes.txt"))
            let kept = try await Tool.run(
                "restore", backup, kennel.folder + "/" + other, "--replace", "--yes")
            #expect(kept.status == 0 && kept.errors.contains(".replaced"), "\(kept.errors)")
            let first = try await Tool.run("restore", backup, path)
            #expect(first.status == 0, "\(first.errors)")
            let again = try await Tool.run("restore", backup, path, "--replace", "--yes")
            #expect(again.status == 0, "\(again.errors)")
            let asides = try names(in: kennel).filter { $0.hasSuffix(".replaced") }
            #expect(asides.count == 1)
        }
    }

    /// What was left of it got its place back, and there was no store.
    @Test func aStoreThatCannotBeDeletedAsAWholeIsReplaced() async throws {
        try await Kennel.with { kennel in
            let (store, backup) = try await emptied(kennel)
            // A page file by its name.
            let folder = "/pages/0000000099.pages/photos"
            try FileManager.default.createDirectory(
                atPath: store + folder, withIntermediateDirectories: true)
            let restored = try await Tool.run("restore", backup, store, "--replace", "--yes")
            #expect(restored.status == 0 && restored.errors.contains(".replaced"))
            #expect(try await count(store) == "3\n")
            #expect(FileManager.default.fileExists(atPath: store + ".replaced" + folder))
        }
    }

    @Test func aStoreThatIsInUseIsNotReplaced() async throws {
        try await Kennel.with { kennel in
            let service = try await kennel.open()
            let backup = kennel.folder + "/backup"
            #expect(try await Tool.run("backup", kennel.path, backup).status == 0)
            try await service.write { tx in try tx.delete(tx.objects(Dog.self)) }
            let refused = try await Tool.run(
                "restore", backup, kennel.path, "--replace", "--yes")
            #expect(refused.status == 6, "\(refused.errors)")
            try await service.write { tx in _ = try tx.create(Dog.self, value: ["id": 9]) }
            try await service.close()
            #expect(try await count(kennel.path) == "1\n")
            #expect(try names(in: kennel) == ["kennel", "backup"])
        }
    }

    #if os(Linux)
        /// Between two renames there was none, and a program that opened it then made an empty one.
        @Test func thereIsAStoreAllTheTimeWhileItIsReplaced() async throws {
            try await Kennel.with { kennel in
                let (store, backup) = try await emptied(kennel)
                let tool = try Tool(["restore", backup, store, "--replace", "--yes"])
                defer { tool.end() }
                try tool.start()
                var absences = 0
                while tool.isRunning {
                    if access(store + "/superblock", F_OK) != 0 { absences += 1 }
                }
                let run = try await tool.finish()
                #expect(run.status == 0 && absences == 0, "\(run.errors)")
                #expect(try await count(store) == "3\n")
                #expect(try names(in: kennel) == ["kennel", "backup", "store"])
            }
        }

        @Test func aStoreThatSomebodyReadsIsNotReplaced() async throws {
            try await Kennel.with { kennel in
                let (store, backup) = try await emptied(kennel)
                let reader = try Tool(["tail", store])
                defer { reader.end() }
                try reader.start()
                try await reader.errors(contain: "following")
                let refused = try await Tool.run("restore", backup, store, "--replace", "--yes")
                #expect(refused.status == 6, "\(refused.errors)")
                #expect(refused.errors.contains("(realmactors) has files of the store"))
                #expect(try await count(store) == "0\n")
                reader.end()
                _ = try await reader.finish()
                let restored = try await Tool.run("restore", backup, store, "--replace", "--yes")
                #expect(restored.status == 0, "\(restored.errors)")
                #expect(try await count(store) == "3\n")
            }
        }
    #endif
}

import Foundation
import RealmActors
import Storage
import StorageHarness
import Testing

/// What is known of an import before it, and of the file.
@Suite struct RealmFilePlanTests {
    private typealias Thing = RealmFileImportTests.Thing
    private static let small = RealmFileImportTests.small

    @Test func thePlanSaysWhatTheImportWouldDo() async throws {
        let path = TestFolder.path("planned")
        var configuration = Realm.Configuration(
            path: path, objectTypes: [Thing.self], schemaVersion: 4)
        var plan = try await Realm.importPlan(at: Self.small, into: configuration)
        #expect(plan.outcome == .open && plan.storedVersion == 4 && plan.differences.isEmpty)
        configuration.objectTypes = [RealmFileImportTests.Renamed.Thing.self]
        plan = try await Realm.importPlan(at: Self.small, into: configuration)
        #expect(plan.outcome == .refuse(.schemaMismatch(differences: plan.differences)))
        #expect(plan.differences.contains("Property 'Thing.title' has been added."))
        // The import refuses for the same reason.
        await #expect(throws: RealmError.schemaMismatch(differences: plan.differences)) {
            try await Realm.importRealmFile(at: Self.small, into: configuration)
        }
        configuration.schemaVersion = 5
        configuration.migration = { migration, _ in
            try migration.renameProperty(onType: "Thing", from: "short", to: "title")
        }
        plan = try await Realm.importPlan(at: Self.small, into: configuration)
        #expect(plan.outcome == .migrate && plan.runsBlock && plan.version == 5)
        #expect(plan.touchedObjects == ["Thing": 300])
        #expect(plan.defaults.first?.objects == 300)
        #expect(!FileManager.default.fileExists(atPath: path))
        try await Realm.importRealmFile(at: Self.small, into: configuration)
        plan = try await Realm.importPlan(at: Self.small, into: configuration)
        guard case .refuse = plan.outcome else {
            Issue.record("there is a realm already, and the plan is \(plan.outcome)")
            return
        }
    }

    /// The import continued, and its result was deleted by the opening, or could not be opened.
    @Test func anImportThatNoOpeningCouldUseIsRefused() async throws {
        let path = TestFolder.path("refused")
        var deleting = Realm.Configuration(
            path: path, objectTypes: [Thing.self], schemaVersion: 5)
        deleting.deleteIfMigrationNeeded = true
        var shared = Realm.Configuration(path: path, objectTypes: [Thing.self], schemaVersion: 4)
        let engine = MemorySharedLog.Engine()
        shared.sharedLog = Realm.SharedLog { MemorySharedLog(engine) }
        for configuration in [deleting, shared] {
            let plan = try await Realm.importPlan(at: Self.small, into: configuration)
            guard case .refuse(let reason) = plan.outcome else {
                Issue.record("the plan is \(plan.outcome)")
                continue
            }
            await #expect(throws: reason) {
                try await Realm.importRealmFile(at: Self.small, into: configuration)
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        // Where the opening deletes nothing.
        deleting.schemaVersion = 4
        #expect(try await Realm.importPlan(at: Self.small, into: deleting).outcome == .open)
    }

    @Test func aFileThatAnAppHasOpenIsKnown() async throws {
        let url = URL(fileURLWithPath: TestFolder.path("open") + ".realm")
        try FileManager.default.copyItem(at: Self.small, to: url)
        #expect(try await !Realm.realmFileInfo(at: url).isOpen)
        // The file stays when the app has closed it; the lock does not.
        var lock = try POSIXFileSystem().lock(url.path + ".lock")
        #expect(lock != nil)
        #expect(try await Realm.realmFileInfo(at: url).isOpen)
        lock = nil
        #expect(try await !Realm.realmFileInfo(at: url).isOpen)
        #expect(FileManager.default.fileExists(atPath: url.path + ".lock"))
        // Realm has one that its processes share.
        let file = open(url.path + ".lock", O_RDONLY)
        defer { close(file) }
        try #require(flock(file, LOCK_SH | LOCK_NB) == 0)
        #expect(try await Realm.realmFileInfo(at: url).isOpen)
    }

    /// A full-text index was reported as none.
    @Test func indexesAreKnown() async throws {
        var builder = RealmFileBuilder()
        let texts = builder.strings(["a"])
        builder.table(
            "class_Text", count: 1, primaryKey: 0,
            [
                .init("key", type: 2, leaf: texts),
                .init("sought", type: 2, attributes: 1, leaf: texts),
                .init("read", type: 2, attributes: 256, leaf: texts),
                .init("plain", type: 2, leaf: texts),
            ])
        let url = URL(fileURLWithPath: TestFolder.path("indexes") + ".realm")
        try Data(builder.file()).write(to: url)
        let properties = try await Realm.realmFileInfo(at: url).classes.first?.properties ?? []
        #expect(properties.map(\.name) == ["key", "sought", "read", "plain"])
        #expect(properties.map(\.isIndexed) == [true, true, false, false])
        #expect(properties.map(\.isFullText) == [false, false, true, false])
        let path = TestFolder.path("indexed")
        try await Realm.importRealmFile(at: url, into: path)
        let stored = try await Realm.storedSchema(at: path).schema["Text"]
        #expect(stored?["read"]?.isFullText == true && stored?["sought"]?.isIndexed == true)
    }

    @Test func aCommitThatWasNotCompletedIsKnown() async throws {
        #expect(try await !Realm.realmFileInfo(at: Self.small).hasUnfinishedCommit)
        let url = URL(fileURLWithPath: TestFolder.path("torn") + ".realm")
        var bytes = try Data(contentsOf: Self.small)
        // Slot 1 has the commit before the last one, as if the last was to be selected next.
        bytes[23] = 1
        try bytes.write(to: url)
        let info = try await Realm.realmFileInfo(at: url)
        #expect(info.hasUnfinishedCommit && info.classes.map(\.name) == ["Thing"])
        // What stands there otherwise is of no interest.
        bytes.replaceSubrange(0..<8, with: [8, 0, 0, 0, 0, 0, 0, 0x10])
        try bytes.write(to: url)
        #expect(try await !Realm.realmFileInfo(at: url).hasUnfinishedCommit)
    }
}

import Foundation
import RealmActors
import Storage
import StorageHarness
import Synchronization
import Testing

private enum Removed {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var text: String
    }
}
private enum Renewed {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var text: Int
    }
}

/// Stores that are removed beside other processes, and copies and removals that are cut off.
@Suite struct StoreRemovalTests {
    /// The operating system's files, which call the test before a lock is taken.
    private struct LockedFiles: WrappedFiles {
        let base: any FileSystem = POSIXFileSystem()
        let willLock: @Sendable (String) -> Void

        func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
            try base.open(path, mode)
        }

        func lock(_ path: String) throws(StorageError) -> (any FileLock)? {
            willLock(path)
            return try base.lock(path)
        }
    }

    private static func make(_ path: String, _ type: ObjectBase.Type, _ ids: Range<Int>)
        async throws
    {
        let realm = try await Realm.open(
            .init(path: path, objectTypes: [type], writeTimeout: nil))
        try await realm.write { tx in
            for id in ids {
                if type == Removed.Item.self {
                    try tx.create(Removed.Item.self, value: ["id": id])
                } else {
                    try tx.create(Renewed.Item.self, value: ["id": id])
                }
            }
        }
        try await realm.close()
    }

    /// The store was checked under one lock and removed under another: a store that a second
    /// process had put in its place meanwhile was removed.
    @Test func whatIsToBeDeletedIsJudgedAndRemovedUnderOneLock() async throws {
        try await withStorePath { path in
            try await withStorePath { other in
                try await Self.make(path, Removed.Item.self, 0..<3)
                try await Self.make(other, Renewed.Item.self, 0..<2)
                let locks = Mutex(0)
                var configuration = Realm.Configuration(
                    path: path, objectTypes: [Renewed.Item.self], writeTimeout: nil,
                    deleteIfMigrationNeeded: true)
                configuration.fileSystem = LockedFiles { lock in
                    guard lock == path + "/writer.lock" else { return }
                    let count = locks.withLock { count in
                        count += 1
                        return count
                    }
                    // Another process begins anew, between two holdings of the lock.
                    guard count == 2 else { return }
                    let files = FileManager.default
                    try? files.removeItem(atPath: path)
                    #expect(throws: Never.self) { try files.moveItem(atPath: other, toPath: path) }
                }
                let realm = try await Realm.open(configuration)
                #expect(locks.withLock { $0 } >= 2)
                #expect(realm.objects(Renewed.Item.self).count == 2)
                try await realm.close()
            }
        }
    }

    /// Every opening was refused: the folder stayed, with what the Finder had put into it.
    @Test("D19: a hidden file beside a realm that was deleted is not in the way")
    func aHiddenFileIsNotInTheWay() async throws {
        try await withStorePath { path in
            let files = FileManager.default
            let hidden = path + "/.DS_Store"
            try await Self.make(path, Removed.Item.self, 0..<3)
            #expect(files.createFile(atPath: hidden, contents: Data("view".utf8)))
            let renewed = try await Realm.open(
                .init(
                    path: path, objectTypes: [Renewed.Item.self], writeTimeout: nil,
                    deleteIfMigrationNeeded: true))
            #expect(renewed.objects(Renewed.Item.self).isEmpty)
            try await renewed.close()
            #expect(try Realm.deleteFiles(at: path))
            #expect(try files.contentsOfDirectory(atPath: path) == [".DS_Store"])
            #expect(!Realm.exists(at: path))
            try await withStorePath { seed in
                try await Self.make(seed, Removed.Item.self, 0..<2)
                // Nothing of a copy takes the place of the folder.
                let error = await #expect(throws: RealmError.self) {
                    try await Realm.open(
                        .init(
                            path: path, objectTypes: [Removed.Item.self], writeTimeout: nil,
                            seedFilePath: seed))
                }
                guard case .notARealm = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(try files.contentsOfDirectory(atPath: path) == [".DS_Store"])
            }
            try await Self.make(path, Removed.Item.self, 0..<1)
            #expect(files.contents(atPath: hidden) == Data("view".utf8))
        }
    }

    private static func seeded(_ disk: SimulatedDisk, _ path: String) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            path: path, objectTypes: [Removed.Item.self], writeTimeout: nil,
            seedFilePath: path + "-seed")
        configuration.fileSystem = disk
        configuration.logOptions.segmentSizeMin = 2048
        configuration.logOptions.segmentSizeMax = 8192
        configuration.logOptions.preparesInBackground = false
        return configuration
    }

    /// A copy that was cut off while it was made, moved or cleared away had every later opening
    /// refused: there was something in its place.
    @Test func aSeedThatWasCutOffIsPlantedAgain() async throws {
        let path = "planted-\(UUID().uuidString).realm"
        let original = SimulatedDisk()
        var configuration = Self.seeded(original, path)
        configuration.path = path + "-seed"
        configuration.seedFilePath = nil
        let seed = try await Realm.open(configuration)
        try await seed.write { tx in
            for id in 0..<40 { try tx.create(Removed.Item.self, value: ["id": id]) }
        }
        try await seed.close()
        var call = 0
        while true {
            call += 1
            let disk = original.crashImage(seed: 0, .everything)
            disk.inject(.init(.inputOutput, call: call, isLasting: true))
            let realm = try? await Realm.open(Self.seeded(disk, path))
            try? await realm?.close()
            for (number, policy) in [CrashPolicy.nothing, .everything, .random].enumerated() {
                let image = disk.crashImage(seed: UInt64(call * 4 + number), policy)
                try await Self.expectPlanted(image, path, "call \(call), \(policy)", call)
            }
            if disk.faultyCallCount == 0 { break }
        }
        #expect(call > 60)
    }

    /// Opens what a crash has left, with another one on the way at times.
    private static func expectPlanted(
        _ disk: SimulatedDisk, _ path: String, _ place: Comment, _ call: Int
    ) async throws {
        var image = disk
        if call.isMultiple(of: 3) {
            image.inject(.init(.inputOutput, call: call % 40 + 1, isLasting: true))
            let realm = try? await Realm.open(seeded(image, path))
            try? await realm?.close()
            image = image.crashImage(seed: UInt64(call), .random)
        }
        let realm: Realm
        do {
            realm = try await Realm.open(seeded(image, path))
        } catch {
            Issue.record("\(error), \(place)")
            return
        }
        #expect(realm.objects(Removed.Item.self).count == 40, place)
        #expect(try await realm.verify().isIntact, place)
        try await realm.close()
        #expect(!image.files.contains { $0.path.contains(".seeding") }, place)
    }

    /// What is left of a removal is no realm, and is cleared away.
    @Test(arguments: [false, true])
    func whatARemovalHasLeftIsNoRealm(isOpened: Bool) async throws {
        try await withStorePath { path in
            try await Self.make(path, Removed.Item.self, 0..<3)
            let files = FileManager.default
            try files.moveItem(atPath: path + "/superblock", toPath: path + "/superblock.removed")
            try files.removeItem(atPath: path + "/log/0000000001.log")
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Removed.Item.self], readOnly: true, writeTimeout: nil)
            #expect(!Realm.exists(at: path))
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(configuration)
            }
            guard case .fileNotFound = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            if isOpened {
                configuration.readOnly = false
                let realm = try await Realm.open(configuration)
                #expect(realm.objects(Removed.Item.self).isEmpty)
                try await realm.close()
                #expect(!files.fileExists(atPath: path + "/superblock.removed"))
            } else {
                #expect(try Realm.deleteFiles(at: path))
                #expect(!files.fileExists(atPath: path))
            }
        }
    }
}

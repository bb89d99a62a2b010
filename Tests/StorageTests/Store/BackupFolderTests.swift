import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Other files beside a backup and in its folder, and concurrent backups.
@Suite struct BackupFolderTests {
    private static let target = StoreProcess.backupPath
    private static let previous = StoreBackup.previousPath(of: target)

    // MARK: Foreign files

    /// The folder of the previous backup could not be removed, and its name stayed in use: each
    /// later backup except the next one failed.
    @Test func aForeignFileDoesNotPreventBackups() async throws {
        let files = SimulatedDisk()
        let process = try StoreProcess(files, isShared: false)
        try process.insert(1)
        try process.backUp(to: files)
        for number in Int64(2)...4 {
            try files.replace(Self.target + "/.DS_Store", with: [UInt8(number)])
            try process.insert(number)
            #expect(try process.backUp(to: files).isIncremental)
        }
        try await StoreProcess.check(files, Self.target, is: process.contents)
        let kept = try files.list(".").filter { $0.hasPrefix(Self.previous) }
        let notes = try kept.map { name -> [UInt8] in
            #expect(try files.list(name) == [".DS_Store"])
            return try files.contents(of: name + "/.DS_Store")
        }
        #expect(Set(notes) == [[2], [3], [4]])
        await process.close()
    }

    /// The draft was created inside the folder that it was to replace.
    @Test func aTrailingSlashOfThePathIsIgnored() async throws {
        let files = SimulatedDisk()
        let process = try StoreProcess(files, isShared: false)
        try process.insert(1)
        try process.backUp(to: files, Self.target + "/")
        try process.insert(2)
        #expect(try process.backUp(to: files, Self.target + "//").isIncremental)
        try StoreCopy(of: process.engine.latest, to: files, directory: "copy.realm/").write()
        #expect(try files.list(".") == [Self.target, "copy.realm", "store.realm"])
        try await StoreProcess.check(files, Self.target, is: process.contents)
        await process.close()
    }

    /// A lock file was left in a foreign folder.
    @Test func otherFoldersAreNotModified() async throws {
        let files = SimulatedDisk()
        let process = try StoreProcess(files, isShared: false)
        try process.insert(1)
        try files.createDirectory("photos")
        try files.replace("photos/rex.png", with: [1])
        let error = #expect(throws: StorageError.self) {
            try process.backUp(to: files, "photos")
        }
        #expect("\(error as Any)".contains("is not a backup"))
        #expect(try files.list("photos") == ["rex.png"])
        await process.close()
    }

    // MARK: Other backups

    /// Before every call of a backup, another backup to the same path removes abandoned drafts: the
    /// draft was considered abandoned before its lock was taken, and again before it had its name.
    @Test func aDraftThatIsBeingMadeIsNotAbandoned() async throws {
        let files = SimulatedDisk()
        let process = try StoreProcess(files, isShared: false)
        try process.insert(0..<300)
        try process.backUp(to: files)
        try process.insert(1000)
        let calls = Mutex<Set<String>>([])
        let isOther = Atomic<Bool>(false)
        files.observe { call in
            guard call.moment == .before, !isOther.load(ordering: .relaxed) else { return }
            // Once for each kind of call, whatever the name of the draft.
            let isDraft = call.path.contains(".copying-")
            let rest = call.path.split(separator: "/").dropFirst().joined(separator: "/")
            let name = "\(call.operation.rawValue) \(isDraft) \(rest)"
            guard calls.withLock({ $0.insert(name).inserted }) else { return }
            isOther.store(true, ordering: .relaxed)
            StoreCopy.removeAbandoned(of: Self.target, in: files)
            isOther.store(false, ordering: .relaxed)
        }
        #expect(try process.backUp(to: files).isIncremental)
        files.observe(nil)
        #expect(calls.withLock { $0.contains("rename true ") && $0.count > 20 })
        #expect(try files.list(".") == [Self.target, "store.realm"])
        try await StoreProcess.check(files, Self.target, is: process.contents)
        await process.close()
    }

    /// A backup that is between its two renames has the lock of the folder that it is about to
    /// replace.
    @Test func aLockedFolderIsNotRestored() async throws {
        let files = SimulatedDisk()
        let process = try StoreProcess(files, isShared: false)
        try process.insert(1)
        try process.backUp(to: files)
        try process.insert(2)
        try files.rename(Self.target, to: Self.previous)
        do {
            let lock = try #require(try files.lock(Self.previous + "/writer.lock"))
            defer { withExtendedLifetime(lock) {} }
            #expect(throws: StorageError.alreadyOpen(path: Self.target)) {
                try process.backUp(to: files)
            }
        }
        #expect(try files.list(".") == [Self.previous, "store.realm"])
        #expect(try process.backUp(to: files).isIncremental)
        try await StoreProcess.check(files, Self.target, is: process.contents)
        await process.close()
    }

    // MARK: History

    /// A store that retains much history, in many files.
    private func makeHistory(_ files: any FileSystem) throws -> StoreProcess {
        let process = try StoreProcess(files, isShared: false) { $0.history = .bytes(1 << 30) }
        for number in Int64(0)..<40 {
            try process.insert(number * 100..<number * 100 + 50, textLength: 120)
        }
        try process.engine.checkpoint()
        return process
    }

    private func segments(_ files: any FileSystem, of store: String) throws -> [String] {
        try files.list(store + "/log").filter { $0.hasSuffix(".log") }
    }

    /// All files of the log were open at once, which may exceed the limit of a process.
    @Test func historyIsOpenedOneFileAtATime() async throws {
        let files = OpenFileCounter(SimulatedDisk())
        let process = try makeHistory(files)
        let most = Mutex(0)
        let monitor = ReadingMonitor { _ in
            let open = files.openFiles(in: "store.realm/log")
            most.withLock { $0 = max($0, open) }
        }
        let backups = SimulatedDisk()
        try process.backUp(to: backups, monitor: monitor)
        let all = try segments(files, of: "store.realm")
        #expect(all.count > 20)
        #expect((1..<8).contains(most.withLock { $0 }))
        #expect(try segments(backups, of: Self.target) == all)
        try await StoreProcess.check(backups, Self.target, is: process.contents)
        await process.close()
    }

    @Test func historyRemovedMeanwhileIsSkipped() async throws {
        let files = SimulatedDisk()
        let process = try makeHistory(files)
        let all = try segments(files, of: "store.realm")
        let isDone = Atomic<Bool>(false)
        let monitor = ReadingMonitor { _ in
            if isDone.exchange(true, ordering: .relaxed) { return }
            for name in all.prefix(10) { try? files.remove("store.realm/log/" + name) }
        }
        let backups = SimulatedDisk()
        try process.backUp(to: backups, monitor: monitor)
        #expect(try segments(backups, of: Self.target) == Array(all.dropFirst(10)))
        try await StoreProcess.check(backups, Self.target, is: process.contents)
        // The next backup continues it.
        try process.insert(-1)
        #expect(try process.backUp(to: backups).isIncremental)
        try await StoreProcess.check(backups, Self.target, is: process.contents)
        await process.close()
    }

    // MARK: Places

    /// A folder with the name of the manifest file made every write fail.
    @Test func copiesInsideTheRealmAreRefused() async throws {
        let files = SimulatedDisk()
        let process = try StoreProcess(files, isShared: false)
        try process.insert(1)
        for path in ["store.realm/backup", "store.realm/log/copy.realm/"] {
            #expect(throws: StorageError.self) { try process.backUp(to: files, path) }
            #expect(throws: StorageError.self) {
                try StoreCopy(of: process.engine.latest, to: files, directory: path).write()
            }
        }
        let contents = process.contents
        await process.close()
        let salvage = StoreSalvage(
            fileSystem: files, directory: "store.realm", destination: "store.realm/backup")
        #expect(throws: StorageError.self) { try salvage.run() }
        #expect(try !files.list("store.realm").contains("backup"))

        try files.createDirectory("store.realm/backup")
        try files.replace("store.realm/backup/notes.txt", with: [1])
        let again = try StoreProcess(files, isShared: false)
        #expect(again.contents == contents)
        try again.insert(2)
        #expect(again.engine.failure == nil)
        #expect(again.numbers == [1, 2])
        #expect(try files.contents(of: "store.realm/backup/notes.txt") == [1])
        await again.close()
    }

    /// The names of the temporary folders were longer than the file system permits.
    @Test func aNameMayBeAsLongAsTheFileSystemPermits() async throws {
        let process = try StoreProcess(SimulatedDisk(), isShared: false)
        try await withTemporaryDirectory { (root) async throws in
            let files = POSIXFileSystem()
            let names = [
                String(repeating: "k", count: 254) + "1", String(repeating: "k", count: 254) + "2",
                "k" + String(repeating: "\u{E4}", count: 127),
            ]
            for (number, name) in names.enumerated() {
                let path = "\(root)/\(name)"
                let abandoned = StoreCopy.makeDraftPath(of: path)
                try files.createDirectory(abandoned)
                #expect(abandoned != StoreCopy.makeDraftPath(of: path))
                try process.insert(Int64(2 * number))
                #expect(try !process.backUp(to: files, path).isIncremental)
                try process.insert(Int64(2 * number + 1))
                #expect(try process.backUp(to: files, path).isIncremental)
                // An interrupted backup is continued under its other name.
                try files.rename(path, to: StoreBackup.previousPath(of: path))
                #expect(try process.backUp(to: files, path).isIncremental)
                try await StoreProcess.check(files, path, is: process.contents)
                #expect(try files.list(root) == names.prefix(number + 1).sorted())
            }
            #expect(Set(names.map { StoreBackup.previousPath(of: $0) }).count == names.count)
            let copy = "\(root)/" + String(repeating: "c", count: 255)
            try StoreCopy(of: process.engine.latest, to: files, directory: copy).write()
            let seed = String(repeating: "s", count: 255)
            let folder = StoreDirectory(fileSystem: files, path: "\(root)/\(seed)")
            try folder.makeStore(LogOptions()) { growing in
                try StoreCopy(of: process.engine.latest, to: files, directory: growing.path).fill()
            }
            #expect(try files.list(root).count == names.count + 2)
            for path in [copy, folder.path] {
                try await StoreProcess.check(files, path, is: process.contents)
            }
        }
        await process.close()
    }

    /// A disk that stored only the beginning of a file was reported as failed.
    @Test func aFullDiskIsReported() async throws {
        let process = try StoreProcess(SimulatedDisk(), isShared: false)
        try process.insert(0..<300, textLength: 200)
        try process.engine.checkpoint()
        let whole = SimulatedDisk()
        try process.backUp(to: whole)
        var refusals = 0
        for capacity in stride(from: 4 << 10, to: whole.usedBytes, by: 4 << 10) {
            let files = SimulatedDisk()
            files.limit(to: capacity)
            do {
                try process.backUp(to: files)
            } catch StorageError.outOfSpace {
                refusals += 1
            }
            var copy = StoreCopy(
                of: process.engine.latest, to: files, directory: "copy.realm")
            copy.preparesInBackground = false
            do {
                try copy.write()
            } catch StorageError.outOfSpace {
                refusals += 1
            }
        }
        #expect(refusals > 10)
        await process.close()
    }
}

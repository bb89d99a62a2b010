import Foundation
import StorageHarness
import Testing

@testable import Storage

// Safety: the bytes of arrays are lent for the call that reads or writes them.

/// The common behaviour of all file systems.
@Suite struct FileSystemTests {
    enum Kind: CaseIterable { case posix, memory, simulated }

    private func withEach(_ kind: Kind, _ body: (any FileSystem, String) throws -> Void) throws {
        switch kind {
        case .posix: try withTemporaryDirectory { try body(POSIXFileSystem(), $0) }
        case .memory:
            let files = MemoryFileSystem()
            try files.createDirectory("root")
            try body(files, "root")
        case .simulated:
            let files = SimulatedDisk()
            try files.createDirectory("root")
            try body(files, "root")
        }
    }

    @Test(arguments: Kind.allCases)
    func filesHoldWhatWasWritten(kind: Kind) throws {
        try withEach(kind) { files, root in
            let path = root + "/data"
            #expect(throws: StorageError.fileNotFound(path: path)) {
                _ = try files.open(path, .readWrite)
            }
            let file = try files.open(path, .create)
            let written: [UInt8] = Array(0..<200)
            try written.withUnsafeBytes { try file.write($0, at: 1000) }
            try file.allocate(4096)
            try file.sync()
            try files.syncDirectory(root)
            #expect(try file.size().length == 4096)
            let again = try files.open(path, .readOnly)
            var bytes = [UInt8](repeating: 9, count: 5000)
            let count = try bytes.withUnsafeMutableBytes { try again.read(into: $0, at: 0) }
            #expect(count == 4096)
            #expect(Array(bytes[1000..<1200]) == written)
            #expect(bytes[..<1000].allSatisfy { $0 == 0 })
            try file.truncate(to: 1100)
            try file.truncate(to: 2000)
            #expect(try again.size().length == 1100)
            try files.rename(path, to: root + "/moved")
            #expect(try files.list(root) == ["moved"])
            try files.remove(root + "/moved")
            #expect(throws: StorageError.self) { try files.remove(root + "/moved") }
            #expect(try files.list(root).isEmpty)
        }
    }

    /// If a name begins with a combining accent, it forms one character with the slash before it:
    /// the wrong folder was synced for a new store.
    @Test func aNameMayBeginWithACombiningAccent() {
        #expect("folder/inner/\u{301}name".parentPath == "folder/inner")
        #expect("/\u{301}name".parentPath == "/")
        #expect("\u{301}name".parentPath == ".")
    }

    @Test(arguments: Kind.allCases)
    func aLockExcludesUntilItIsReleased(kind: Kind) throws {
        try withEach(kind) { files, root in
            var held = try files.lock(root + "/writer.lock")
            #expect(held != nil)
            #expect(try files.lock(root + "/writer.lock") == nil)
            held = nil
            #expect(try files.lock(root + "/writer.lock") != nil)
        }
    }

    /// Before each synced append only the removal is checked, which needs no path.
    @Test func aLockKnowsThatItsFileWasRemovedOrReplaced() throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let (path, other) = (root + "/writer.lock", root + "/other")
            let removed = try #require(try files.lock(path))
            #expect(!removed.isRemoved && removed.isInPlace)
            try files.remove(path)
            #expect(removed.isRemoved && !removed.isInPlace)

            let replaced = try #require(try files.lock(path))
            _ = try files.open(other, .create)
            try files.rename(other, to: path)
            #expect(replaced.isRemoved && !replaced.isInPlace)

            let moved = try #require(try files.lock(path))
            try files.rename(path, to: other)
            #expect(!moved.isRemoved && !moved.isInPlace)
        }
    }

    /// The lock file was recreated endlessly if it never is the file at its path, as on file
    /// systems that assign another number each time.
    @Test func aLockFileThatIsAlwaysReplacedIsRefused() throws {
        try withTemporaryDirectory { (root) throws in
            let files = POSIXFileSystem()
            let path = root + "/writer.lock"
            #expect {
                _ = try files.lock(path) { _ in false }
            } throws: { error in
                if case StorageError.invalid = error { true } else { false }
            }
            #expect(try files.lock(path) != nil)
        }
    }

    /// If the kernel lacks or blocks the call, every write was refused.
    @Test func zerosAreWrittenIfBlocksCannotBeAllocated() {
        for number in [EOPNOTSUPP, EINVAL, ENOSYS] { #expect(Platform.lacksCall(number)) }
        for number in [0, ENOSPC, EDQUOT, EIO] { #expect(!Platform.lacksCall(number)) }
    }

    #if os(Linux)
        /// No realm could be created on a file system that does not sync directories.
        @Test func unsupportedDirectorySyncsAreIgnored() throws {
            try POSIXFileSystem().syncDirectory("/proc/self")
        }
    #endif

    /// Opening a new store on a disk, or in a quota, without space for another file was reported as
    /// an I/O error.
    @Test func creatingAFileWithoutSpaceIsARefusal() {
        for number in [ENOSPC, EDQUOT] {
            Platform.errorNumber = number
            let error = POSIXFileSystem.openFailure("a")
            #expect(error == .outOfSpace(path: "a"))
        }
        Platform.errorNumber = EACCES
        let error = POSIXFileSystem.openFailure("a")
        #expect(error == .io(operation: .open, path: "a", errno: EACCES))
    }

    /// A limit on the size of files, as set by `ulimit -f`, ended the process by a signal before
    /// the call could be refused.
    @Test func aLimitOnTheSizeOfFilesDoesNotEndTheProcess() throws {
        try withTemporaryDirectory { (root) throws in
            _ = try POSIXFileSystem().open(root + "/a", .create)
            let hasHandler = signal(SIGXFSZ, SIG_IGN) != nil
            #expect(hasHandler)
        }
    }

    /// Two processes that opened a store read-only at the same moment each took the other for its
    /// writer.
    @Test func aLockQueryIsNotAHolder() throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let path = root + "/writer.lock"
            let asking = try files.makeLock(path)
            try #require(Platform.trySharedLock(asking.descriptor) == 0)
            #expect(try !files.isLocked(path))
            #expect(try files.isLocked(path, orShared: true))
            try #require(Platform.tryLock(asking.descriptor) == 0)
            #expect(try files.isLocked(path))
            withExtendedLifetime(asking) {}
        }
    }

    /// Opening a pipe waited forever for a process at the other end.
    @Test func aPipeInPlaceOfAFileIsRefused() throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let path = root + "/superblock"
            try #require(mkfifo(path, 0o600) == 0)
            let refusal = StorageError.notARealm(
                path: path, reason: "it is not a regular file")
            for mode in [OpenMode.readOnly, .readWrite, .create] {
                #expect(throws: refusal) { _ = try files.open(path, mode) }
            }
            #expect(throws: refusal) { _ = try files.lock(path) }
            #expect(try !files.isLocked(path))
        }
    }

    @Test func everyCallNamesItsErrno() throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let missing = root + "/none/file"
            #expect(throws: StorageError.fileNotFound(path: missing)) {
                _ = try files.open(missing, .create)
            }
            #expect(throws: StorageError.fileNotFound(path: missing)) { try files.list(missing) }
            #expect(throws: StorageError.fileNotFound(path: missing)) {
                try files.syncDirectory(missing)
            }
            #expect(throws: StorageError.self) { _ = try files.open(root, .readOnly) }
            let file = try files.open(root + "/a", .create)
            let readOnly = try files.open(root + "/a", .readOnly)
            try [UInt8](repeating: 1, count: 8).withUnsafeBytes { bytes in
                #expect(throws: StorageError.self) { try readOnly.write(bytes, at: 0) }
                try file.write(bytes, at: 0)
            }
        }
    }

    @Test func aCrashKeepsOnlyWhatWasSynced() throws {
        let disk = SimulatedDisk()
        let file = try disk.open("kept", .create)
        let bytes = [UInt8](repeating: 7, count: 4096)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        try file.sync()
        try disk.syncDirectory(".")
        for seed in 0..<20 {
            disk.crash(seed: UInt64(seed))
            #expect(throws: StorageError.self) { try file.sync() }
            let again = try disk.open("kept", .readOnly)
            #expect(try again.size().length == 4096)
        }
    }

    @Test func aTruncatedFileMayRegainItsLengthInACrash() throws {
        var lengths: Set<Int> = []
        for seed in UInt64(0)..<20 {
            let disk = SimulatedDisk()
            let file = try disk.open("cut", .create)
            try file.allocate(4096)
            try file.sync()
            try disk.syncDirectory(".")
            try file.truncate(to: 1000)
            disk.crash(seed: seed)
            let again = try disk.open("cut", .readWrite)
            lengths.insert(try again.size().length)
            try again.truncate(to: 1000)
            try again.sync()
            disk.crash(seed: seed)
            #expect(try disk.open("cut", .readOnly).size().length == 1000)
        }
        #expect(lengths == [1000, 4096])
    }
}

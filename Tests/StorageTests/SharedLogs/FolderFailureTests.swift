import StorageHarness
import Testing

@testable import Storage

/// Hosts with a folder whose disk temporarily fails.
@Suite struct FolderFailureTests {
    /// Files with a horizon that cannot be opened while they refuse that.
    private static func files(counting refusals: Tally = Tally()) -> RefusingFiles {
        RefusingFiles(MemoryFileSystem()) { path, _ in
            guard path.hasSuffix("/horizon") else { return nil }
            refusals.add()
            return .io(operation: .open, path: path, errno: Platform.inputOutput)
        }
    }

    /// A host that was open before: it has no file open that it needs for writing.
    private static func openAgain(
        _ engine: MemorySharedLog.Engine, _ files: RefusingFiles
    ) async throws -> SharedHost {
        let before = try SharedHost(MemorySharedLog(engine), files)
        try await before.store.close()
        return try SharedHost(MemorySharedLog(engine), files)
    }

    /// A file could not be opened before the entries of others were written: nothing was changed,
    /// but the host applied no entries until it was reopened.
    @Test func aTemporaryFailureDoesNotEndFollowing() async throws {
        let engine = MemorySharedLog.Engine()
        let refusals = Tally()
        let files = Self.files(counting: refusals)
        let writer = try SharedHost(MemorySharedLog(engine))
        try await writer.write(1)
        let observer = try await Self.openAgain(engine, files)
        files.isRefusing = true
        observer.hosts.begin()
        try await writer.write(2)
        // The first attempt, which is made at once, and the next one.
        try await wait { refusals.count >= 2 || observer.store.failure != nil }
        files.isRefusing = false
        try await wait { observer.numbers == [1, 2] || observer.store.failure != nil }
        #expect(observer.store.failure == nil)
        #expect(observer.numbers == [1, 2])
        try await observer.write(3)
        try await writer.store.refreshFromHosts()
        #expect(writer.numbers == [1, 2, 3])
        for host in [observer, writer] { try await host.store.close() }
    }

    /// The host fell behind, and its status did not say why.
    @Test func aFailureToApplyEntriesIsReported() async throws {
        let engine = MemorySharedLog.Engine()
        let files = Self.files()
        let writer = try SharedHost(MemorySharedLog(engine))
        try await writer.write(1)
        let observer = try await Self.openAgain(engine, files)
        files.isRefusing = true
        observer.hosts.begin()
        try await writer.write(2)
        try await wait { observer.hosts.status.lastError != nil }
        let status = observer.hosts.status
        let isReported = if case .io(.open, _, _)? = status.lastError { true } else { false }
        #expect(isReported, "\(String(describing: status.lastError))")
        #expect(status.isConnected && status.entriesBehind > 0)
        files.isRefusing = false
        try await wait { observer.hosts.status.lastError == nil }
        #expect(observer.hosts.status.lastError == nil)
        #expect(observer.numbers == [1, 2])
        for host in [observer, writer] { try await host.store.close() }
    }

    /// What a refresh has applied needs no further attempt.
    @Test func aRefreshEndsTheReportOfAFailure() async throws {
        let engine = MemorySharedLog.Engine()
        let observer = try SharedHost(MemorySharedLog(engine))
        let writer = try SharedHost(MemorySharedLog(engine))
        observer.hosts.noteFailure(StorageError.outOfSpace(path: "a disk"))
        #expect(observer.hosts.status.lastError == .outOfSpace(path: "a disk"))
        try await writer.write(1)
        try await observer.store.refreshFromHosts()
        #expect(observer.hosts.status.lastError == nil)
        for host in [observer, writer] { try await host.store.close() }
    }

    /// A file could not be opened when an image had been copied: the retries of an open host filled
    /// the disk with copies.
    @Test func aRepeatedCopyOfAnImageLeavesNoFiles() async throws {
        let engine = MemorySharedLog.Engine()
        let copies = Tally()
        let files = RefusingFiles(MemoryFileSystem()) { path, mode in
            if mode != .readOnly, path.hasPrefix(SharedHost.directory + "/pages/") { copies.add() }
            guard path == SharedHost.directory + "/log/horizon" else { return nil }
            return .io(operation: .open, path: path, errno: Platform.inputOutput)
        }
        let writer = try SharedHost(MemorySharedLog(engine))
        try await writer.write(0)
        let observer = try await Self.openAgain(engine, files)
        var count: Int64 = 1
        while try MemorySharedLog(engine).head().first <= observer.journal.cursor.next {
            try #require(count < 2_000)
            try await writer.write(count)
            count += 1
            try writer.store.makeImageIfDue()
        }
        let known = Set(ImageHost.pageFiles(files))
        files.isRefusing = true
        for _ in 0..<2 {
            await #expect {
                try await observer.store.refreshFromHosts()
            } throws: { error in
                if case StorageError.io = error { true } else { false }
            }
        }
        #expect(copies.count > 0, "An image has to be copied")
        #expect(Set(ImageHost.pageFiles(files)).isSubset(of: known))
        files.isRefusing = false
        try await observer.store.refreshFromHosts()
        #expect(observer.numbers == Array(0..<count))
        #expect(try observer.store.engine.verify(ReadingMonitor()).problems.isEmpty)
        for host in [observer, writer] { try await host.store.close() }
    }
}

import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Backups of stores with many page files. All of them were open until the backup had ended: a
/// larger store had more of them than a process may open.
@Suite struct BackupPagesTests {
    private static let target = StoreProcess.backupPath
    private static let pages = "store.realm/pages"

    private func smallPages(_ options: inout LogOptions) {
        options.pages.openFilesMax = 4
        StoreProcess.smallPages(&options)
    }

    private func fill(_ process: StoreProcess) throws {
        for number in Int64(0)..<24 {
            try process.insert(number * 1000..<number * 1000 + 200, textLength: 100)
            try process.engine.checkpoint()
        }
    }

    /// Empties the existing page files, and removes them.
    private func replacePages(of process: StoreProcess) throws {
        let deleted = process.numbers.filter { $0 % 3 == 0 }
        try process.write { _ in process.delete(deleted) }
        try process.compact()
    }

    @Test func aWriterOpensAFewAtATime() async throws {
        let files = OpenFileCounter(SimulatedDisk())
        let process = try StoreProcess(files, isShared: false, smallPages)
        try fill(process)
        let most = Mutex(0)
        let monitor = ReadingMonitor { _ in
            let open = files.openFiles(in: Self.pages)
            most.withLock { $0 = max($0, open) }
        }
        let backups = SimulatedDisk()
        try process.backUp(to: backups, monitor: monitor)
        #expect(try files.list(Self.pages).count > 12)
        #expect((1...6).contains(most.withLock { $0 }))
        try await StoreProcess.check(backups, Self.target, is: process.contents)
        // The backup that continues it compares all of them.
        most.withLock { $0 = 0 }
        try process.insert(-1)
        try process.backUp(to: backups, monitor: monitor)
        #expect((1...6).contains(most.withLock { $0 }))
        try await StoreProcess.check(backups, Self.target, is: process.contents)
        await process.close()
    }

    /// All page files are removed after the first bytes were copied, which are those of the log.
    @Test func filesRemovedMeanwhileAreCopied() async throws {
        let files = OpenFileCounter(SimulatedDisk())
        let process = try StoreProcess(files, isShared: false, smallPages)
        try fill(process)
        let before = process.contents
        let names = Set(try files.list(Self.pages))
        let isDone = Atomic<Bool>(false)
        let removed = Mutex(0)
        // Safety: used only by the thread of the test, on which the monitor is called.
        nonisolated(unsafe) let writer = process
        let monitor = ReadingMonitor { _ in
            if isDone.exchange(true, ordering: .relaxed) { return }
            do { try replacePages(of: writer) } catch { Issue.record(error) }
            removed.withLock { $0 = files.unlinkedOpenFiles }
        }
        let backups = SimulatedDisk()
        try process.backUp(to: backups, monitor: monitor)
        #expect(removed.withLock { $0 } > 8)
        #expect(try names.intersection(files.list(Self.pages)).count < names.count - 8)
        try await StoreProcess.check(backups, Self.target, is: before)
        // Nothing retains their space any more.
        #expect(files.unlinkedOpenFiles < removed.withLock { $0 } / 2)
        await process.close()
    }

    /// Another process takes the writer lease, and removes all page files.
    @Test func filesRemovedByAnotherWriterAreCopied() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk, smallPages)
        try fill(process)
        let before = process.contents
        let names = Set(try disk.list(Self.pages))
        let isDone = Atomic<Bool>(false)
        // Safety: used only by the thread of the test, on which the monitor is called.
        nonisolated(unsafe) let first = process
        // Safety: as above.
        nonisolated(unsafe) var second: StoreProcess?
        let monitor = ReadingMonitor { _ in
            if isDone.exchange(true, ordering: .relaxed) { return }
            do {
                try first.follower.releaseLease()
                let other = try StoreProcess(disk, smallPages)
                second = other
                try replacePages(of: other)
                try other.log.sync()
                try first.follower.follow()
            } catch {
                Issue.record(error)
            }
        }
        let backups = SimulatedDisk()
        try process.backUp(to: backups, monitor: monitor)
        #expect(try names.intersection(disk.list(Self.pages)).count < names.count - 8)
        try await StoreProcess.check(backups, Self.target, is: before)
        let other = try #require(second)
        #expect(process.contents == other.contents)
        await other.close()
        await process.close()
    }
}

import Dispatch
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Hosts that are reopened while they read the log.
@Suite struct ReopenedHostTests {
    /// It ended with an error, as if the realm had been closed.
    @Test func aRefreshContinuesAfterAReopening() async throws {
        let engine = MemorySharedLog.Engine()
        let files = MemoryFileSystem()
        let log = HeldLog(MemorySharedLog(engine))
        let host = try SharedHost(log, files)
        let writer = try SharedHost(MemorySharedLog(engine))
        for number in Int64(1)...3 { try await writer.write(number) }
        let store = host.store
        log.hold()
        let refresh = Task { try await store.refreshFromHosts() }
        await log.isReading.wait()
        #expect(await store.beginReopening())
        let reopening = Task {
            try await store.reopen(
                { _ in try Self.replay(MemorySharedLog(engine), files, store.account) },
                ended: { _ in })
        }
        while !host.journal.isStopping { await Task.yield() }
        log.release()
        try await reopening.value
        try await refresh.value
        #expect(host.numbers == [1, 2, 3])
        try await host.write(4)
        try await writer.store.refreshFromHosts()
        #expect(writer.numbers == [1, 2, 3, 4])
        for host in [host, writer] { try await host.store.close() }
    }

    /// A closing is no reopening.
    @Test func aRefreshEndsWithAClosing() async throws {
        let engine = MemorySharedLog.Engine()
        let log = HeldLog(MemorySharedLog(engine))
        let host = try SharedHost(log)
        let writer = try SharedHost(MemorySharedLog(engine))
        for number in Int64(1)...3 { try await writer.write(number) }
        let store = host.store
        log.hold()
        let refresh = Task { try await store.refreshFromHosts() }
        await log.isReading.wait()
        let closing = Task { try await store.close() }
        while !host.journal.isStopping { await Task.yield() }
        log.release()
        await #expect {
            try await refresh.value
        } throws: { error in
            if case StorageError.closed = error { true } else { false }
        }
        try await closing.value
        try await writer.store.close()
    }

    /// A watch from before the reopening began one, in the folder that the new images use.
    @Test func noImageOfTheFormerJournalBegins() async throws {
        let engine = MemorySharedLog.Engine()
        let files = MemoryFileSystem()
        let host = try SharedHost(MemorySharedLog(engine), files)
        var key: RowKey?
        // The log grows far beyond the tree.
        for number in Int64(1)...300 {
            try await host.commit { tree in
                let row = key ?? tree.createRow(HarnessSchema.item)
                tree.set(.int(number), HarnessSchema.item, row, ColumnID(0))
                key = row
            }
        }
        let store = host.store
        #expect(await store.beginReopening())
        try await store.reopen(
            { _ in try Self.replay(MemorySharedLog(engine), files, store.account) },
            ended: { _ in })
        try #require(host.isImageDue)
        #expect(!store.imageJob.beginIfDue(store.engine, host.journal))
        try await store.close()
    }

    /// Opens the folder of a host again, as ``SharedHost`` does.
    private static func replay(
        _ log: any SharedLog, _ files: any FileSystem, _ account: NodeAccount
    ) throws -> ReplayedStore {
        var opening = StoreOpening(fileSystem: files, directory: SharedHost.directory)
        opening.options = CrashStore.smallSegments
        opening.options.isCopyOfSharedLog()
        var realm = SharedRealm(log, key: nil, timeout: nil)
        realm.repetitions = 2
        opening.sharedRealm = realm
        let opened = try opening.open(account: account) { $0 }
        return ReplayedStore(opened, opening.options, account, waitsForDisk: false)
    }
}

/// A log whose entries are read one at a time, and of which a read waits if it is held.
private final class HeldLog: WrappedLog {
    let base: any SharedLog
    /// Occurs when a read waits.
    let isReading = EndSignal()
    private let isHeld = Atomic<Bool>(false)
    private let released = DispatchSemaphore(value: 0)

    init(_ base: any SharedLog) { self.base = base }

    /// The next read waits until ``release()``.
    func hold() { isHeld.store(true, ordering: .relaxed) }

    func release() { released.signal() }

    func entries(
        from slot: LogSlot, bytesMax: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        let found = try base.entries(from: slot, bytesMax: bytesMax)
        if isHeld.exchange(false, ordering: .relaxed) {
            isReading.finish()
            released.wait()
        }
        return Array(found.prefix(1))
    }
}

import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Hosts with small disks, which are nearly filled by the local log.
@Suite struct SharedRoomTests {
    private static let item = HarnessSchema.item

    /// Commits a row, and changes of its text, which fill logs but not the realm.
    private static func change(_ host: SharedHost, times: Int) async throws {
        for number in 0..<times {
            try await host.commit { tree in
                let rows = tree.view.classView(item)
                let key = rows.count > 0 ? rows.key(at: 0) : tree.createRow(item)
                let text = "\(number) " + String(repeating: "long ", count: 200)
                tree.set(.string(text), item, key, ColumnID(2))
            }
        }
    }

    private static func check(_ host: SharedHost, against writer: SharedHost) async throws {
        #expect(host.store.engine.latest.version == writer.store.engine.latest.version)
        #expect(host.numbers == writer.numbers && host.store.engine.failure == nil)
        #expect(try host.store.engine.verify(ReadingMonitor()).problems.isEmpty)
        try await host.store.close()
    }

    // The host did not follow the others until somebody freed space.
    @Test func aHostThatFollowsWritesACheckpointWhenItsDiskIsFull() async throws {
        let engine = MemorySharedLog.Engine()
        let disk = SimulatedDisk()
        let writer = try SharedHost(MemorySharedLog(engine))
        let host = try SharedHost(MemorySharedLog(engine), disk)
        try await Self.change(writer, times: 200)
        try await host.store.refreshFromHosts()
        disk.limit(to: disk.usedBytes + (32 << 10))
        try await Self.change(writer, times: 400)
        try await host.store.refreshFromHosts()
        try await Self.check(host, against: writer)
        try await writer.store.close()
    }

    // Opening failed: it wrote a checkpoint only when its memory was full.
    @Test func aHostThatIsOpenedWritesACheckpointWhenItsDiskIsFull() async throws {
        let engine = MemorySharedLog.Engine()
        let disk = SimulatedDisk()
        let writer = try SharedHost(MemorySharedLog(engine))
        try await Self.change(writer, times: 600)
        disk.limit(to: 350 << 10)
        let host = try SharedHost(MemorySharedLog(engine), disk)
        try await Self.check(host, against: writer)
        // And continues from there.
        try await Self.change(writer, times: 600)
        let again = try SharedHost(MemorySharedLog(engine), disk)
        try await Self.check(again, against: writer)
        try await writer.store.close()
    }

    /// A process was killed on a full disk, and the next one adds classes. It was refused.
    @Test func aSchemaThatOnlyAddsMakesRoomByACheckpoint() async throws {
        let engine = MemorySharedLog.Engine()
        let disk = SimulatedDisk()
        let killed = try SharedHost(MemorySharedLog(engine), disk)
        try await Self.change(killed, times: 200)
        disk.crash(seed: 1, .everything)
        disk.limit(to: disk.usedBytes)
        // The record of this schema takes several segments.
        let wide = StoreSchema(
            classes: HarnessSchema.schema(width: 1).classes
                + (0..<300).map { number in
                    ClassSchema(
                        name: "One of many classes, number \(number)",
                        columns: [ColumnSchema(name: "value", kind: .int)])
                })
        var opening = StoreOpening(fileSystem: disk, directory: SharedHost.directory)
        opening.options = CrashStore.smallSegments
        opening.options.isCopyOfSharedLog()
        var realm = SharedRealm(MemorySharedLog(engine), key: nil, timeout: nil)
        realm.repetitions = 2
        opening.sharedRealm = realm
        let account = NodeAccount()
        let opened = try opening.open(account: account) { _ in wide }
        withExtendedLifetime(account) {
            #expect(opened.tree.schema == wide)
            #expect(opened.tree.view.classView(Self.item).count == 1)
        }
        try opened.log.close()
        let other = try SharedHost(MemorySharedLog(engine))
        #expect(other.store.engine.latest.schema == wide)
        try await other.store.close()
    }

    // The image was begun, and occupied the space of commits until it failed, once per minute.
    @Test func anImageWithoutSpaceIsNotBegun() async throws {
        let engine = MemorySharedLog.Engine()
        let disk = SimulatedDisk()
        let host = try SharedHost(MemorySharedLog(engine), disk)
        for number in 0..<100 {
            try await host.commit { tree in
                let text = "\(number) " + String(repeating: "long ", count: 200)
                let key = tree.createRow(Self.item)
                for column in 0..<2 {
                    tree.set(.int(Int64(number)), Self.item, key, ColumnID(column))
                }
                tree.set(.string(text), Self.item, key, ColumnID(2))
            }
        }
        // More log than tree.
        try await Self.change(host, times: 400)
        try host.store.engine.checkpoint()
        try #require(host.isImageDue)
        let writes = Mutex(0)
        disk.observe { call in
            guard call.moment == .before, call.operation == .write,
                call.path.contains("/\(StoreDirectory.newImageName)/")
            else { return }
            writes.withLock { $0 += 1 }
        }
        disk.limit(to: disk.usedBytes + (32 << 10))
        #expect {
            try host.store.makeImageIfDue()
        } throws: { error in
            if case StorageError.outOfSpace = error { true } else { false }
        }
        let before = writes.withLock { $0 }
        let none = try host.journal.images()
        #expect(before == 0 && none.isEmpty)
        disk.limit(to: nil)
        try host.store.makeImageIfDue()
        disk.observe(nil)
        let after = writes.withLock { $0 }
        let images = try host.journal.images()
        #expect(after > 0 && images.count == 1)
        try await host.store.close()
    }

    // The probe took the space to which the checkpoint was being written.
    @Test func anImageProbesForSpaceAfterACheckpoint() async throws {
        let engine = MemorySharedLog.Engine()
        let disk = SimulatedDisk()
        let host = try SharedHost(MemorySharedLog(engine), disk)
        try await Self.change(host, times: 400)
        try #require(host.isImageDue)
        let store = host.store
        let hasBegun = Atomic<Bool>(false)
        let isProbedMeanwhile = Atomic<Bool>(false)
        let (probed, ended) = (ThreadSemaphore(), ThreadSemaphore())
        disk.observe { call in
            guard call.moment == .before else { return }
            if call.path.hasSuffix("/reserve.new"), call.operation == .open { probed.signal() }
            guard call.path.contains("/pages/"), call.operation == .write,
                !hasBegun.exchange(true, ordering: .relaxed)
            else { return }
            BlockingWork.start {
                try? store.makeImageIfDue()
                ended.signal()
            }
            // Everything that does not wait for the checkpoint has happened by then.
            if probed.wait(upTo: .milliseconds(300)) {
                isProbedMeanwhile.store(true, ordering: .relaxed)
            }
        }
        try store.engine.checkpoint()
        let isWritten = hasBegun.load(ordering: .relaxed)
        try #require(isWritten)
        ended.wait()
        disk.observe(nil)
        let isDisturbed = isProbedMeanwhile.load(ordering: .relaxed)
        let isProbed = probed.wait(upTo: .zero)
        let images = try host.journal.images()
        #expect(isProbed && !isDisturbed)
        #expect(images.count == 1)
        try await store.close()
    }
}

import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// History that is removed to free space.
@Suite struct HistorySpaceTests {
    /// On a copy-on-write file system, removing needs space as well. A lack of it was reported as a
    /// failure of the disk.
    @Test func historyThatCannotBeRemovedIsALackOfSpace() throws {
        let disk = SimulatedDisk()
        let files = FullFiles(disk)
        var options = FillingStore.options
        options.history = .seconds(1e9)
        options.segmentSizeGrown = 64 << 10
        let store = try FillingStore(files, options: options)
        for _ in 0..<60 { #expect(try store.insert(200)) }
        try store.engine.checkpoint()
        disk.limit(to: disk.usedBytes)
        files.isFull.store(true, ordering: .relaxed)
        #expect {
            try store.compact()
        } throws: { error in
            if case .outOfSpace? = error as? StorageError { true } else { false }
        }
        #expect(files.refusals.load(ordering: .relaxed) > 0)
        #expect(store.engine.failure == nil)
        files.isFull.store(false, ordering: .relaxed)
        try store.compact()
        #expect(try store.insert(200))
        try store.check()
    }

    /// Without a descriptor for the probe file, the disk was treated as full: a compaction removed
    /// history that the policy retains.
    @Test func aLackOfDescriptorsRemovesNoHistory() throws {
        let disk = SimulatedDisk()
        let files = RefusingFiles(disk) { path, _ in
            path.hasSuffix("/reserve.new")
                ? .io(operation: .open, path: path, errno: 24) : nil
        }
        var options = FillingStore.options
        options.history = .seconds(1e9)
        options.segmentSizeGrown = 64 << 10
        let store = try FillingStore(files, options: options)
        for _ in 0..<60 { #expect(try store.insert(200)) }
        try store.engine.checkpoint()
        let segments = try disk.list("store.realm/log").filter { $0.hasSuffix(".log") }
        files.isRefusing = true
        #expect {
            try store.compact()
        } throws: { error in
            (error as? StorageError)?.lacksDescriptors ?? false
        }
        #expect(store.engine.failure == nil)
        #expect(try disk.list("store.realm/log").starts(with: segments))
        files.isRefusing = false
        try store.compact()
        #expect(try disk.list("store.realm/log").starts(with: segments))
        try store.check()
    }
}

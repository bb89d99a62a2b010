import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Reads of nodes that wait for a descriptor.
@Suite struct DescriptorBackoffTests {
    /// Each read waited separately: a query of a thousand nodes took minutes to fail.
    @Test func readsWithoutADescriptorShareOneWait() throws {
        let disk = SimulatedDisk()
        let attempts = Atomic<Int>(0)
        let files = RefusingFiles(disk) { path, _ in
            attempts.wrappingAdd(1, ordering: .relaxed)
            return .io(operation: .open, path: path, errno: 24)
        }
        try files.createDirectory("pages")
        let pages = PageStore(fileSystem: files, directory: "pages", database: .zero)
        let (index, _) = try pages.create()
        pages.close([index])
        let place = NodePlace(
            address: PageAddress(segment: index, offset: 4_096), length: 64, hash: 0,
            kind: .chunk, hasSlots: false)
        let account = NodeAccount()
        files.isRefusing = true
        for _ in 0..<20 {
            #expect(throws: StorageError.self) {
                _ = try pages.load(place, account: .passUnretained(account))
            }
        }
        let made = attempts.load(ordering: .relaxed)
        #expect(made > 20 && made < 200)
        // After a successful read, the next one waits again.
        files.isRefusing = false
        _ = try pages.file(index)
        pages.close([index])
        files.isRefusing = true
        #expect(throws: StorageError.self) {
            _ = try pages.load(place, account: .passUnretained(account))
        }
        #expect(attempts.load(ordering: .relaxed) > made + 1)
        withExtendedLifetime(account) {}
    }

    /// A node that counts more elements than page files, which could not be opened, may contain was
    /// reported as damaged.
    @Test func aLackOfDescriptorsIsNotDamage() throws {
        let first = PageIndex.first.fileName
        let files = RefusingFiles(SimulatedDisk()) { path, _ in
            path.hasSuffix(first) ? nil : .io(operation: .open, path: path, errno: 24)
        }
        try files.createDirectory("pages")
        let pages = PageStore(fileSystem: files, directory: "pages", database: .zero)
        let account = NodeAccount()
        let branch = SequenceBranch.make(level: 1, account: .passUnretained(account))
        branch.node.count = 1
        branch.setElements(0, 1 << 21)
        let child = NodePlace(
            address: PageAddress(segment: .first, offset: 64), length: 64, hash: 0, kind: .chunk,
            hasSlots: false)
        var writer = try PageWriter(store: pages, tail: nil, segmentSize: 4_096)
        let place = try writer.append(branch.node, used: 0) { _ in child }
        try writer.finish()
        for _ in 0..<2 {
            let (index, open) = try pages.create()
            try open.file.allocate(1 << 20)
            pages.close([index])
        }
        files.isRefusing = true
        #expect {
            _ = try pages.load(place, account: .passUnretained(account))
        } throws: { error in
            (error as? StorageError)?.lacksDescriptors ?? false
        }
        files.isRefusing = false
        try pages.load(place, account: .passUnretained(account)).release()
        branch.node.release()
        withExtendedLifetime(account) {}
    }
}

import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Waiting for a descriptor, to read a node with.
@Suite struct DescriptorBackoffTests {
    /// Each read waited by itself: a query of a thousand nodes took minutes to fail.
    @Test func readsThatLackADescriptorWaitTogether() throws {
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
        // Whoever has read again waits again.
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
}

import StorageHarness
import Testing

@testable import Storage

/// Page segments that cannot be created.
@Suite struct RefusedSegmentTests {
    /// A transaction without space for a segment left its file, and one without a descriptor left
    /// its number in use, until the store was closed.
    @Test(arguments: [false, true])
    func aSegmentThatCannotBeCreatedLeavesNothing(hasDescriptor: Bool) throws {
        let disk = SimulatedDisk()
        let files = RefusingFiles(disk) { path, mode in
            mode == .create ? .io(operation: .open, path: path, errno: 24) : nil
        }
        try files.createDirectory("pages")
        let pages = PageStore(
            fileSystem: files, directory: "pages", database: Bits128(low: 1, high: 2))
        files.isRefusing = !hasDescriptor
        disk.observe { call in
            guard call.moment == .before, call.operation == .write else { return }
            disk.inject(.init(.noSpace, call: disk.callCount + 1))
        }
        for _ in 0..<3 {
            #expect(throws: StorageError.self) { _ = try pages.create(isSpill: true) }
        }
        disk.observe(nil)
        disk.resetCalls()
        files.isRefusing = false
        #expect(pages.spills.isEmpty)
        #expect(try disk.list("pages").isEmpty)
        let made = try pages.create(isSpill: true)
        #expect(pages.spills == [made.index])
    }
}

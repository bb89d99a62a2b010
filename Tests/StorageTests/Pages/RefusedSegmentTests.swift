import StorageHarness
import Testing

@testable import Storage

/// Page segments that cannot be made.
@Suite struct RefusedSegmentTests {
    /// A transaction that had no space for a segment left its file, and one that had no descriptor
    /// its number, for as long as the store was open.
    @Test(arguments: [false, true])
    func oneThatCannotBeMadeLeavesNothing(hasDescriptor: Bool) throws {
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

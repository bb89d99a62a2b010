import StorageHarness
import Testing

@testable import Storage

/// A host that has loaded a tree from a shared log, without space for its checkpoint.
@Suite struct PendingJumpTests {
    /// A full compaction planned again and again although no checkpoint could be written, and after
    /// `writeTimeout` reported that another process prevented it from writing.
    @Test func aFullCompactionReportsALackOfSpace() async throws {
        let process = try StoreProcess(SimulatedDisk())
        try process.insert(0..<300)
        try process.engine.checkpoint()
        try process.write { _ in process.delete(stride(from: Int64(0), to: 300, by: 2)) }
        try process.engine.checkpoint()
        var contents = process.checkpointer.contents
        contents.version = process.engine.latest.version.next
        let account = process.engine.tree.account
        process.checkpointer.adopt(contents, capturedAt: account.nextCapture, account: account)
        #expect {
            _ = try process.engine.planCompaction(isFull: true)
        } throws: { error in
            if case .outOfSpace? = error as? StorageError { true } else { false }
        }
        let isPlanned = try process.engine.planCompaction(isFull: false) != nil
        #expect(!isPlanned)
        #expect(process.engine.failure == nil)
        await process.close()
    }
}

import StorageHarness
import Testing

@testable import Storage

/// Checkpoints whose frame is in the log, and to which the superblock does not refer for lack of
/// space.
@Suite struct RefusedCheckpointTests {
    /// The page files of such a checkpoint are removed. If the superblock was lost later, the store
    /// was refused as damaged because of the missing files, although the log had everything.
    @Test(arguments: [false, true])
    func aLostSuperblockIsFoundAgainBeforeIt(hasOlder: Bool) async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(0..<300)
        if hasOlder { try process.engine.checkpoint() }
        try process.insert(300..<600)
        disk.observe { call in
            guard call.moment == .before, call.operation == .write,
                call.path.hasSuffix("superblock")
            else { return }
            disk.inject(.init(.noSpace, call: disk.callCount + 1))
        }
        #expect(throws: StorageError.self) { try process.engine.checkpoint() }
        disk.observe(nil)
        disk.resetCalls()
        #expect(process.engine.failure == nil)
        try process.insert(600)
        disk.crash(seed: 1, .everything)
        try disk.remove("store.realm/superblock")
        let again = try StoreProcess(disk)
        #expect(again.numbers.elementsEqual(0..<601))
        #expect(try again.problems() == [])
        try again.engine.checkpoint()
        await again.close()
        let last = try StoreProcess(disk)
        #expect(last.numbers.elementsEqual(0..<601))
        await last.close()
    }
}

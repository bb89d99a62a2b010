import StorageHarness
import Testing

@testable import Storage

@Suite struct CreationCrashTests {
    /// A store that was being made when the power failed was refused for ever. The length of the
    /// superblock was on the disk and its bytes were not, so that stale ones stood there, and the
    /// store was taken for something else: "it is not a realm".
    @Test func anInterruptedCreationIsMadeAgain() async throws {
        for call in 1...40 {
            for seed in testSeeds(60, debug: 12) {
                let disk = SimulatedDisk()
                disk.inject(.init(.inputOutput, call: call, isLasting: true))
                let store = CrashStore(disk, seed: seed)
                do { try store.open() } catch let error as StorageError where error.isDiskFailure {}
                await store.abandon()
                disk.crash(seed: seed)
                await #expect(throws: Never.self, "SEED=\(seed), call \(call)") {
                    try await Recovery.check(disk, store.oracle, seed: seed)
                }
            }
        }
    }
}

import StorageHarness
import Testing

@testable import Storage

@Suite struct PartlyRemovedLogTests {
    /// A checkpoint removed segments with the first parts of a large transaction; its last frame,
    /// in the remaining segment, was reported as damage.
    @Test func aTransactionWhosePartsWentWithACheckpointIsSound() async throws {
        for seed in [36, 40, 42] as [UInt64] {
            let store = CrashStore(MemoryFileSystem(), seed: seed)
            try store.open()
            for _ in 0..<60 {
                try await store.run(.transaction)
                try await store.run(.checkpoint)
                try await store.run(.verify)
            }
            try await store.close()
        }
    }
}

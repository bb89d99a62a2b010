import StorageHarness
import Testing

@testable import Storage

/// What the kernel may do to any call; nothing above the file system notices it.
@Suite struct SystemCallTests {
    @Test func interruptedAndShortCallsAreInvisible() async throws {
        for seed in testSeeds(6) {
            try await withTemporaryDirectory { root in
                let count = try await UneasyCalls.run(seed: seed, in: root)
                #expect(count > 20, "SEED=\(seed)")
            }
        }
    }
}

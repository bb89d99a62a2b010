import StorageHarness
import Testing

@testable import Storage

/// What the kernel may do to any call, and nobody above the file system hears of.
@Suite struct SystemCallTests {
    @Test func interruptedAndShortCallsAreInvisible() throws {
        for seed in testSeeds(6) {
            try withTemporaryDirectory { root in
                let count = try UneasyCalls.run(seed: seed, in: root)
                #expect(count > 20, "SEED=\(seed)")
            }
        }
    }
}

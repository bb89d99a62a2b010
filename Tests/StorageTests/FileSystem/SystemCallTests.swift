import StorageHarness
import Testing

@testable import Storage

/// What the kernel may do to any call, and nobody above the file system hears of.
@Suite struct SystemCallTests {
    @Test func interruptedAndShortCallsAreInvisible() throws {
        for seed in testSeeds(6) {
            try withTemporaryDirectory { root in
                #expect(try UneasyCalls.run(seed: seed, in: root) > 20, "SEED=\(seed)")
            }
        }
    }
}

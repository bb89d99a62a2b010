import Foundation
import Testing

/// Real processes that open, seed, write, close and remove one store. The short form of campaign
/// C23, see Documentation/Reliability.md.
@Suite struct HandoverProcessTests {
    /// The files of locks were removed after the lock was released, and no process checked whether
    /// the one that was locked was still there: two processes wrote to one store, and a store that
    /// was being copied into its place was removed under way.
    @Test func processesThatRemoveAndSeedAStoreNeverWriteAtOnce() async throws {
        try await ChildProcessTests.run(campaign: "C23", seeds: 1...99)
    }
}

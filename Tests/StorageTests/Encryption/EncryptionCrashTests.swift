import StorageHarness
import Testing

@testable import Storage

/// Random work on encrypted stores, with crashes at random moments: nothing acknowledged is lost,
/// and nothing is sealed twice with the same key and nonce.
@Suite(.enabled(if: SecretKey.isAvailable)) struct EncryptionCrashTests {
    private static func run(seed: UInt64) async throws -> NonceAuditor {
        let auditor = NonceAuditor()
        var campaign = PowerLoss()
        campaign.files = { auditor.watching($0) }
        campaign.options.encryptionKey = try .made()
        try await campaign.run(seed: seed)
        return auditor
    }

    @Test func keepsWhatWasAcknowledgedAndRepeatsNoNonce() async throws {
        var frames = 0
        var nodes = 0
        let seeds = testSeeds(120, debug: 25)
        for seed in seeds {
            do {
                let auditor = try await Self.run(seed: seed)
                #expect(auditor.problems == [], "SEED=\(seed)")
                frames += auditor.counts.frames
                nodes += auditor.counts.nodes
            } catch {
                Issue.record("SEED=\(seed): \(error)")
            }
        }
        #expect(frames > 8 * seeds.count && nodes > 8 * seeds.count)
    }

    /// Shows that the audit detects a nonce that is used twice.
    @Test func theAuditFindsWhatIsSealedTwice() throws {
        let disk = MemoryFileSystem()
        let opened = try OpenedLog(disk, "store.realm", .small.encrypted(.made()))
        try opened.append([TestCommit(1, length: 100)])
        var bytes = try disk.bytes(of: "store.realm/log/0000000001.log")
        let auditor = NonceAuditor()
        let files = auditor.watching(MemoryFileSystem())
        _ = try files.open("a.log", .create)
        try files.overwrite("a.log", with: bytes)
        try files.overwrite("a.log", with: bytes)
        #expect(auditor.problems == [] && auditor.counts.frames == 2)
        // A byte of the group's contents.
        bytes[SegmentHeader.size + EpochPayload.frameSize + FrameHeader.size + 20] ^= 1
        try files.overwrite("a.log", with: bytes)
        #expect(auditor.problems.count == 1)

        var nodes = (0..<400).map { UInt8(truncatingIfNeeded: $0 * $0 / 3) }
        // Two nodes of one writer.
        nodes.replaceSubrange(100 / 8 * 8..<100 / 8 * 8 + 16, with: nodes[368..<384])
        _ = try files.open("a.pages", .create)
        try files.overwrite("a.pages", with: nodes, at: 64)
        try files.overwrite("a.pages", with: nodes, at: 64)
        #expect(auditor.problems.count == 1 && auditor.counts.nodes == 2)
        nodes[7] ^= 1
        try files.overwrite("a.pages", with: nodes, at: 64)
        #expect(auditor.problems.count == 2)
        // With another salt, the same address has another nonce.
        nodes[370] ^= 1
        nodes[98] ^= 1
        try files.overwrite("a.pages", with: nodes, at: 64)
        #expect(auditor.problems.count == 2)
    }
}

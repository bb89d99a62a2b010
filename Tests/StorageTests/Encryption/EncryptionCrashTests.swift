import StorageHarness
import Testing

@testable import Storage

/// Random work on encrypted stores, cut off at random moments: nothing acknowledged is lost, and
/// nothing is ever sealed twice with one key and nonce.
@Suite(.enabled(if: SecretKey.isAvailable)) struct EncryptionCrashTests {
    private static func run(seed: UInt64, isEncrypted: Bool = true) throws -> NonceAuditor {
        let auditor = NonceAuditor()
        var campaign = PowerLoss()
        campaign.files = { auditor.watching($0) }
        if isEncrypted { campaign.options.encryptionKey = try .made() }
        try campaign.run(seed: seed)
        return auditor
    }

    @Test func keepsWhatWasAcknowledgedAndRepeatsNoNonce() throws {
        var frames = 0
        var pages = 0
        for seed in testSeeds(120) {
            do {
                let auditor = try Self.run(seed: seed)
                #expect(auditor.problems == [], "SEED=\(seed)")
                frames += auditor.counts.frames
                pages += auditor.counts.pages
            } catch {
                Issue.record("SEED=\(seed): \(error)")
            }
        }
        #expect(frames > 1000 && pages > 100)
    }

    /// A plain store goes on in page files that an earlier opening wrote to: an audit that finds
    /// nothing there would prove nothing.
    @Test func theAuditFindsWhatIsWrittenTwice() throws {
        let finds = (UInt64(0)..<1000).contains { seed in
            let auditor = try? Self.run(seed: seed, isEncrypted: false)
            return auditor?.problems.contains { $0.contains("nodes were sealed twice") } ?? false
        }
        #expect(finds)
    }
}

import StorageHarness
import Testing

@testable import Storage

/// A harness that never fails proves nothing. Each test disables one guard, and the harness must
/// detect that within 1,000 seeds.
@Suite struct CanaryTests {
    enum Canary: CaseIterable {
        case noSync, noDirectorySync, noChecksum, acknowledgementBeforeSync

        var campaign: PowerLoss {
            var campaign = PowerLoss()
            campaign.includesRelaxed = false
            switch self {
            case .noSync: campaign.files = { LyingFiles($0, .fileSync) }
            case .noDirectorySync: campaign.files = { LyingFiles($0, .directorySync) }
            case .noChecksum:
                campaign.files = { ChecksumForger(base: $0) }
                // More is written between two syncs, and a power failure keeps parts of it.
                campaign.includesRelaxed = true
            case .acknowledgementBeforeSync:
                campaign.acknowledgesEarly = true
                campaign.checksOrder = false
            }
            return campaign
        }
    }

    @Test(arguments: Canary.allCases) func isCaught(_ canary: Canary) async {
        let seeds = testSeeds(1_000)
        for seed in seeds {
            do {
                try await canary.campaign.run(seed: seed)
            } catch {
                return
            }
        }
        Issue.record("\(canary) passes \(seeds.count) seeds")
    }

    /// The same fault is detected by the order checker, without a crash.
    @Test func theOrderCheckerSeesPublicationBeforeTheSync() async throws {
        var options = CrashStore.smallSegments
        options.durability = .written
        let disk = SimulatedDisk()
        let order = OrderChecker(disk)
        let store = CrashStore(
            disk, seed: 1, options: options, onPublish: { order.published() })
        try store.open()
        for _ in 0..<10 { try await store.run(.transaction) }
        #expect(throws: Violation.self) { try order.finish() }
    }

    @Test func nothingIsCaughtOtherwise() async {
        for seed in testSeeds(60, debug: 15) {
            do {
                try await PowerLoss().run(seed: seed)
            } catch {
                Issue.record("SEED=\(seed): \(error)")
            }
        }
    }
}

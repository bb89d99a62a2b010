import StorageHarness
import Testing

@testable import Storage

/// Hosts of one realm, whose engine and network fail.
@Suite struct HostScheduleTests {
    @Test func noScheduleLosesOrRepeatsACommit() async {
        var commits = 0
        for seed in testSeeds(60) {
            do {
                commits += try await HostSchedule().run(seed: seed)
            } catch {
                Issue.record("SEED=\(seed): \(error)")
            }
        }
        #expect(commits > 400)
    }
}

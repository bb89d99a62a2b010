import StorageHarness
import Testing

@testable import Storage

/// Hosts of one realm on an engine and a network with faults.
@Suite struct HostScheduleTests {
    @Test func noScheduleLosesOrRepeatsACommit() async {
        var (commits, images, trims, imagesRead) = (0, 0, 0, 0)
        var faults: [HostFault: Int] = [:]
        for seed in testSeeds(30) {
            do {
                let outcome = try await HostSchedule().run(seed: seed)
                commits += outcome.commits
                images += outcome.images
                trims += outcome.isTrimmed ? 1 : 0
                imagesRead += outcome.imagesRead
                faults.merge(outcome.faults) { $0 + $1 }
            } catch {
                Issue.record("SEED=\(seed): \(error)")
            }
        }
        #expect(commits > 400)
        // The schedules must also include these events.
        #expect(images > 10 && trims > 3 && imagesRead > 3)
        for fault in HostFault.allCases { #expect(faults[fault, default: 0] > 0, "\(fault)") }
    }

    /// The schedules are meaningful: they detect each planted fault.
    @Test(arguments: HostCanary.allCases)
    func everyMistakeIsFound(canary: HostCanary) async {
        var schedule = HostSchedule()
        schedule.canary = canary
        for seed in testSeeds(200) {
            do {
                _ = try await schedule.run(seed: seed)
            } catch {
                return
            }
        }
        Issue.record("\(canary) was not found")
    }
}

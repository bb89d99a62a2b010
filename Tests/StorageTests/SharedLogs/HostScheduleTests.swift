import StorageHarness
import Testing

@testable import Storage

/// Hosts of one realm, whose engine and network fail.
@Suite struct HostScheduleTests {
    @Test func noScheduleLosesOrRepeatsACommit() async {
        var (commits, images, trims, imagesRead) = (0, 0, 0, 0)
        for seed in testSeeds(30) {
            do {
                let outcome = try await HostSchedule().run(seed: seed)
                commits += outcome.commits
                images += outcome.images
                trims += outcome.isTrimmed ? 1 : 0
                imagesRead += outcome.imagesRead
            } catch {
                Issue.record("SEED=\(seed): \(error)")
            }
        }
        #expect(commits > 400)
        // The other half of what is to be found out.
        #expect(images > 10 && trims > 3 && imagesRead > 3)
    }

    /// What the schedules say is worth something: they find each mistake.
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

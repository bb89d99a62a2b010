import Storage
import Synchronization

/// Runs the cases of a campaign on a few tasks, and prints the results.
final class CampaignRunner: Sendable {
    private struct State: Sendable {
        var next: UInt64
        var end: UInt64
        var done = 0
        var units = 0
        var failures: [(seed: UInt64, text: String)] = []
    }

    /// The number of failures that ends a campaign.
    private static let failuresMax = 10

    private let campaign: Campaign
    private let options: CampaignOptions
    private let state: Mutex<State>
    private let start = ContinuousClock.now

    init(_ campaign: Campaign, _ options: CampaignOptions) async throws {
        self.campaign = campaign
        self.options = options
        let first = options.seed ?? 0
        let available = try await campaign.seeds().map { UInt64($0) } ?? .max
        let unlimited = options.minutes != nil || options.seed != nil
        let wanted: Int
        if let count = options.count {
            wanted = count
        } else {
            wanted = unlimited ? .max : try await campaign.shortCount()
        }
        let count = min(UInt64(wanted), available - min(first, available))
        state = Mutex(State(next: first, end: first + count))
    }

    /// True when every case passed.
    func run() async -> Bool {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<max(1, options.workers) {
                group.addTask { await self.work() }
            }
        }
        return report()
    }

    private func work() async {
        while let seed = nextSeed() {
            do {
                let units = try await campaign.run(seed, options)
                state.withLock { state in
                    state.units += units
                    state.done += 1
                }
            } catch {
                state.withLock { state in
                    state.done += 1
                    state.failures.append((seed, "\(error)"))
                }
                say("\(campaign.id) FAILED with seed \(seed): \(error)")
                say("    swift run -c release campaigns \(campaign.id) --seed \(seed) --count 1")
            }
        }
    }

    private func nextSeed() -> UInt64? {
        let isLate = options.minutes.map { start.duration(to: .now) > .seconds($0 * 60) } ?? false
        return state.withLock { state in
            let hasFailedEnough = state.failures.count >= Self.failuresMax
            guard !isLate, !hasFailedEnough, state.next < state.end else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    private func report() -> Bool {
        state.withLock { state in
            let seconds = start.duration(to: .now).components.seconds
            let first = options.seed ?? 0
            let range = state.done == 0 ? "none" : "\(first) to \(first + UInt64(state.done) - 1)"
            say(
                "\(campaign.id) \(campaign.title): \(state.units) \(campaign.unit),"
                    + " seeds \(range), \(state.failures.count) failures, \(seconds) s")
            return state.failures.isEmpty
        }
    }
}

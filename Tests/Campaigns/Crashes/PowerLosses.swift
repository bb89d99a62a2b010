import Storage
import StorageHarness

extension Campaign {
    /// Random work with power failures at random moments.
    static let powerLoss = Campaign(
        id: "C2", title: "random power loss", unit: "runs", shortCount: { 4_000 }
    ) { seed, options in
        var campaign = PowerLoss()
        if options.isVerbose { campaign.trace = { say($0) } }
        try await campaign.run(seed: seed)
        return 1
    }

    /// Two threads sync one log, and a failure is reported only once.
    static let syncRaces = Campaign(
        id: "C22", title: "two threads at one log, and a sync that fails", unit: "commits",
        shortCount: { 500 }
    ) { seed, _ in
        try SyncRace().run(seed: seed)
    }

    /// The recovery is interrupted as well, and the recovery from that.
    static let compound = Campaign(
        id: "C10", title: "crashes and errors during recovery, depth 3", unit: "runs",
        shortCount: { 1_500 }
    ) { seed, options in
        var campaign = PowerLoss()
        campaign.depth = 3
        if options.isVerbose { campaign.trace = { say($0) } }
        try await campaign.run(seed: seed)
        return 1
    }
}

import StorageHarness

extension Campaign {
    /// Three hosts write one realm on a shared log with failures of the engine and the network.
    static let hosts = Campaign(
        id: "C25", title: "hosts of one shared log", unit: "commits", shortCount: { 1_500 }
    ) { seed, options in
        var schedule = HostSchedule()
        if options.isVerbose { schedule.trace = { say($0) } }
        return try await schedule.run(seed: seed).commits
    }
}

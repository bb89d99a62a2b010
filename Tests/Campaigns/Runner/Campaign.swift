/// A kind of test that is run many times, each time with another seed.
struct Campaign: Sendable {
    /// Its identifier: C1 and so on.
    let id: String
    /// A short description.
    let title: String
    /// The unit of its cases, in the plural.
    let unit: String
    /// The number of seeds; nil if every number is a seed.
    var seeds: @Sendable () async throws -> Int? = { nil }
    /// The number of cases in the short form, beginning with the first seed.
    let shortCount: @Sendable () async throws -> Int
    /// Runs the case of a seed; returns the number of units, or throws the problem.
    let run: @Sendable (UInt64, CampaignOptions) async throws -> Int
}

/// The options of the command line for a campaign.
struct CampaignOptions: Sendable {
    /// The first seed.
    var seed: UInt64?
    /// The number of seeds.
    var count: Int?
    /// The duration in minutes, if no count is given.
    var minutes: Double?
    /// Crash images for each point of C1.
    var images = 10
    /// The number of concurrent cases.
    var workers = 2
    /// Whether to print what a case does.
    var isVerbose = false
}

/// A kind of test that is run very often, each time with another seed.
struct Campaign: Sendable {
    /// What it is called: C1 and so on.
    let id: String
    /// What it does, in a few words.
    let title: String
    /// What its cases count, in the plural.
    let unit: String
    /// The seeds that there are; nil when any number is one.
    var seeds: @Sendable () async throws -> Int? = { nil }
    /// Cases of the short form, beginning with the first seed.
    let shortCount: @Sendable () async throws -> Int
    /// Runs the case of a seed; returns how many units it was, or throws what is wrong.
    let run: @Sendable (UInt64, CampaignOptions) async throws -> Int
}

/// What the command line asks of a campaign.
struct CampaignOptions: Sendable {
    /// The first seed.
    var seed: UInt64?
    /// How many seeds.
    var count: Int?
    /// For how long, in minutes, when no count is given.
    var minutes: Double?
    /// Crash images for each point of C1.
    var images = 10
    /// Cases that run at the same time.
    var workers = 2
    /// Whether to tell what a case does.
    var isVerbose = false
}

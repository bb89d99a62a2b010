/// A row of the output that is compared: what it says to people, and what it is measured against.
struct Row: Sendable {
    /// Which values are better.
    enum Direction: Sendable {
        case higher, lower
    }

    /// What a value is taken in.
    enum Scale: Sendable {
        case plain
        /// As a share of what the bare disk does in the same run.
        case perProbe
        /// Bar and goal are multiples of what the best peer does in the same run.
        case perPeer
    }

    let name: String
    let title: String
    let better: Direction
    /// What must be reached.
    let bar: Double
    /// Where the work is going.
    let goal: Double
    var scale = Scale.plain
    /// The bar and the goal of a disk that syncs in this time. On a slower one it is enough to do
    /// the same multiple of what the bare disk does.
    var syncTime: Double?

    /// Whether a value passes a limit.
    func passes(_ value: Double, _ limit: Double) -> Bool {
        better == .higher ? value >= limit : value <= limit
    }

    /// How many times better one value is than another.
    func advantage(of value: Double, over other: Double) -> Double {
        better == .higher ? value / other : other / value
    }

    private static func atLeast(
        _ name: String, _ bar: Double, _ goal: Double, _ title: String
    ) -> Row {
        Row(name: name, title: title, better: .higher, bar: bar, goal: goal)
    }

    private static func atMost(
        _ name: String, _ bar: Double, _ goal: Double, _ title: String
    ) -> Row {
        Row(name: name, title: title, better: .lower, bar: bar, goal: goal)
    }

    /// Durable commits of many tasks: the bar was set where a sync takes 40 to 60 us.
    private static func durable(
        _ name: String, _ bar: Double, _ goal: Double, _ title: String
    ) -> Row {
        Row(
            name: name, title: title, better: .higher, bar: bar, goal: goal, syncTime: 60e-6)
    }

    private static func ofProbe(
        _ name: String, _ bar: Double, _ goal: Double, _ title: String
    ) -> Row {
        Row(
            name: name, title: title, better: .higher, bar: bar, goal: goal, scale: .perProbe)
    }

    /// So many times the best peer.
    private static func timesPeer(
        _ name: String, _ better: Direction, _ bar: Double, _ goal: Double, _ title: String
    ) -> Row {
        Row(
            name: name, title: title, better: better, bar: bar, goal: goal, scale: .perPeer)
    }

    /// Every row that is compared, in order.
    static let all: [Row] = writes + reads + others + finding

    private static let finding: [Row] = [
        timesPeer("w22_fulltext_build", .higher, 1, 2, "texts with an index of their words"),
        timesPeer("w22_fulltext_search", .lower, 1, 2, "searches for words in them"),
        atMost("w23_folded_ascii", 4, 2, "folded search in ASCII texts, over the plain one"),
        atMost("w23_folded_mixed", 10, 5, "the same in texts of many scripts"),
        timesPeer("w24_composite_lookups", .higher, 1.5, 2, "lookups by two properties"),
        timesPeer("w24_composite_pages", .higher, 1.5, 2, "pages by an index of two"),
        timesPeer("w25_group_age", .lower, 5, 10, "three measures of a hundred groups"),
        timesPeer("w25_group_name", .lower, 5, 10, "the count of nearly as many groups"),
        timesPeer("w26_geo_build", .higher, 1, 2, "places with an index of them"),
        timesPeer("w26_geo_within", .lower, 1, 2, "places in boxes"),
        timesPeer("w26_geo_nearest", .lower, 1, 2, "the ten places that are nearest"),
        timesPeer("w27_distinct_names", .lower, 1, 2, "how many different names there are"),
        timesPeer("w27_modulo", .lower, 1, 2, "count with a remainder"),
    ]

    private static let writes: [Row] = [
        atLeast("w01_insert", 630e3, 1.2e6, "insert all in one transaction"),
        atLeast("w01b_insert_shuffled", 500e3, 800e3, "the same, keys in no order"),
        atMost("w01_peak_rss", 400, 250, "peak memory of that"),
        atMost("w01_file_bytes", 88, 80, "bytes on disk after it"),
        ofProbe("w02_commit_string", 0.7, 1.1, "durable commits, one task"),
        ofProbe("w02_commit_person", 0.7, 1.1, "durable commits with key and index"),
        durable("w03_conc8", 60e3, 100e3, "durable commits, 8 tasks"),
        durable("w03_conc64", 130e3, 220e3, "durable commits, 64 tasks"),
        atLeast("w04_nd_commit_string", 150e3, 350e3, "relaxed commits, one task"),
        atLeast("w04_nd_commit_string_64", 300e3, 600e3, "relaxed commits, 64 tasks"),
        atLeast("w04_nd_commit_person", 100e3, 200e3, "relaxed commits with key and index"),
        atLeast("w04_nd_commit_person_64", 160e3, 300e3, "the same, 64 tasks"),
        atMost("w10_update_all", 100, 50, "change a property of all objects"),
        atLeast("w10b_update_one_nd", 150e3, 300e3, "relaxed updates of one object"),
        atMost("w11_delete", 500, 250, "delete two thirds of the objects"),
    ]

    private static let reads: [Row] = [
        atLeast("w05_pk", 1.3e6, 2.3e6, "lookups by primary key"),
        atLeast("w05_email", 0.8e6, 1.5e6, "lookups by indexed string"),
        atMost("w06_count", 2, 1, "count with two conditions"),
        atMost("w06_begins", 4, 2, "count names with a prefix"),
        atMost("w06_contains", 12, 6, "count names with a substring"),
        atMost("w07_sum", 1.6, 0.8, "sum of a column"),
        atMost("w07_avg", 1.6, 0.8, "mean of a column"),
        atMost("w07_min", 1.6, 0.8, "smallest of a column"),
        atMost("w07_max", 1.6, 0.8, "largest of a column"),
        atMost("w08_first1000_limit", 12, 8, "first thousand by name"),
        atMost("w08_first1000", 250, 100, "sort all by name, walk a thousand"),
        atMost("w08_all_age", 320, 150, "sort all by name, walk all"),
        atMost("w09_enum", 60, 40, "walk all objects"),
        atMost("w09_enum_columns", 25, 10, "read two columns of all objects"),
    ]

    private static let others: [Row] = [
        atMost("w12_open", 1.5, 0.5, "open in a fresh process"),
        atMost("w12_open_after_kill", 120, 30, "open after a kill"),
        atMost("w13_stream", 40, 15, "commit to watcher, 1,000 rows"),
        atMost("w13_stream_1m", 150, 50, "commit to watcher, all rows"),
        atMost("w13_insert_1m_work", 50, 25, "an insert's work for a stream of all rows"),
        atMost("w13_insert_sorted_1m_work", 50, 25, "the same, in the order of an index"),
        atLeast("w13_subscribers_share", 95, 99, "commits beside 1,000 sleeping watchers"),
        atLeast("w14_reads", 2e6, 3.5e6, "lookups of two readers beside a writer"),
        atLeast("w14_writes", 30e3, 60e3, "commits of that writer"),
        atMost("w15_growth", 3, 2, "space taken by endless updates"),
        atLeast("w16_flights", 400e3, 800e3, "import a year of flights"),
        atMost("w17_commit_p99_during_checkpoint", 10, 3, "slow commits during a checkpoint"),
        atMost("w18_scan_4x_budget", 1.3, 1.1, "memory with data of 4 times the budget"),
    ]
}

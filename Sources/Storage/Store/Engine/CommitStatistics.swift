import Synchronization

/// How many commits became durable, and in how many syncs.
package struct CommitStatistics: Sendable, Hashable {
    package var commits = 0
    package var syncs = 0

    package init() {}
}

/// Counts commits and syncs as they happen.
final class CommitCounters: Sendable {
    private let commits = Atomic<Int>(0)
    private let syncs = Atomic<Int>(0)

    func noteSync(commits count: Int) {
        commits.wrappingAdd(count, ordering: .relaxed)
        syncs.wrappingAdd(1, ordering: .relaxed)
    }

    var statistics: CommitStatistics {
        var statistics = CommitStatistics()
        statistics.commits = commits.load(ordering: .relaxed)
        statistics.syncs = syncs.load(ordering: .relaxed)
        return statistics
    }
}

import RealmActors

extension Realm {
    /// What ``pastCommits(since:)`` delivers before it ends.
    func collectedPastCommits(since token: ChangeToken? = nil) async throws -> [RealmCommit] {
        var commits: [RealmCommit] = []
        for try await commit in pastCommits(since: token) { commits.append(commit) }
        return commits
    }
}

import RealmActors

/// The commits that a log has by now, read one by one.
struct CommitHistory: AsyncSequence, AsyncIteratorProtocol {
    private let realm: Realm
    private let end: Realm.Version
    private var position: ChangeToken
    /// Whether to begin with the oldest commit when the log does not go back to the position.
    private var beginsAnywhere: Bool
    private var commits: RealmChanges.AsyncIterator

    /// The commits behind a token, without one from the oldest on, through a version.
    init(_ realm: Realm, since token: ChangeToken?, through end: Realm.Version? = nil) {
        self.realm = realm
        self.end = end ?? realm.latestVersion
        position = token ?? realm.changeToken(behind: Realm.Version(rawValue: 0))
        beginsAnywhere = token == nil
        commits = realm.commits(since: position).makeAsyncIterator()
    }

    func makeAsyncIterator() -> CommitHistory { self }

    mutating func next() async throws -> RealmCommit? {
        guard position.version < end else { return nil }
        do {
            guard let commit = try await commits.next(), commit.version <= end else { return nil }
            position = commit.token
            return commit
        } catch RealmError.historyTrimmed(let oldest?) where beginsAnywhere {
            beginsAnywhere = false
            position = realm.changeToken(behind: oldest)
            commits = realm.commits(since: position).makeAsyncIterator()
            return try await next()
        }
    }
}

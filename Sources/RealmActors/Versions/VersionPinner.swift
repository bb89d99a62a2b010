import Storage

/// Bounds how many versions of a store are active: it admits or refuses each write.
///
/// Runs on the writer's executor, so that a write asks it without a hop.
actor VersionPinner {
    private let table: VersionTable
    private let limit: UInt?
    private let policy: Realm.Configuration.ActiveVersionPolicy
    // The writer outlives nothing: the store owns both.
    private let writer: WriterActor

    nonisolated var unownedExecutor: UnownedSerialExecutor { writer.unownedExecutor }

    init(
        table: VersionTable, limit: UInt?, policy: Realm.Configuration.ActiveVersionPolicy,
        writer: WriterActor
    ) {
        self.table = table
        self.limit = limit
        self.policy = policy
        self.writer = writer
    }

    /// Whether a write may begin without asking ``admit(latest:)``.
    nonisolated func admitsAtOnce(latest: Version) -> Bool {
        guard let limit else { return true }
        return table.count(latest: latest) <= limit
    }

    /// Returns when a write may begin on top of `latest`.
    ///
    /// - Throws: ``RealmError/tooManyActiveVersions(active:limit:holders:)`` at once or after the
    ///   configured time; it names the oldest holders.
    func admit(latest: @Sendable () -> Version) async throws {
        guard let limit else { return }
        var deadline: ContinuousClock.Instant?
        if case .wait(let duration) = policy { deadline = .now + duration }
        while true {
            let active = table.active(latest: latest())
            if active.count <= limit { return }
            guard let deadline, deadline > .now else {
                throw RealmError.tooManyActiveVersions(
                    active: active.count, limit: limit,
                    holders: active.prefix(3).map(\.description))
            }
            await table.waitForRelease(until: deadline)
            try Task.checkCancellation()
        }
    }
}

import Storage

/// Bounds how many versions of a store are active: it admits or refuses each write.
///
/// It shares the writer's executor: a write that has the turn finds it free and is admitted in its
/// own thread. Who holds which version stands in a table behind a lock instead, because snapshots
/// are taken and dropped without waiting.
actor VersionPinner {
    private let writer: WriterActor
    private let table: VersionTable
    private let limit: UInt?
    private let timeout: Duration

    nonisolated var unownedExecutor: UnownedSerialExecutor { writer.unownedExecutor }

    init(
        writer: WriterActor, table: VersionTable, limit: UInt?, timeout: Duration
    ) {
        self.writer = writer
        self.table = table
        self.limit = limit
        self.timeout = timeout
    }

    /// Whether there is a limit; without one every write is admitted.
    nonisolated var isBounded: Bool { limit != nil }

    /// Whether a write may begin on top of `latest`.
    func admits(onTopOf latest: VersionName) -> Bool {
        guard let limit else { return true }
        return table.count(latest: latest) <= limit
    }

    /// Until when a write that begins to wait now may wait for a version to be released.
    nonisolated var deadline: ContinuousClock.Instant { .now + timeout }

    /// Waits until versions are released, so that it is worth while to try again. A task that waits
    /// does not have the turn to write.
    ///
    /// - Throws: ``RealmError/tooManyActiveVersions(active:limit:holders:)`` at the deadline; it
    ///   names the oldest holders. `CancellationError`.
    func awaitRelease(
        until deadline: ContinuousClock.Instant, latest: @Sendable () -> VersionName
    ) async throws {
        guard let limit else { return }
        guard deadline > .now else {
            let active = table.active(latest: latest())
            if active.count <= limit { return }
            throw RealmError.tooManyActiveVersions(
                active: active.count, limit: limit,
                holders: active.prefix(3).map(\.description))
        }
        await table.waitForRelease(until: deadline)
        try Task.checkCancellation()
    }
}

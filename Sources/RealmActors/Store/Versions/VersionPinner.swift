import Storage

/// Bounds the number of active versions of a store, by admitting or refusing each write.
///
/// It shares the executor of the writer, which is free for the write that holds the turn, so that
/// the write is admitted without a hop. The holders are in a table behind a lock instead, because
/// snapshots are taken and released synchronously.
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

    /// When a write that begins now to wait for the release of a version times out.
    nonisolated var deadline: ContinuousClock.Instant { .now + timeout }

    /// Waits until versions were released, after which the caller may retry. The caller must not
    /// hold the turn.
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

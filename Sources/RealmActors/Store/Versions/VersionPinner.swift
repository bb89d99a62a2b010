import Storage

/// Bounds the number of active versions of a store, by admitting each write or making it wait.
///
/// It shares the executor of the writer, which is free for the write that holds the turn, so that
/// the write is admitted without a hop. The queue of writes that wait, and the table of who holds
/// what, are behind locks instead, because snapshots are taken and released synchronously.
actor VersionPinner {
    private let writer: WriterActor
    private let queue: AdmissionQueue

    nonisolated var unownedExecutor: UnownedSerialExecutor { writer.unownedExecutor }

    init(writer: WriterActor, queue: AdmissionQueue) {
        self.writer = writer
        self.queue = queue
    }

    /// Whether there is a limit; without one every write is admitted.
    nonisolated var isBounded: Bool { queue.isBounded }

    /// The number of writes that wait, for tests.
    nonisolated var waiterCount: Int { queue.waiterCount }

    /// The number of waits so far, for tests.
    nonisolated var waitCount: Int { queue.waitCount }

    /// Whether the write that holds the turn may begin on top of `latest`; otherwise it gets a
    /// place in the queue.
    ///
    /// `shown` is for a live realm: the version that it has advanced to, or an older one.
    func admits(
        _ place: inout AdmissionQueue.Place?, onTopOf latest: VersionName, shown: VersionName?
    ) -> Bool {
        queue.admits(&place, onTopOf: latest, shown: shown)
    }

    /// Waits until the write should take the turn again, or its live realm has to advance. The
    /// caller must not hold the turn, and leaves the queue if this throws.
    ///
    /// - Throws: ``RealmError/tooManyActiveVersions(active:limit:holders:)`` at the deadline; it
    ///   names the oldest holders. `CancellationError`.
    func awaitRelease(_ place: AdmissionQueue.Place?) async throws -> AdmissionQueue.Step {
        try await queue.wait(place)
    }

    /// Leaves the queue, if the write is in it.
    nonisolated func leave(_ place: AdmissionQueue.Place?) { queue.leave(place) }

    /// Resumes the writes that no longer have to wait: a version was released, or the store was
    /// closed or has failed.
    nonisolated func resumeEligible() { queue.resumeEligible() }
}

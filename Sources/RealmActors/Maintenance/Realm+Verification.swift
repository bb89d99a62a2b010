import Storage

extension Realm {
    /// Checks the whole store: every node of the newest version, objects against indexes, links
    /// against backlinks, values of enums and custom types, and every frame of the log, including
    /// kept history.
    ///
    /// It runs on a separate thread, concurrently with reads and writes, and changes nothing.
    /// Damage is reported; a failure to read is thrown:
    ///
    ///     let report = try await realm.verify()
    ///     for problem in report.problems { log(problem.description) }
    ///
    /// Takes O(n log n) time and reads all of the store's files.
    ///
    /// - Parameter progress: called with the fraction that is done, from 0 to 1, on that thread.
    /// - Throws: ``RealmError``: the realm is closed, or the disk failed; `CancellationError` when
    ///   the task is cancelled.
    public func verify(
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> VerificationReport {
        if store.isClosed { throw RealmError.closed }
        let store = store
        return try await CancellableReading.run(progress: progress) { monitor in
            let outcome = try store.engine.verify(monitor)
            var mapped = MappedValues(store.snapshot(label: nil), monitor)
            // The values of a damaged store are not checked.
            if outcome.problemCount == 0 { try mapped.check() }
            return VerificationReport(outcome, mapped)
        }
    }
}

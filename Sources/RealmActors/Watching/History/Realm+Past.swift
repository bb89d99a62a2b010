public import Foundation
import Storage

extension Realm {
    /// The realm as it was in an earlier version.
    ///
    ///     let before = try await realm.snapshot(asOf: commit.version)
    ///     let adults = before.objects(Person.self).where { $0.age >= 18 }
    ///
    /// It is a snapshot like any other: queries, links in both directions, groups and full-text
    /// searches use the indexes of that version. It is computed from the newest version by undoing
    /// the later commits with the old values in the log, which reach back to the first commit that
    /// was made with a ``Configuration/history`` of `.keep` and is still in the log. Nothing is
    /// written to the store. The ``ObjectReference`` of an object that was deleted since resolves.
    ///
    /// The schema is the present one. A version from before a change of the schema can be read only
    /// if the log has every commit of the realm. Properties that were added since have their
    /// default values, and in objects that were deleted before that zero, empty or nil.
    ///
    /// - Parameters:
    ///   - version: the number of a commit, as in ``RealmCommit/version`` and
    ///     ``ObjectVersion/version``; zero for the state before all commits.
    ///   - label: names the holder in ``activeVersions``.
    /// - Throws: ``RealmError/versionUnavailable(reason:oldest:)`` for a version that does not
    ///   exist yet, and for one that the history does not reach; an error of the disk;
    ///   `CancellationError` when the task is cancelled meanwhile.
    /// - Complexity: linear in the commits since that version, on each call. It keeps the
    ///   difference from the newest version in memory.
    public func snapshot(asOf version: Version, label: String? = nil) async throws -> Snapshot {
        try await snapshot(.version(Storage.Version(version.rawValue)), label)
    }

    /// The realm as it was at a time: the newest version with a ``RealmCommit/time`` not later than
    /// `date`. A future date gives the newest version.
    ///
    ///     let yesterday = try await realm.snapshot(asOf: .now.addingTimeInterval(-86_400))
    ///
    /// - Throws: ``RealmError/versionUnavailable(reason:oldest:)`` when the whole history is later;
    ///   ``RealmError/invalidValue(_:)`` for a date that is not a number; as
    ///   ``snapshot(asOf:label:)-(Realm.Version,_)``.
    /// - Complexity: linear in the history that is kept; else as
    ///   ``snapshot(asOf:label:)-(Realm.Version,_)``.
    public func snapshot(asOf date: Date, label: String? = nil) async throws -> Snapshot {
        try await snapshot(.time(date.secondsOfPast), label)
    }

    private func snapshot(_ point: PastPoint, _ label: String?) async throws -> Snapshot {
        let store = store
        let root = try await store.history { engine, monitor in
            try engine.version(asOf: point, monitor)
        }
        return Snapshot(SnapshotHandle(store, root: root, label: label))
    }

    /// The states of an object after each commit of the history, the oldest first: with the author,
    /// the time, and the values before and after.
    ///
    ///     for version in try await realm.versions(of: dog) {
    ///         print(version.time, version.author ?? "", version.oldValues, version.values)
    ///     }
    ///
    /// It begins with the commit that inserted the object, or where the history does: with the
    /// first commit in the log, or the last one without old values, because
    /// ``Configuration/history`` was not `.keep` then. The reference of a deleted object gives its
    /// versions as well.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` for an object of another realm; an error of the
    ///   disk; `CancellationError` when the task is cancelled meanwhile.
    /// - Complexity: linear in the history that is kept.
    public func versions<Model: ObjectBase>(
        of reference: ObjectReference<Model>
    ) async throws -> [ObjectVersion<Model>] {
        let models = store.models
        guard reference.storeID == models.storeID,
            let model = models.binding(of: reference)
        else {
            throw RealmError.invalidObject(
                "The object is of another realm, or of a class that this realm was opened without. "
                    + "Call versions(of:) of the realm of the object.")
        }
        if snapshot().context.hasReused(keyOf: reference) { return [] }
        let (id, key) = (reference.classID, reference.key)
        let rows = try await store.history { engine, monitor in
            try engine.versions(ofRow: key, id, monitor)
        }
        return rows.map { ObjectVersion($0, model, models) }
    }

    /// The states of an object after each commit of the history, as
    /// ``versions(of:)-(ObjectReference<Model>)``, including commits after the version that
    /// `object` shows.
    ///
    /// - Throws: as ``versions(of:)-(ObjectReference<Model>)``.
    /// - Complexity: linear in the history that is kept.
    public func versions<Model: ObjectBase>(
        of object: Frozen<Model>
    ) async throws -> [ObjectVersion<Model>] {
        try await versions(of: object.reference)
    }
}

extension RealmStore {
    /// Reads the history, on one of a few threads, until the task is cancelled.
    fileprivate func history<R: Sendable>(
        _ body: @escaping @Sendable (TransactionEngine, ReadingMonitor) throws -> R
    ) async throws -> R {
        if isClosed { throw RealmError.closed }
        do {
            // A few threads, because there may be thousands of requests at a time.
            return try await CancellableReading.run(progress: nil, on: .long) { monitor in
                // The store may have been closed, or reopened, while this waited for a thread.
                if self.isClosed { throw RealmError.closed }
                return try body(self.engine, monitor)
            }
        } catch let error as HistoryError {
            throw RealmError(past: error)
        }
    }
}

extension RealmError {
    /// The public error for an earlier version that cannot be read.
    fileprivate init(past error: HistoryError) {
        switch error {
        case .trimmed(let oldest):
            self = .versionUnavailable(
                reason: "the log no longer has the commits after it, or their schema differs",
                oldest: oldest < .max ? Realm.Version(oldest) : nil)
        case .irreversible(let oldest):
            self = .versionUnavailable(
                reason: "the log has no old values of commits after it, the last of them version "
                    + "\(oldest)", oldest: Realm.Version(oldest))
        case .future(let newest):
            self = .versionUnavailable(
                reason: "it does not exist yet, and the newest is \(newest)", oldest: nil)
        case .replaced, .noLog, .storage: self = RealmError(error)
        }
    }
}

extension Date {
    /// Seconds since 1970.
    ///
    /// - Throws: ``RealmError/invalidValue(_:)`` for a date that is not a number.
    var secondsOfPast: Double {
        get throws {
            guard !timeIntervalSince1970.isNaN else {
                throw RealmError.invalidValue("The date is not a number. Give a date of the past.")
            }
            return timeIntervalSince1970
        }
    }
}

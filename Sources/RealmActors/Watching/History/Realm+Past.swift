public import Foundation
import Storage

extension Realm {
    /// The realm as it was in a version of the past.
    ///
    ///     let before = try await realm.snapshot(asOf: commit.version)
    ///     let adults = before.objects(Person.self).where { $0.age >= 18 }
    ///
    /// It is read as every snapshot is, and held as one: queries, links in both directions, groups
    /// and full-text searches use the indexes of that version. The newest version is the start, and
    /// what the commits since then replaced is put back, as the log has it: everything back to the
    /// first commit that was made with a ``Configuration/history`` of `.keep` and is still there.
    /// Nothing of it is written to the store. An object that was deleted since is the one that it
    /// was: its ``ObjectReference`` resolves.
    ///
    /// The schema is that of today. A version from before a change of the schema cannot be read,
    /// unless the log has every commit of the realm: properties that were added then have their
    /// default values in it, and zero, nothing or nil in objects that were deleted before.
    ///
    /// - Parameters:
    ///   - version: the number of a commit, as ``RealmCommit/version`` and
    ///     ``ObjectVersion/version`` have it; zero for what was there before all of them.
    ///   - label: what the holder is called in ``activeVersions``.
    /// - Throws: ``RealmError/versionUnavailable(reason:oldest:)`` for a version that is to come,
    ///   and for one that the history does not reach; what the disk reports; `CancellationError`
    ///   when the task is cancelled meanwhile.
    /// - Complexity: linear in the commits since that version, on each call. In memory it keeps
    ///   what differs from the newest version.
    public func snapshot(asOf version: Version, label: String? = nil) async throws -> Snapshot {
        try await snapshot(.version(Storage.Version(version.rawValue)), label)
    }

    /// The realm as it was at a time: in the newest version whose commit was made then or before,
    /// as ``RealmCommit/time`` has it. A time to come gives the newest version.
    ///
    ///     let yesterday = try await realm.snapshot(asOf: .now.addingTimeInterval(-86_400))
    ///
    /// - Throws: ``RealmError/versionUnavailable(reason:oldest:)`` when all that the history has is
    ///   later; ``RealmError/invalidValue(_:)`` for a date that is not a number; as
    ///   ``snapshot(asOf:label:)-(Realm.Version,_)``.
    /// - Complexity: linear in the history that is kept; else as
    ///   ``snapshot(asOf:label:)-(Realm.Version,_)``.
    public func snapshot(asOf date: Date, label: String? = nil) async throws -> Snapshot {
        if date.timeIntervalSince1970.isNaN {
            throw RealmError.invalidValue("The date is not a number. Give a date of the past.")
        }
        return try await snapshot(.time(date.timeIntervalSince1970), label)
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
    /// It begins with the commit that made the object, or where the history does: with the first
    /// commit that the log has not trimmed, or the last one of which it has no old values, because
    /// ``Configuration/history`` was no `.keep` then. An object that was deleted has its versions
    /// by its reference.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` for an object of another realm; what the disk
    ///   reports; `CancellationError` when the task is cancelled meanwhile.
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
        let (id, key) = (reference.classID, reference.key)
        let rows = try await store.history { engine, monitor in
            try engine.versions(ofRow: key, id, monitor)
        }
        return rows.map { ObjectVersion($0, model, models) }
    }

    /// What the commits that the history has made of an object, as
    /// ``versions(of:)-(ObjectReference<Model>)``; also those after the version that it is of.
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
            // Requests may ask for the past by the thousands.
            return try await CancellableReading.run(progress: nil, on: .long) { monitor in
                // The store may have been closed, or opened anew, while this waited for a thread.
                if self.isClosed { throw RealmError.closed }
                return try body(self.engine, monitor)
            }
        } catch let error as HistoryError {
            throw RealmError(past: error)
        }
    }
}

extension RealmError {
    /// Why a version of the past cannot be read, as users see it.
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

import Foundation
import Storage

/// A point in the history of a realm: a ``Snapshot``, a ``Realm/Version`` or a ``ChangeToken``.
/// Do not declare conformances of your own.
public protocol HistoryPoint: Sendable {
    /// The point. Opaque outside the library.
    var _point: WrittenPoint { get }
}

/// A point in the history of a realm. Opaque outside the library.
@_documentation(visibility: internal)
public struct WrittenPoint: Sendable {
    let version: Realm.Version
    /// The life of the store in which the version was made; nil if only the number is known.
    var life: UInt64?
    var snapshot: Snapshot?
    /// The history of a token.
    var history: UUID?
}

extension Snapshot: HistoryPoint {
    /// The snapshot itself, with which the present objects are compared.
    public var _point: WrittenPoint {
        WrittenPoint(
            version: version, life: root.life, snapshot: self, history: models.history.id)
    }
}

extension Realm.Version: HistoryPoint {
    /// The version by its number, which identifies it while the realm stays open. After a crash, a
    /// store with relaxed durability may have lost commits and reuses their numbers: only a
    /// ``ChangeToken`` and a ``Snapshot`` distinguish them.
    public var _point: WrittenPoint { WrittenPoint(version: self) }
}

extension ChangeToken: HistoryPoint {
    /// The version and its commit.
    public var _point: WrittenPoint {
        WrittenPoint(version: version, life: life, history: storeID)
    }
}

extension Realm {
    /// Runs `body` as one transaction if nothing has changed since `point`; otherwise throws the
    /// conflict. For a change that was computed from an older version.
    ///
    ///     let snapshot = realm.snapshot()
    ///     let price = await appraise(snapshot.objects(Item.self))
    ///     try await realm.write(ifUnchangedSince: snapshot, touching: [Item.self]) { tx in ... }
    ///
    /// - Parameters:
    ///   - point: with a snapshot, objects are compared; with a version or a token, any later
    ///     commit is a conflict, whatever it changed.
    ///   - types: the classes that must not have changed, embedded ones included; empty for all.
    ///     Only used with a snapshot.
    ///   - author: a tag of the commit, which ``commits(since:)`` delivers with it.
    ///   - fileID: the file of the call, for a ``RealmMonitor``.
    ///   - line: the line of the call.
    ///   - body: makes the changes, on the writer.
    /// - Throws: ``RealmError/writeConflict(_:)``, and as
    ///   ``write(author:silencing:fileID:line:_:)->_``.
    /// - Complexity: linear in what changed since the snapshot, on top of the write.
    @discardableResult
    public func write<R: Sendable>(
        ifUnchangedSince point: some HistoryPoint, touching types: [ObjectBase.Type] = [],
        author: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        _ body: sending (WriteTransaction) throws -> R
    ) async throws -> R {
        let site = CallSite(fileID: fileID, line: line)
        return try await perform(ifUnchangedSince: point._point, types, author, site, body)
    }

    /// Runs `body` as one transaction if nothing has changed since `point`, as
    /// ``write(ifUnchangedSince:touching:author:fileID:line:_:)->_`` does, and throws what that
    /// throws.
    public func write(
        ifUnchangedSince point: some HistoryPoint, touching types: [ObjectBase.Type] = [],
        author: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        _ body: sending (WriteTransaction) throws -> Void
    ) async throws {
        let site = CallSite(fileID: fileID, line: line)
        try await perform(ifUnchangedSince: point._point, types, author, site, body)
    }

    private func perform<R: Sendable>(
        ifUnchangedSince point: WrittenPoint, _ types: [ObjectBase.Type], _ author: String?,
        _ site: CallSite, _ body: sending (WriteTransaction) throws -> R
    ) async throws -> R {
        try await reach(point)
        return try await perform(author, silencing: [], site) { tx in
            try tx.requireUnchanged(since: point, types)
            return try body(tx)
        }
    }

    /// Reads the commits of other hosts, if the point is ahead of this host.
    private func reach(_ point: WrittenPoint) async throws {
        guard store.open.isOnSharedLog, point.version > latestVersion else { return }
        try await store.catchUpWithHosts()
    }
}

extension WriteTransaction {
    /// Throws ``RealmError/writeConflict(_:)`` if anything has changed since `point`. Call it
    /// before the body.
    fileprivate func requireUnchanged(
        since point: WrittenPoint, _ types: [ObjectBase.Type]
    ) throws(RealmError) {
        let isOther =
            point.history.map { $0 != context.models.history.id } ?? false
            || point.snapshot.map { !$0.models.isOfSameStore(as: context.models) } ?? false
        if isOther {
            throw .invalidObject("The version is one of another realm than the one to write.")
        }
        let engine = context.engine
        let latest = Realm.Version(engine.tip)
        // A snapshot is compared in any case: one taken within a write has the version of its
        // commit, but lacks the later changes of that write.
        let isLatest =
            point.version == latest && point.life ?? engine.tipLife == engine.tipLife
        if isLatest, point.snapshot == nil { return }
        guard let snapshot = point.snapshot, let tree = context.tree else {
            throw .writeConflict(WriteConflict(since: point.version, latest: latest, classes: []))
        }
        var ids: Set<ClassID>?
        if !types.isEmpty {
            var wanted: Set<ClassID> = []
            for type in types { wanted.insert(try context.models.required(type).classID) }
            ids = wanted
        }
        let present = tree.capture(version: engine.tip)
        let differences = TreeDifference.between(snapshot.root, present)
        let classes = differences.filter { ids?.contains($0.key) ?? true }
            .map { changes($0, $1, present.schema[$0]) }.sorted { $0.className < $1.className }
        if classes.isEmpty { return }
        throw .writeConflict(
            WriteConflict(since: point.version, latest: latest, classes: classes))
    }

    private func changes(
        _ id: ClassID, _ difference: ClassDifference, _ stored: ClassSchema
    ) -> WriteConflict.ClassChanges {
        // Nil also for a class that others have added since the realm was opened.
        let model = context.models.binding(id)
        var columns = ColumnSet()
        for (_, changed) in difference.modified { columns.formUnion(changed) }
        let names = columns.columns.map { column in
            model?.property(column)?.name ?? stored.columns[column.rawValue].name
        }
        return WriteConflict.ClassChanges(
            className: stored.name, insertions: difference.inserted.count,
            deletions: difference.deleted.count, modifications: difference.modified.count,
            properties: names.filter { !$0.isEmpty }.sorted())
    }
}

import Storage

extension Realm {
    /// Makes the realm's objects those of an older version again, as a new commit, which reverts
    /// every later change. Streams are notified of exactly what it changes.
    ///
    ///     let before = realm.snapshot(label: "before the import")
    ///     try await importEverything()
    ///     try await realm.revert(to: before)
    ///
    /// Objects that were deleted since are created again with all their values and links, after all
    /// others: a primary key finds them, references from before do not. Nothing is written when
    /// nothing differs.
    ///
    /// - Parameters:
    ///   - snapshot: the version to go back to.
    ///   - author: a tag of the commit, which ``commits(since:)`` delivers with it.
    /// - Throws: ``RealmError/invalidObject(_:)`` for a snapshot of another realm, or one taken
    ///   before a migration; as ``write(author:silencing:fileID:line:_:)->_``.
    /// - Complexity: linear in what differs.
    public func revert(to snapshot: Snapshot, author: String? = nil) async throws {
        try await write(author: author) { tx in try tx.revert(to: snapshot) }
    }
}

extension WriteTransaction {
    /// Makes the objects those of an older version again, within this transaction, which reverts
    /// every later change, its own included. As ``Realm/revert(to:author:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` for a snapshot of another realm,
    ///   ``RealmError/notInWriteTransaction`` after ``cancel()``.
    public func revert(to snapshot: Snapshot) throws(RealmError) {
        _ = try context.writableGraph()
        guard let tree = context.tree, snapshot.models.isOfSameStore(as: context.models),
            snapshot.root.schema == tree.schema
        else {
            throw .invalidObject(
                "The snapshot is of another realm, or of another schema of this one. "
                    + "Revert to a snapshot of the realm as it is open.")
        }
        TreeReversal(tree, to: snapshot.root).run(version: context.engine.nextVersion)
        if let failure = snapshot.failure { throw failure }
        try tree.requireCommittable()
    }
}

import Storage

extension Realm {
    /// Reverts the realm's objects to those of an older version, in a new commit. Streams are
    /// notified of exactly the objects and properties that this changes.
    ///
    ///     let before = realm.snapshot(label: "before the import")
    ///     try await importEverything()
    ///     try await realm.revert(to: before)
    ///
    /// Objects that were deleted since are created again, at the end of their class, with all their
    /// values and links: a primary key finds them, older references do not. Nothing is written when
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
    /// Reverts the objects to those of an older version within this transaction, its own changes
    /// included. As ``Realm/revert(to:author:)``.
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

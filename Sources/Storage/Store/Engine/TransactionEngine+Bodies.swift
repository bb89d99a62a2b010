import Synchronization

/// What a body did becomes a commit of the group, or is taken back.
extension TransactionEngine {
    /// The version that the running body would make; it makes this one or none, and nobody else
    /// does.
    package var nextVersion: Version { withBody { $0.showVersion() } }

    /// The tree of the running body, which may be rolled back.
    package func captureBody() -> SnapshotRoot {
        withBody { tree.capture(version: $0.showVersion(), life: $0.life) }
    }

    /// A transaction begins.
    func noteBegin(_ group: inout OpenGroup) {
        group.bytesBefore = tree.account.addedBytes
        tree.account.clearRefusal()
        tree.armSpill()
    }

    /// Encodes what the running body changed as a commit of the group; nil when it changed nothing.
    /// When it throws, what the body changed has been taken back.
    ///
    /// `attachment` comes with the commit when it is published, and is not stored. A body that has
    /// brought a `schema` is a commit that is written as pages, whatever its size: nothing of what
    /// the schema did to the rows has to be done again by a replay. On a shared log, where commits
    /// are complete in their records, its record has the values.
    package func encodeCommit(
        author: String?, time: Double, attachment: (any Sendable)? = nil,
        schema: StoreSchema? = nil
    ) throws(StorageError) -> Version? {
        try withBody { group throws(StorageError) in
            do throws(StorageError) {
                return try encode(&group, author, time, attachment, schema)
            } catch {
                rollBackToBase(of: group)
                throw error
            }
        }
    }

    private func encode(
        _ group: inout OpenGroup, _ author: String?, _ time: Double,
        _ attachment: (any Sendable)?, _ schema: StoreSchema?
    ) throws(StorageError) -> Version? {
        let duplicate = tree.duplicateValues()
        let delta = tree.takeDelta()
        let account = tree.account
        // What could not be read may have been taken for nothing.
        if let failure = account.failure { throw .durabilityLost(cause: failure) }
        if let refusal = account.refusal { throw refusal }
        if let duplicate { throw .duplicateValues(duplicate) }
        if delta.isEmpty, schema == nil {
            if tree.spill != nil { rollBackToBase(of: group) }
            return nil
        }
        let version = group.bodyVersion
        let added = account.addedBytes - group.bytesBefore
        let isPageCommit =
            (schema != nil && makesPageCommits) || tree.spill != nil
            || isPageCommit(delta, added: added)
        if !isPageCommit { try checkSize(of: delta, added: added) }
        // A deletion that is to make room does not take more of it.
        let isLean = schema != nil || (delta.onlyDeletes && isRefusing)
        let wantsOldValues = !isLean && retention?.wantsOldValues ?? false
        let before = wantsOldValues ? group.before : nil
        try group.buffer.append(version: version) { (writer) throws(StorageError) in
            if isPageCommit {
                CommitRecord.encodeMarks(
                    delta, of: tree, author: author, schema: schema, time: time, into: &writer)
            } else {
                CommitRecord.encode(
                    delta, of: tree, before: before?.view, author: author, schema: schema,
                    time: time, into: &writer)
            }
            if let failure = account.failure { throw .durabilityLost(cause: failure) }
            if writer.count > account.recordBytesMax { throw .recordTooLarge(account) }
        }
        var root: SnapshotRoot?
        if isPageCommit || wantsOldValues || isSeenAlone({ delta.changedClasses }) {
            root = tree.capture(version: version, life: group.life)
        }
        let commit = CollectedCommit(
            version: version, author: author, attachment: attachment, delta: delta, root: root)
        group.append(commit, spill: tree.takeSpill(), hasTree: isPageCommit)
        noteBegin(&group)
        return version
    }

    /// Throws when the values that a commit would log are certainly more than a record holds,
    /// before any of them is copied.
    private func checkSize(of delta: Delta, added: Int) throws(StorageError) {
        let limit = tree.account.recordBytesMax
        guard added > limit / 2, RecordEstimate.exceeds(limit, delta, of: tree) else { return }
        throw .recordTooLarge(tree.account)
    }

    /// Takes back what the running body changed: goes back to where the group began, or to its last
    /// commit without values, and applies the commits from there to the body again, as recovery
    /// would.
    package func rollBack() {
        withBody { group in
            let isDirty =
                tree.hasChanges || tree.spill != nil || tree.account.failure != nil
                || tree.schema !== group.base.schema
            if isDirty { rollBackToBase(of: group) } else { _ = tree.takeDelta() }
        }
    }

    private func rollBackToBase(of group: borrowing OpenGroup) {
        tree.reset(to: group.base)
        if let spill = tree.takeSpill() {
            groups.withLock { $0.abandoned.append(spill) }
            removeAbandoned()
        }
        do {
            var records = group.recordsSinceBase
            while let record = try records.next() {
                try CommitRecord.apply(record.payload, to: tree)
            }
        } catch {
            precondition(
                tree.account.failure != nil,
                "Internal inconsistency: a record just encoded is \(error)")
        }
        _ = tree.takeDelta()
        // Then the commits before may lack something now, and must not be published.
        if let failure = tree.account.failure, !group.buffer.isEmpty { latch(failure) }
    }
}

extension StorageError {
    fileprivate static func recordTooLarge(_ account: NodeAccount) -> StorageError {
        .invalid(
            "A transaction writes more than the limit of \(account.recordBytesMax) bytes. Nothing"
                + " of it was kept; split it into several.")
    }
}

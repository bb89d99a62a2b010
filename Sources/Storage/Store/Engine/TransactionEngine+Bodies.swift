import Synchronization

/// The end of a body: its changes become a commit of the group, or are rolled back.
extension TransactionEngine {
    /// The version that the running body would make: no other commit gets it from then on.
    package var nextVersion: Version { withBody { $0.discloseVersion() } }

    /// The tree of the running body, which may be rolled back.
    package func captureBody() -> SnapshotRoot {
        withBody { tree.capture(version: $0.discloseVersion(), life: $0.life) }
    }

    /// A transaction begins.
    func noteBegin(_ group: inout OpenGroup) {
        group.bytesBefore = tree.account.addedBytes
        tree.account.clearRefusal()
        tree.armSpill()
    }

    /// Encodes the changes of the running body as a commit of the group; nil if there are none. If
    /// it throws, they were rolled back.
    ///
    /// `attachment` is published with the commit, and not stored. A body with a new `schema`
    /// becomes a page commit, whatever its size, so that replay need not repeat its effects on the
    /// rows. On a shared log, where each record has the whole commit, its record has the values.
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
        // A failed read may have been treated as empty.
        if let failure = account.failure { throw .durabilityLost(cause: failure) }
        if let refusal = account.refusal ?? tree.spill?.refusal { throw refusal }
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
        let wantsOldValues = schema == nil && logsOldValues(of: delta)
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

    /// Whether the record of a commit without a new schema has old values.
    ///
    /// A deletion on a full disk is encoded without them; on a shared log only its copy in the
    /// folder lacks them, since the other hosts read the record.
    private func logsOldValues(of delta: Delta) -> Bool {
        let isShared = log.isOnSharedLog
        if isRefusing, !isShared, delta.onlyDeletes { return false }
        return retention?.wantsOldValues(onSharedLog: isShared) ?? false
    }

    /// Throws if the values of a commit certainly exceed the size limit of a record, before any of
    /// them is copied.
    private func checkSize(of delta: Delta, added: Int) throws(StorageError) {
        let limit = tree.account.recordBytesMax
        guard added > limit / 2, RecordEstimate.exceeds(limit, delta, of: tree) else { return }
        throw .recordTooLarge(tree.account)
    }

    /// Rolls back the changes of the running body: resets the tree to the base of the group, and
    /// applies the later commits of the group again, as recovery would.
    package func rollBack() {
        withBody { group in
            let isDirty =
                tree.hasChanges || tree.spill != nil || tree.account.failure != nil
                || tree.schema !== group.base.schema
            if isDirty { rollBackToBase(of: group) } else { _ = tree.takeDelta() }
        }
    }

    private func rollBackToBase(of group: borrowing OpenGroup) {
        let added = tree.account.addedBytes - group.bytesBefore
        // A step of a compaction that failed to read is not in the base.
        tree.reset(to: group.base, keepsRelocated: tree.account.failure == nil)
        var refusal: StorageError?
        // In its own scope: the last file of the spill is open, and keeps its space, until it ends.
        if let spill = tree.takeSpill() {
            refusal = spill.failure
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
        // The earlier commits of the group may be incomplete now, and must not be published.
        if let failure = tree.account.failure, !group.buffer.isEmpty { latch(failure) }
        if let refusal { spillingFailed(refusal, of: added) }
    }
}

extension StorageError {
    fileprivate static func recordTooLarge(_ account: NodeAccount) -> StorageError {
        .invalid(
            "A transaction writes more than the limit of \(account.recordBytesMax) bytes, and was "
                + "rolled back. Split it into several.")
    }
}

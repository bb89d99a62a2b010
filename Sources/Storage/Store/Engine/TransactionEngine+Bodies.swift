import Synchronization

/// What a body did becomes a commit of the group, or is taken back.
extension TransactionEngine {
    /// The version that the running body would make; it makes this one or none, and nobody else
    /// does.
    package var nextVersion: Version {
        shown = max(shown, bodyVersion)
        return bodyVersion
    }

    /// The tree of the running body, which may be rolled back.
    package func captureBody() -> SnapshotRoot {
        tree.capture(version: nextVersion, life: life)
    }

    /// The body has made its version; what it does from here on would make another.
    func endVersion() { bodyVersion = max(bodyVersion, shown).next }

    /// A transaction begins.
    func noteBegin() {
        bytesBefore = tree.account.addedBytes
        tree.account.clearRefusal()
        tree.armSpill()
    }

    /// Encodes what the running body changed as a commit of the group; nil when it changed nothing.
    /// When it throws, what the body changed has been taken back.
    ///
    /// `attachment` comes with the commit when it is published, and is not stored. A body that has
    /// brought a `schema` is a commit that is written as pages, whatever its size: nothing of what
    /// the schema did to the rows has to be done again by a replay.
    package func encodeCommit(
        author: String?, time: Double, attachment: (any Sendable)? = nil,
        schema: StoreSchema? = nil
    ) throws(StorageError) -> Version? {
        do throws(StorageError) {
            return try encode(author, time, attachment, schema)
        } catch {
            rollBackToBase()
            throw error
        }
    }

    private func encode(
        _ author: String?, _ time: Double, _ attachment: (any Sendable)?, _ schema: StoreSchema?
    ) throws(StorageError) -> Version? {
        let delta = tree.takeDelta()
        let account = tree.account
        // What could not be read may have been taken for nothing.
        if let failure = account.failure { throw .durabilityLost(cause: failure) }
        if let refusal = account.refusal { throw refusal }
        if delta.isEmpty, schema == nil {
            if tree.spill != nil { rollBackToBase() }
            return nil
        }
        let version = bodyVersion
        let isPageCommit =
            schema != nil || tree.spill != nil
            || isPageCommit(delta, added: account.addedBytes - bytesBefore)
        if !isPageCommit { try checkSize(of: delta, added: account.addedBytes - bytesBefore) }
        // A deletion that is to make room does not take more of it.
        let isLean = schema != nil || (delta.onlyDeletes && isRefusing)
        let wantsOldValues = !isLean && retention?.wantsOldValues ?? false
        let before = wantsOldValues ? self.before : nil
        try collecting.append(version: version) { (writer) throws(StorageError) in
            if isPageCommit {
                CommitRecord.encodeMarks(
                    delta, of: tree, author: author, schema: schema, time: time, into: &writer)
            } else {
                CommitRecord.encode(
                    delta, of: tree, before: before?.view, author: author, schema: nil,
                    time: time, into: &writer)
            }
            if let failure = account.failure { throw .durabilityLost(cause: failure) }
            if writer.count > account.recordBytesMax { throw .recordTooLarge(account) }
        }
        if let spill = tree.takeSpill() { spills.append(spill) }
        if !delta.onlyDeletes { collecting.onlyDeletes = false }
        var root: SnapshotRoot?
        if isPageCommit || wantsOldValues || isSeenAlone({ delta.changedClasses }) {
            root = tree.capture(version: version, life: life)
        }
        last = root
        commits.append(
            CollectedCommit(
                version: version, author: author, attachment: attachment, delta: delta,
                root: root))
        tip = version
        tipLife = life
        endVersion()
        if isPageCommit, let root {
            collecting.needsTree = true
            // Its record has nothing to apply again.
            base = root
            baseMark = collecting.mark
        }
        noteBegin()
        return version
    }

    /// Throws when the values that a commit would log are certainly more than a record holds,
    /// before any of them is copied.
    private func checkSize(of delta: Delta, added: Int) throws(StorageError) {
        let limit = tree.account.recordBytesMax
        guard added > limit / 2, RecordEstimate.exceeds(limit, delta, of: tree) else { return }
        throw .recordTooLarge(tree.account)
    }

    /// The version that the running body began with; nil when it is one within a group that nobody
    /// had asked for when it was made.
    private var before: SnapshotRoot? {
        if base.version == tip { return base }
        return last?.version == tip ? last : nil
    }

    /// Takes back what the running body changed: goes back to where the group began, or to its last
    /// commit without values, and applies the commits from there to the body again, as recovery
    /// would.
    package func rollBack() {
        let isDirty =
            tree.hasChanges || tree.spill != nil || tree.account.failure != nil
            || tree.schema !== base.schema
        if !isDirty { return _ = tree.takeDelta() }
        rollBackToBase()
    }

    private func rollBackToBase() {
        tree.reset(to: base)
        if let spill = tree.takeSpill() {
            groups.withLock { _ in abandoned.append(spill) }
            removeAbandoned()
        }
        do {
            var records = GroupRecords(collecting.payload(since: baseMark))
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
        if let failure = tree.account.failure, collecting.recordCount > 0 { latch(failure) }
    }
}

extension StorageError {
    fileprivate static func recordTooLarge(_ account: NodeAccount) -> StorageError {
        .invalid(
            "A transaction writes more than the limit of \(account.recordBytesMax) bytes. Nothing"
                + " of it was kept; split it into several.")
    }
}

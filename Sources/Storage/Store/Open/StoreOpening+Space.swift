/// Openings that have to write on a full disk: there is no engine yet that frees space.
extension StoreOpening.State {
    /// Frees space if there is none for `group` in `log`, which contains the whole tree. If there
    /// still is none, appending the group throws.
    mutating func makeRoom(for group: CommitGroupBuffer, in log: Log) throws(StorageError) {
        do throws(StorageError) {
            return try log.claimSpace(for: group)
        } catch .outOfSpace {}
        try makeRoom(in: log)
    }

    /// Writes a checkpoint, if there is space for one: a small disk may be full of log that it
    /// makes obsolete. Between commits that are all in `log`.
    mutating func makeRoom(in log: Log) throws(StorageError) {
        guard log.bytesToReplay > log.options.segmentSizeMin, let end = log.end else { return }
        do throws(StorageError) {
            return try checkpoint(endingAt: end, in: log, .space)
        } catch .outOfSpace {}
        guard canSpendReserve(of: log) else { return }
        log.releaseSpace()
        defer { try? log.reserve.refill() }
        do throws(StorageError) {
            try checkpoint(endingAt: end, in: log, .space)
        } catch .outOfSpace {}
    }

    /// Commits a schema, to which the tree was adapted already; `before` is the version at the end
    /// of the log. Without space for it, a checkpoint may free some.
    mutating func commit(
        _ schema: StoreSchema, behind before: SnapshotRoot, to log: Log
    ) throws(StorageError) {
        do throws(StorageError) {
            return try StoreOpening.commit(schema, of: tree, version, to: log)
        } catch .outOfSpace {}
        let next = version
        tree.reset(to: before)
        version = before.version
        try makeRoom(in: log)
        tree.adapt(to: schema)
        if let failure = tree.account.failure { throw failure }
        version = next
        try StoreOpening.commit(schema, of: tree, version, to: log)
    }

    /// Whether the reserved space suffices for a checkpoint, and afterwards still to delete
    /// everything.
    private func canSpendReserve(of log: Log) -> Bool {
        let root = tree.capture(version: version, life: log.lastLife)
        let need = SpaceNeed.checkpoint(of: root, contents, overhead: pages.overhead)
        return SpaceNeed.isCovered(
            need, by: log, classes: root.schema.classes.count, live: contents.live)
    }
}

import Synchronization

extension Checkpointer {
    /// Closes the segments that no snapshot needs any more; false if there were none. Unlinked ones
    /// keep their space until then.
    @discardableResult
    func closeRetired(_ account: NodeAccount) -> Bool {
        let closable = pages.retired.withLock { $0.takeClosable(account) }
        if !closable.isEmpty { pages.close(closable) }
        // The files close outside the lock.
        let former = pages.former.withLock { $0.takeClosable(account) }
        return withExtendedLifetime(former) { !closable.isEmpty || !former.isEmpty }
    }

    /// Allocated bytes of segments that were unlinked and stay open for snapshots.
    var unlinkedBytes: Int {
        let indexes = pages.retired.withLock { $0.indexes }
        if indexes.isEmpty { return 0 }
        let linked = Set((try? pages.list()) ?? [])
        return pages.allocatedBytes(of: indexes.filter { !linked.contains($0) })
    }

    /// Keeps segments open for older snapshots that a tree, captured as `made`, does not use, and
    /// that other processes may have removed.
    func retireUnused(by contents: Contents, capturedAt made: UInt64) {
        let unused = pages.openIndexes.filter { index in
            !contents.uses(index) && contents.segments.last?.key != index
        }
        pages.retired.withLock { retired in
            for index in unused { retired.add(index, before: made) }
        }
        pages.keepOpen(unused)
    }

    /// Called when this process begins to write, or to follow, in a reopened store: files that are
    /// still open are for snapshots from before.
    func retireFormer(_ account: NodeAccount) {
        retireUnused(by: contents, capturedAt: account.nextCapture)
        closeRetired(account)
    }

    /// Opens the segments that the tree, or a snapshot, needs. Continues after failures, and throws
    /// the first of them.
    func openAll(_ account: NodeAccount) throws(StorageError) {
        let contents = contents
        let capture = account.nextCapture
        var failure: StorageError?
        for segment in contents.segments.values
        where segment.live > 0 || isNeeded(segment.index, before: capture, account) {
            do throws(StorageError) {
                _ = try pages.file(segment.index)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Opens all segments that snapshots may refer to: after this store's lock is released, another
    /// process may remove them. A failure is reported to their readers.
    func keepReadable(_ account: NodeAccount) {
        exclusively {
            pages.mayReopen(false)
            try? openAll(account)
        }
    }

    /// Closes the files of rolled back transactions after the newest tree: the next writer may
    /// create others with their numbers. If a caller has frozen a snapshot of such a transaction,
    /// they stay open, without their numbers.
    func closeUninstalled(_ account: NodeAccount) {
        let last = contents.segments.last?.key
        let isUnknown = { (index: PageIndex) in last.map { index > $0 } ?? true }
        let capture = account.nextCapture
        let (spills, gone) = (pages.spills, pages.retired.withLock { $0.indexes })
        for index in spills.union(gone).filter(isUnknown) {
            let captures = pages.retired.withLock { $0.captures(of: index, before: capture) }
            guard account.holdsCapture(in: captures), let open = try? pages.file(index) else {
                continue
            }
            pages.former.withLock { $0.add(index, open, for: captures) }
        }
        pages.endSpills()
        let unknown = pages.openIndexes.filter(isUnknown)
        pages.retired.withLock { $0.forget(unknown) }
        pages.close(unknown)
    }
}

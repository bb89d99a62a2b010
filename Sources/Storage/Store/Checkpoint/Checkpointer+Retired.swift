import Synchronization

extension Checkpointer {
    /// Closes the segments that no snapshot needs any more; false when there were none. What was
    /// removed of them has its space until then.
    @discardableResult
    func closeRetired(_ account: NodeAccount) -> Bool {
        let closable = pages.retired.withLock { $0.takeClosable(account) }
        if !closable.isEmpty { pages.close(closable) }
        // The files close outside the lock.
        let former = pages.former.withLock { $0.takeClosable(account) }
        return withExtendedLifetime(former) { !closable.isEmpty || !former.isEmpty }
    }

    /// Bytes of disk that segments take which were unlinked, and are open for versions that are
    /// held.
    var unlinkedBytes: Int {
        let indexes = pages.retired.withLock { $0.indexes }
        if indexes.isEmpty { return 0 }
        let linked = Set((try? pages.list()) ?? [])
        return pages.allocatedBytes(of: indexes.filter { !linked.contains($0) })
    }

    /// Keeps open for older versions what a tree, captured as `made`, does not use, and other
    /// processes may have removed.
    func retireUnused(by contents: Contents, capturedAt made: UInt64) {
        let unused = pages.openIndexes.filter { index in
            !contents.uses(index) && contents.segments.last?.key != index
        }
        pages.retired.withLock { retired in
            for index in unused { retired.add(index, before: made) }
        }
        pages.keepOpen(unused)
    }

    /// Begins to write, or to follow, in a store that was open in this process before: what is
    /// still open from then on is for versions that are held.
    func retireFormer(_ account: NodeAccount) {
        retireUnused(by: contents, capturedAt: account.nextCapture)
        closeRetired(account)
    }

    /// Opens what the tree uses, and what versions need that are held. Goes on behind what cannot
    /// be opened, and throws why that is.
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

    /// Opens all that versions which are held may lead to: when this store's lock is released,
    /// another process may remove it. What cannot be opened fails for its reader.
    func keepReadable(_ account: NodeAccount) {
        exclusively {
            pages.mayReopen(false)
            try? openAll(account)
        }
    }

    /// Closes the files beyond the newest tree that were made for what was rolled back: the next
    /// writer may make others under their numbers. Where a caller has frozen a version of that,
    /// they are not given up, but have no number any more.
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

import Synchronization

/// Writes trees to the page files and accounts for the bytes in use.
///
/// One tree is written at a time. It takes effect once it is installed, after the log or the
/// superblock durably refers to it; until then a failure only leaves unused bytes.
package final class Checkpointer: Sendable {
    /// The contents of the page files for the newest installed tree.
    struct Contents: Sendable {
        var root: NodePlace?
        var version = Version.zero
        var contents: NodePlace?
        var segments = SortedTable<PageIndex, PageSegment>()

        /// Bytes of the segments that the tree uses.
        var live: Int { segments.values.reduce(0) { $0 + $1.live } }
        var length: Int { segments.values.reduce(0) { $0 + $1.length } }

        /// Whether the tree, or its contents record, uses a segment.
        func uses(_ index: PageIndex) -> Bool {
            guard let segment = segments[index] else { return false }
            return segment.live > 0 || index == contents?.address.segment
        }
    }

    /// A tree that is durable in the page files, but not referred to yet.
    struct WrittenTree: ~Copyable {
        let root: NodePlace
        let contents: NodePlace
        fileprivate let account: Contents
        fileprivate let nodes: [TreeWriter.Written]
        fileprivate let spills: [Spill]
        /// Retains the nodes.
        fileprivate let snapshot: SnapshotRoot
    }

    let pages: PageStore
    private let current: Mutex<Contents>
    private let turn = Mutex(())
    /// The newest segment, if nothing more is to be written to it.
    private let endedTail = Mutex<PageIndex?>(nil)
    /// Counts the writer leases of this process. A file that was created under a lease may belong
    /// to another process once that lease has ended.
    private let lease = Mutex<UInt64>(0)
    private let adopted = Atomic<Int>(0)

    init(pages: PageStore, contents: Contents) {
        self.pages = pages
        current = Mutex(contents)
        pages.reserve(below: contents.segments.last?.key.next ?? .first)
        pages.endSpills()
    }

    /// The contents of the page files.
    var contents: Contents { current.withLock { $0 } }

    /// How often this process has switched to a tree that another one has written.
    var adoptions: Int { adopted.load(ordering: .acquiring) }

    /// The target size of a segment, given the contents of the page files and the bytes in memory
    /// that may be added: about an eighth of a small store, a sixteenth of a large one.
    func segmentSize(_ contents: Contents, inMemory bytes: Int = 0) -> Int {
        segmentSize(holding: max(contents.live, min(bytes, 16 * pages.segmentSizeGrown)))
    }

    private func segmentSize(holding live: Int) -> Int {
        let size = max(live / 16, min(live / 8, pages.segmentSizeGrown))
        return min(max(size, pages.segmentSizeMin), 64 << 20)
    }

    /// Whether a tree is being written.
    var isBusy: Bool { turn.withLockIfAvailable { _ in } == nil }

    /// Calls `body` while no other tree is written.
    func exclusively<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
        try turn.withLock { _ throws(E) in try body() }
    }

    /// Durably writes the nodes of `snapshot` that the page files lack. The caller is in
    /// ``exclusively(_:)``.
    ///
    /// `spills` are the durable spills of its transactions. With `apart`, it uses new segments, so
    /// that a shortage leaves no unused bytes in existing ones. With `isContended` it throttles its
    /// writes, see ``PageWriter``. `pace` is called repeatedly with the number of bytes written.
    func write(
        _ snapshot: SnapshotRoot, spills: [Spill] = [], apart: Bool = false,
        isContended: (() -> Bool)? = nil,
        pace: @escaping (Int) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> WrittenTree {
        let before = contents
        var tail = apart ? nil : before.segments.last?.value
        if let index = tail?.index, endedTail.withLock({ $0 }) == index { tail = nil }
        let size = segmentSize(before, inMemory: snapshot.account.byteCount)
        let pageWriter = try PageWriter(
            store: pages, tail: tail, segmentSize: size, isContended: isContended)
        var writer = TreeWriter(pages: pageWriter, pace: pace)
        // The new images are read only through snapshots that are captured from here on: earlier
        // ones have the nodes in memory, or elsewhere on disk.
        let capture = snapshot.account.nextCapture
        do throws(StorageError) {
            let written = try write(snapshot, before, spills, &writer)
            let segments = Array(writer.pages.segments.keys)
            pages.retired.withLock { retired in
                for index in segments where before.segments[index] == nil {
                    retired.noteMade(index, at: capture)
                }
            }
            for spill in spills { noteMade(spill) }
            return written
        } catch {
            writer.pages.abandon()
            if case .outOfSpace = error.claimingSpace { cutTail() }
            throw error
        }
    }

    private func write(
        _ snapshot: SnapshotRoot, _ before: Contents, _ spills: [Spill], _ writer: inout TreeWriter
    ) throws(StorageError) -> WrittenTree {
        let root = try writer.write(snapshot.root)
        var after = Contents(
            root: root, version: snapshot.version, segments: before.segments)
        after.add(writer.pages.segments)
        var kept = writer.kept
        if !spills.isEmpty {
            var spilled = SpilledNodes(spills, pages: pages, account: snapshot.account)
            try spilled.count(snapshot.root)
            for segment in spilled.segments { after.segments[segment.index] = segment }
            kept.formUnion(spilled.kept)
        }
        if let old = before.root, old.address != root.address {
            var dead = DeadNodes(pages: pages, account: snapshot.account)
            try dead.count(below: old, except: kept)
            for (index, bytes) in dead.bytes { after.segments[index]?.live -= bytes }
        }
        let contents = try finish(&writer, &after, snapshot)
        return WrittenTree(
            root: root, contents: contents, account: after, nodes: writer.written,
            spills: spills, snapshot: snapshot)
    }

    /// Durably writes the tree of a version of another store, which replaces all contents of the
    /// page files. `pace` is called repeatedly with the number of bytes written.
    func writeCopy(
        of snapshot: SnapshotRoot, pace: @escaping (Int) throws(StorageError) -> Void
    ) throws(StorageError) -> (root: NodePlace, contents: NodePlace) {
        let before = contents
        // All of it is written, including nodes that are not in memory.
        let account = snapshot.account
        let size = segmentSize(holding: max(account.byteCount, account.budget.storedBytes))
        let pageWriter = try PageWriter(store: pages, tail: nil, segmentSize: size)
        var writer = TreeWriter(pages: pageWriter, pace: pace)
        let root = try writer.copy(snapshot)
        var after = Contents(root: root, version: snapshot.version, segments: before.segments)
        for index in before.segments.keys { after.segments[index]?.live = 0 }
        after.add(writer.pages.segments)
        return (root, try finish(&writer, &after, snapshot))
    }

    /// Writes the contents record of a written tree, and makes everything durable.
    private func finish(
        _ writer: inout TreeWriter, _ account: inout Contents, _ snapshot: SnapshotRoot
    ) throws(StorageError) -> NodePlace {
        let described = CheckpointContents(
            schema: snapshot.schema, segments: account.segments.values)
        let contents = try writer.append(described.encode(), snapshot.account)
        account.contents = contents
        let end = contents.address.offset + Int(contents.length)
        let index = contents.address.segment
        account.segments[index, default: PageSegment(index: index, length: 0, live: 0)]
            .length = end
        try writer.pages.finish()
        return contents
    }

    /// Ends the newest segment if it is one of `victims`.
    func retireTail(in victims: Set<PageIndex>) {
        guard let tail = contents.segments.last?.key, victims.contains(tail) else { return }
        endedTail.withLock { $0 = tail }
    }

    /// Installs a written tree: from here on its nodes are clean.
    func install(_ tree: consuming WrittenTree) {
        for entry in tree.nodes { entry.node.setPlace(entry.place, used: entry.used) }
        let account = tree.account
        current.withLock { $0 = account }
        tree.snapshot.account.budget.noteStored(account.live)
        for spill in tree.spills { pages.endSpill(spill.segments.map(\.index)) }
    }

    /// Removes a written tree that nothing refers to, because the reference lacked space. The
    /// caller is in ``exclusively(_:)``.
    func discard(_ tree: consuming WrittenTree) {
        let known = contents.segments
        let spilled = Set(tree.spills.flatMap { $0.segments.map(\.index) })
        let made = tree.account.segments.values.map(\.index)
            .filter { known[$0] == nil && !spilled.contains($0) }
        // A file that cannot be removed is not used by any tree, and is retried later.
        for index in made { try? pages.fileSystem.remove(pages.path(index)) }
        pages.retired.withLock { $0.forget(made) }
        pages.close(made)
        pages.makeRemovalsDurable()
        cutTail()
    }

    /// Truncates the newest segment after its used bytes: the rest was left by a tree that lacked
    /// space, or by a crash.
    private func cutTail() {
        guard let tail = contents.segments.last?.value else { return }
        // Bytes that cannot be truncated are overwritten by the next tree.
        do throws(StorageError) {
            guard try pages.file(tail.index).file.size().length > tail.length else { return }
            let file = try pages.reopen(tail.index).file
            try file.truncate(to: tail.length)
            // So that it does not reappear after a crash.
            try file.sync()
        } catch {}
    }

    /// Removes files that no tree uses, which a crash has left; false if there are none. The caller
    /// is in ``exclusively(_:)``.
    @discardableResult
    func removeUnknown() -> Bool {
        cutTail()
        let known = contents.segments
        let unknown = ((try? pages.list()) ?? [])
            .filter { known[$0] == nil && !pages.isSpill($0) && !isRetired($0) }
        if unknown.isEmpty { return false }
        // The next checkpoint retries files that cannot be removed.
        let removed = unknown.filter { (try? pages.remove($0)) == true }
        pages.makeRemovalsDurable()
        return !removed.isEmpty
    }

    /// The number of the current writer lease.
    var currentLease: UInt64 { lease.withLock { $0 } }

    /// Another process may write from here on: files that this one still has to remove are left to
    /// it.
    func endLease() { lease.withLock { $0 += 1 } }

    /// Removes the spill of a transaction that will not be committed, unless its writer lease has
    /// ended: by then another process removes the files, or has files of its own with the same
    /// numbers.
    func abandon(_ spill: Spill, account: NodeAccount) {
        lease.withLock { if $0 == spill.lease { remove(spill, account) } }
    }

    private func remove(_ spill: Spill, _ account: NodeAccount) {
        let indexes = spill.segments.map(\.index)
        noteMade(spill)
        let capture = account.nextCapture
        // A file that cannot be removed is not used by any tree, and is retried later.
        for index in indexes where staysReadable(index, before: capture, account) {
            _ = try? pages.remove(index)
        }
        pages.retired.withLock { retired in
            for index in indexes { retired.add(index, before: capture) }
        }
        pages.endSpill(indexes)
        closeRetired(account)
    }

    /// Keeps a file open for snapshots that may refer to it, including frozen ones of a rolled back
    /// transaction. False if it cannot be opened, perhaps for lack of descriptors, and must not be
    /// removed yet.
    private func staysReadable(
        _ index: PageIndex, before capture: UInt64, _ account: NodeAccount
    ) -> Bool {
        !isNeeded(index, before: capture, account)
            || (try? pages.file(index, isKept: true)) != nil
    }

    /// Whether no tree uses a written segment any more.
    private func isRetired(_ index: PageIndex) -> Bool {
        pages.retired.withLock { $0.indexes.contains(index) }
    }

    private func noteMade(_ spill: Spill) {
        let indexes = spill.segments.map(\.index)
        pages.retired.withLock { retired in
            for index in indexes { retired.noteMade(index, at: spill.madeAt) }
        }
    }

    /// Removes the segments that the newest tree, captured as `capture`, does not use, and unknown
    /// files. They stay open for snapshots that need them. The caller is in ``exclusively(_:)``,
    /// and the reference to the newest tree is durable.
    func removeUnused(capture: UInt64, account: NodeAccount) throws(StorageError) {
        closeRetired(account)
        let contents = contents
        let tail = contents.segments.last?.key
        var removed: [PageIndex] = []
        let listed = Set(try pages.list())
        for index in listed.sorted() {
            if contents.uses(index) || index == tail { continue }
            let isKnown = contents.segments[index] != nil
            if !isKnown, pages.isSpill(index) { continue }
            if isKnown || isRetired(index), !staysReadable(index, before: capture, account) {
                continue
            }
            // A rolled back transaction may have removed its own meanwhile.
            if try pages.remove(index) || isKnown { removed.append(index) }
        }
        // The contents record was written before the emptied segments were removed.
        let gone = contents.segments.values.map(\.index).filter { index in
            !contents.uses(index) && index != tail && !listed.contains(index)
        }
        pages.keepOpen(gone.filter { isNeeded($0, before: capture, account) })
        removed += gone
        if removed.isEmpty { return }
        try pages.fileSystem.syncDirectory(pages.directory)
        current.withLock { current in
            for index in removed { current.segments[index] = nil }
        }
        pages.retired.withLock { retired in
            for index in removed { retired.add(index, before: capture) }
        }
        // An open file would keep its space.
        closeRetired(account)
    }

    /// Whether a snapshot may refer to a node in `index`, or a ``PageHold`` retains it.
    func isNeeded(
        _ index: PageIndex, before capture: UInt64, _ account: NodeAccount
    ) -> Bool {
        let (isHeld, captures) = pages.retired.withLock {
            ($0.isHeld(index), $0.captures(of: index, before: capture))
        }
        return isHeld || account.holdsCapture(in: captures)
    }
}

extension Checkpointer {
    /// Switches to the tree of another process, captured as `made`, whose segments are open.
    /// Segments that only older snapshots need are closed when the last of these is released.
    func adopt(_ contents: Contents, capturedAt made: UInt64, account: NodeAccount) {
        adopted.wrappingAdd(1, ordering: .releasing)
        closeRetired(account)
        let known = self.contents
        pages.retired.withLock { retired in
            for segment in contents.segments.keys where known.segments[segment] == nil {
                retired.noteMade(segment, at: made)
            }
        }
        retireUnused(by: contents, capturedAt: made)
        endedTail.withLock { $0 = nil }
        current.withLock { $0 = contents }
        pages.reserve(below: contents.segments.last?.key.next ?? .first)
        account.budget.noteStored(contents.live)
    }
}

extension Checkpointer.Contents {
    /// The contents according to an opened checkpoint. Its contents record, which was written last,
    /// is not included in its own accounting.
    init(_ record: CheckpointRecord, _ described: CheckpointContents) {
        root = record.root
        version = record.version
        contents = record.contents
        for segment in described.segments { segments[segment.index] = segment }
        let index = record.contents.address.segment
        let end = record.contents.address.offset + Int(record.contents.length)
        segments[index, default: PageSegment(index: index, length: 0, live: 0)].length = end
    }

    fileprivate mutating func add(_ written: [PageIndex: (length: Int, written: Int)]) {
        for (index, entry) in written {
            var segment = segments[index] ?? PageSegment(index: index, length: 0, live: 0)
            segment.length = entry.length
            segment.live += entry.written
            segments[index] = segment
        }
    }
}

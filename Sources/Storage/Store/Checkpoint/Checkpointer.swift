import Synchronization

/// Writes trees to the page files and keeps account of what of them is in use.
///
/// One tree is written at a time. What it wrote counts only once it is installed, which happens
/// when the log or the superblock refers to it durably; until then a failure leaves nothing but
/// unused bytes.
package final class Checkpointer: Sendable {
    /// What the page files hold for the newest tree that was written.
    struct Contents: Sendable {
        var root: NodePlace?
        var version = Version.zero
        var contents: NodePlace?
        var segments = SortedTable<PageIndex, PageSegment>()

        /// Bytes that the tree uses, of those that the segments hold.
        var live: Int { segments.values.reduce(0) { $0 + $1.live } }
        var length: Int { segments.values.reduce(0) { $0 + $1.length } }

        /// Whether the tree, or what describes it, stands in a segment.
        func uses(_ index: PageIndex) -> Bool {
            guard let segment = segments[index] else { return false }
            return segment.live > 0 || index == contents?.address.segment
        }
    }

    /// A tree that is durable in the page files, and that nothing refers to yet.
    struct WrittenTree: ~Copyable {
        let root: NodePlace
        let contents: NodePlace
        fileprivate let account: Contents
        fileprivate let nodes: [TreeWriter.Written]
        fileprivate let spills: [Spill]
        /// Holds the nodes.
        fileprivate let snapshot: SnapshotRoot
    }

    let pages: PageStore
    private let current: Mutex<Contents>
    private let turn = Mutex(())
    /// The newest segment, once nothing more is to be written there.
    private let endedTail = Mutex<PageIndex?>(nil)
    /// Counts the writer leases that this process has had. A file that one of them made may be
    /// another process's once that lease has ended.
    private let lease = Mutex<UInt64>(0)
    private let adopted = Atomic<Int>(0)

    init(pages: PageStore, contents: Contents) {
        self.pages = pages
        current = Mutex(contents)
        pages.reserve(below: contents.segments.last?.key.next ?? .first)
        pages.endSpills()
    }

    /// What the page files hold.
    var contents: Contents { current.withLock { $0 } }

    /// How often this process went on from a tree that another one had written.
    var adoptions: Int { adopted.load(ordering: .acquiring) }

    /// What a segment grows to, given what the page files hold, and how many bytes are in memory
    /// that may come to it: about an eighth of a small store, a sixteenth of a large one.
    func segmentSize(_ contents: Contents, inMemory bytes: Int = 0) -> Int {
        segmentSize(holding: max(contents.live, min(bytes, 16 * pages.segmentSizeGrown)))
    }

    private func segmentSize(holding live: Int) -> Int {
        let size = max(live / 16, min(live / 8, pages.segmentSizeGrown))
        return min(max(size, pages.segmentSizeMin), 64 << 20)
    }

    /// Whether a tree is being written just now.
    var isBusy: Bool { turn.withLockIfAvailable { _ in } == nil }

    /// Calls `body` while no other tree is written.
    func exclusively<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
        try turn.withLock { _ throws(E) in try body() }
    }

    /// Writes what is missing of `snapshot`'s tree, durably. The caller is in ``exclusively(_:)``.
    ///
    /// `spills` is what its transactions have written already, durably. Written `apart`, it leaves
    /// no bytes in the segments before when there is no space for it. With `isContended` it goes
    /// easy on the disk, see ``PageWriter``. `pace` is called now and then with how many bytes were
    /// written.
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
        // What is written now is read by way of versions alone that are captured from here on:
        // those that are held have it in memory, or elsewhere on disk.
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

    /// Writes the tree of a version of another store, durably. From then on nothing else in the
    /// page files counts. `pace` is called now and then with how many bytes were written.
    func writeCopy(
        of snapshot: SnapshotRoot, pace: @escaping (Int) throws(StorageError) -> Void
    ) throws(StorageError) -> (root: NodePlace, contents: NodePlace) {
        let before = contents
        // All of it is written, also what nobody has read into memory.
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

    /// Writes what describes a written tree, and makes everything durable.
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

    /// Writes nothing more to the newest segment when it is one of `victims`.
    func retireTail(in victims: Set<PageIndex>) {
        guard let tail = contents.segments.last?.key, victims.contains(tail) else { return }
        endedTail.withLock { $0 = tail }
    }

    /// Makes a written tree the newest: from here on its nodes are clean.
    func install(_ tree: consuming WrittenTree) {
        for entry in tree.nodes { entry.node.setPlace(entry.place, used: entry.used) }
        let account = tree.account
        current.withLock { $0 = account }
        tree.snapshot.account.budget.noteStored(account.live)
        for spill in tree.spills { pages.endSpill(spill.segments.map(\.index)) }
    }

    /// Removes what was written for a tree that nothing refers to, because there was no space for
    /// the reference. The caller is in ``exclusively(_:)``.
    func discard(_ tree: consuming WrittenTree) {
        let known = contents.segments
        let spilled = Set(tree.spills.flatMap { $0.segments.map(\.index) })
        let made = tree.account.segments.values.map(\.index)
            .filter { known[$0] == nil && !spilled.contains($0) }
        // What cannot be removed no tree knows of, and the next checkpoint tries again.
        for index in made { try? pages.fileSystem.remove(pages.path(index)) }
        pages.retired.withLock { $0.forget(made) }
        pages.close(made)
        pages.makeRemovalsLast()
        cutTail()
    }

    /// Gives back what stands in the newest segment behind all that counts: a tree that there was
    /// no space for, or an end without warning, has left it.
    private func cutTail() {
        guard let tail = contents.segments.last?.value else { return }
        // What cannot be cut off the next tree is written over.
        do throws(StorageError) {
            guard try pages.file(tail.index).file.size().length > tail.length else { return }
            let file = try pages.reopen(tail.index).file
            try file.truncate(to: tail.length)
            // It does not come back with a crash either.
            try file.sync()
        } catch {}
    }

    /// Removes what no tree knows, which an end without warning has left; false when there are no
    /// such files. The caller is in ``exclusively(_:)``.
    @discardableResult
    func removeUnknown() -> Bool {
        cutTail()
        let known = contents.segments
        let unknown = ((try? pages.list()) ?? [])
            .filter { known[$0] == nil && !pages.isSpill($0) && !isRetired($0) }
        if unknown.isEmpty { return false }
        // What cannot be removed the next checkpoint tries again.
        let removed = unknown.filter { (try? pages.remove($0)) == true }
        pages.makeRemovalsLast()
        return !removed.isEmpty
    }

    /// Which writer lease what is made now is made under.
    var currentLease: UInt64 { lease.withLock { $0 } }

    /// Another process may write from here on: what this one has made and still has to remove is
    /// left to it.
    func endLease() { lease.withLock { $0 += 1 } }

    /// Removes what a transaction has written that will not be committed, unless the writer lease
    /// that it was written under has ended: by then the files are another process's to remove, or
    /// are such of its own by the same numbers.
    func abandon(_ spill: Spill, account: NodeAccount) {
        lease.withLock { if $0 == spill.lease { remove(spill, account) } }
    }

    private func remove(_ spill: Spill, _ account: NodeAccount) {
        let indexes = spill.segments.map(\.index)
        noteMade(spill)
        let capture = account.nextCapture
        // What cannot be removed no tree knows of, and the next checkpoint tries again.
        for index in indexes where staysReadable(index, before: capture, account) {
            _ = try? pages.remove(index)
        }
        pages.retired.withLock { retired in
            for index in indexes { retired.add(index, before: capture) }
        }
        pages.endSpill(indexes)
        closeRetired(account)
    }

    /// Keeps a file open for versions that may lead to it, also those that a caller has frozen of a
    /// transaction that came to nothing. False when it cannot be opened, for want of descriptors
    /// perhaps, and has to keep its name until it is tried again.
    private func staysReadable(
        _ index: PageIndex, before capture: UInt64, _ account: NodeAccount
    ) -> Bool {
        !isNeeded(index, before: capture, account)
            || (try? pages.file(index, isKept: true)) != nil
    }

    /// Whether no tree from now on uses a segment that was written.
    private func isRetired(_ index: PageIndex) -> Bool {
        pages.retired.withLock { $0.indexes.contains(index) }
    }

    private func noteMade(_ spill: Spill) {
        let indexes = spill.segments.map(\.index)
        pages.retired.withLock { retired in
            for index in indexes { retired.noteMade(index, at: spill.madeAt) }
        }
    }

    /// Removes the segments that the newest tree, captured as `capture`, does not use, and files
    /// that no tree knows. Snapshots that still need them have them open. The caller is in
    /// ``exclusively(_:)``, and what refers to the newest tree is durable.
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
            // A transaction that was rolled back may have removed its own meanwhile.
            if try pages.remove(index) || isKnown { removed.append(index) }
        }
        // What described the checkpoint was written before the segments went that it emptied.
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
        // An open file keeps its space.
        closeRetired(account)
    }

    /// Whether a version is held that may lead to a node in `index`, or a ``PageHold`` has that.
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
    /// Goes on from the tree of another process, captured as `made`, whose segments are open. Those
    /// that only older versions need are closed when the last of these is released.
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
    /// What an opened checkpoint says of the page files. The blob that says it stands behind what
    /// it knows of.
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

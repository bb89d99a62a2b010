import Synchronization

/// One page segment as a checkpoint knows it. Sizes are bytes.
package struct PageSegment: Hashable, Sendable {
    package var index: PageIndex
    /// Where the next node goes: what stands behind belongs to no checkpoint.
    package var length: Int
    /// Bytes of the nodes in it that the checkpoint's tree uses.
    package var live: Int

    /// No segment is longer: one that has reached its size takes no further node, and neither that
    /// size nor a node is near as long.
    static let lengthMax = 1 << 31
}

/// The page files of one open store: nodes are read from here, and written by a ``PageWriter``.
package final class PageStore: Sendable {
    /// An open page file.
    struct OpenFile: Sendable {
        let file: any File
        let salt: Bits128
    }

    fileprivate struct Entry {
        var open: OpenFile
        /// When it was asked for last, as ``State/clock`` counts.
        var used: UInt64
    }

    fileprivate struct State {
        var files = SortedTable<PageIndex, Entry>()
        var clock: UInt64 = 0
        /// Files that could not be opened again: they were removed.
        var kept: Set<PageIndex> = []
        /// Whether no other process can remove files.
        var mayReopen = true
        var next = PageIndex.first
        /// Segments of transactions that have not ended.
        var spills: Set<PageIndex> = []
    }

    let fileSystem: any FileSystem
    let directory: String
    let database: Bits128
    /// What nodes are sealed with; nil in a plain store.
    let cipher: NodeCipher?
    /// Size of segments in a store of next to nothing, and what they grow to in a small one.
    let segmentSizeMin: Int
    let segmentSizeGrown: Int
    /// Files that are open at a time, as far as they can be opened again.
    let openFilesMax: Int
    private let state = Mutex(State())
    private let patience = DescriptorPatience()
    /// Segments that were unlinked and stay open for versions that need them, also of engines
    /// before this one.
    let retired = Mutex(RetiredSegments())
    /// What stays open of them although the numbers may be given again.
    let former = Mutex(FormerFiles())

    init(
        fileSystem: any FileSystem, directory: String, database: Bits128,
        cipher: StoreCipher? = nil, options: PageOptions = PageOptions()
    ) {
        self.fileSystem = fileSystem
        self.directory = directory
        self.database = database
        self.cipher = cipher.map { NodeCipher($0) }
        segmentSizeMin = options.segmentSizeMin
        segmentSizeGrown = options.segmentSizeGrown
        openFilesMax = options.openFilesMax
    }

    func path(_ index: PageIndex) -> String { directory + "/" + index.fileName }

    private var algorithm: EncryptionAlgorithm { cipher == nil ? .none : .aes256GCM }

    /// Bytes that stand in a file behind each image.
    var overhead: Int { cipher == nil ? 0 : NodeCipher.overhead }

    // MARK: Reading

    /// Reads the node at `place`, verified, within its bounds and what `demand` says, with one
    /// count for the caller.
    func load(
        _ place: NodePlace, account: Unmanaged<NodeAccount>, _ demand: NodeDemand = .any
    ) throws(StorageError) -> Node {
        let index = place.address.segment
        do throws(StorageError) {
            return try load(place, from: try awaitFile(index), account, demand)
        } catch {
            for open in former.withLock({ $0.files(of: index) }) {
                if let node = try? load(place, from: open, account, demand) { return node }
            }
            throw error
        }
    }

    private func load(
        _ place: NodePlace, from open: OpenFile, _ account: Unmanaged<NodeAccount>,
        _ demand: NodeDemand
    ) throws(StorageError) -> Node {
        let length = Int(place.length) - overhead
        guard length >= Node.headerSize, length % 8 == 0, length <= NodeImage.lengthMax else {
            throw damage(place, "the slot that leads here has an impossible length")
        }
        if length > 1 << 20 {
            // Before so much memory is taken for what a damaged slot may only claim.
            let size = try open.file.size().length
            guard place.address.offset + Int(place.length) <= size else {
                throw damage(place, "the file ends before the node does")
            }
        }
        let node = Node.allocate(place.kind, size: length, account: account, zeroed: false)
        let header = node.saveHeader()
        let reading: NodeImage.Reading
        do {
            reading = try NodeImage.read(
                into: node, length: length, place, from: open, cipher: cipher)
        } catch {
            node.discard(header)
            throw error
        }
        guard reading == .right else {
            node.discard(header)
            throw damage(
                place,
                reading == .damaged
                    ? "the node is not what was written" : "the file ends before the node does")
        }
        node.restoreHeader(header)
        guard demand.holds(node), try canHold(node.countBelow) else {
            node.discard(header)
            throw damage(place, "the node is not what leads to it says")
        }
        node.forEachSlot { $0.attach(to: account) }
        let used = place.kind == .chunk ? Chunk(node: node).used : 0
        node.setPlace(place, used: used)
        return node
    }

    /// Whether the page files are long enough for what a branch counts below it. A few bytes are
    /// the least that several rows, elements or entries take, where they are many.
    private func canHold(_ count: Int) throws(StorageError) -> Bool {
        if count <= 1 << 20 { return true }
        var length = 0
        for index in Set(try list()).union(openIndexes) {
            length += (try? file(index).file.size().length) ?? 0
        }
        return count / 8 <= length
    }

    private func damage(_ place: NodePlace, _ reason: String) -> StorageError {
        .corrupted(
            segment: path(place.address.segment), offset: place.address.offset, reason: reason)
    }

    /// The file of a segment, opened on first use. It stays open where it could not be opened
    /// again, else until others are needed more; with `isKept`, until ``close(_:)``.
    func file(_ index: PageIndex, isKept: Bool = false) throws(StorageError) -> OpenFile {
        if let open = state.withLock({ $0.find(index, isKept: isKept) }) { return open }
        let path = path(index)
        let file: any File
        do {
            file = try openFile(path, .readOnly)
        } catch .fileNotFound {
            // What a reader needs is opened before it is removed: by now, that may have been done.
            if let open = state.withLock({ $0.find(index, isKept: isKept) }) { return open }
            throw .corrupted(segment: path, offset: 0, reason: "the file is missing")
        }
        let buffer = AlignedBuffer(capacity: PageSegmentHeader.size)
        let count = try file.read(into: buffer.bytes, at: 0)
        guard
            let header = PageSegmentHeader(
                UnsafeRawBufferPointer(buffer.bytes).slice(0..<min(count, PageSegmentHeader.size))),
            header.index == index, header.database == database, header.algorithm == algorithm
        else { throw .corrupted(segment: path, offset: 0, reason: "its header does not verify") }
        let open = OpenFile(file: file, salt: header.salt)
        // What is given up closes outside the lock.
        let (found, givenUp) = state.withLock { state in
            let found = state.find(index, isKept: isKept)
            if found != nil { return (found, OpenFile?.none) }
            if isKept { state.kept.insert(index) }
            return (nil, state.insert(index, open, filesMax: openFilesMax))
        }
        withExtendedLifetime(givenUp) {}
        return found ?? open
    }

    /// The file of a node that is read. Where the process has no descriptor left, waits for a
    /// moment until others have closed some: a read that fails stops the store for good.
    private func awaitFile(_ index: PageIndex) throws(StorageError) -> OpenFile {
        while true {
            do throws(StorageError) {
                return try file(index)
            } catch {
                guard error.lacksDescriptors, patience.waitsOnceMore() else { throw error }
            }
        }
    }

    /// Opens a file. Where the process has no descriptor left, gives up those of this store that
    /// can be opened again: a read that fails stops the store, and so does a checkpoint.
    private func openFile(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        while true {
            do throws(StorageError) {
                let file = try fileSystem.open(path, mode)
                patience.end()
                return file
            } catch {
                guard error.lacksDescriptors, closeOldest() else { throw error }
            }
        }
    }

    /// Closes the file that was not asked for the longest; false when there is none that can be
    /// opened again.
    private func closeOldest() -> Bool {
        // It closes outside the lock.
        let oldest = state.withLock { $0.mayReopen ? $0.takeOldest(but: nil) : nil }
        return oldest != nil
    }

    /// Whether files can be opened again: not while other processes may remove them.
    func mayReopen(_ may: Bool) { state.withLock { $0.mayReopen = may } }

    /// Whether no other process may remove files.
    var canReopen: Bool { state.withLock { $0.mayReopen } }

    /// Keeps files open until ``close(_:)`` that are about to be removed, or were.
    func keepOpen(_ indexes: some Sequence<PageIndex>) {
        state.withLock { state in
            for index in indexes where state.files[index] != nil { state.kept.insert(index) }
        }
    }

    /// Bytes of disk that those of the segments take whose files are open.
    func allocatedBytes(of indexes: some Sequence<PageIndex>) -> Int {
        let files = state.withLock { state in indexes.compactMap { state.files[$0]?.open.file } }
        return files.reduce(0) { $0 + ((try? $1.size().allocated) ?? 0) }
    }

    /// The segments whose files are open.
    var openIndexes: [PageIndex] { state.withLock { $0.files.entries.map(\.0) } }

    /// Opens every segment that a tree of another process uses, which may unlink them at any time:
    /// what is open stays readable. Fails with `.corrupted` when one is gone already.
    func openAll(_ segments: some Sequence<PageSegment>) throws(StorageError) {
        for segment in segments where segment.live > 0 {
            _ = try file(segment.index)
        }
    }

    /// Forgets files that nobody can need any more.
    func close(_ indexes: some Sequence<PageIndex>) {
        // The files close outside the lock.
        let closed = state.withLock { state in
            indexes.map { index in
                defer { state.files[index] = nil }
                state.kept.remove(index)
                return state.files[index]?.open
            }
        }
        withExtendedLifetime(closed) {}
    }

    // MARK: Writing

    /// The numbers below `index` are taken.
    func reserve(below index: PageIndex) {
        state.withLock { $0.next = max($0.next, index) }
    }

    /// Makes the next segment. Its name is durable after the directory was synced.
    ///
    /// With `isSpill` it must not be removed before ``endSpill(_:)``.
    func create(isSpill: Bool = false) throws(StorageError) -> (index: PageIndex, open: OpenFile) {
        let index = state.withLock { state in
            let index = state.next
            if index < .end { state.next = index.next }
            if isSpill { state.spills.insert(index) }
            return index
        }
        guard index < .end else {
            throw .invalid(
                "The store has used up the numbers of its page files. Copy it with writeCopy, and"
                    + " go on with the copy.")
        }
        do throws(StorageError) {
            return (index, try makeFile(index))
        } catch {
            // No tree and no transaction knows of it.
            _ = try? remove(index)
            endSpill([index])
            throw error
        }
    }

    private func makeFile(_ index: PageIndex) throws(StorageError) -> OpenFile {
        let header = PageSegmentHeader(
            index: index, database: database, salt: .random(), algorithm: algorithm)
        // An earlier attempt may have left one.
        try remove(index)
        let path = path(index)
        let file = try openFile(path, .create)
        let buffer = AlignedBuffer(capacity: PageSegmentHeader.size)
        header.encode(into: buffer.bytes)
        try file.write(UnsafeRawBufferPointer(buffer.bytes), at: 0)
        let open = OpenFile(file: file, salt: header.salt)
        let givenUp = state.withLock { $0.insert(index, open, filesMax: openFilesMax) }
        withExtendedLifetime(givenUp) {}
        return open
    }

    /// Removes the file of a segment; false when there is none.
    @discardableResult
    func remove(_ index: PageIndex) throws(StorageError) -> Bool {
        do {
            try fileSystem.remove(path(index))
            return true
        } catch .fileNotFound {
            return false
        }
    }

    /// Sees to it that no file comes back with a crash that was removed for its space.
    func makeRemovalsLast() { try? fileSystem.syncDirectory(directory) }

    /// The segments of transactions that have not ended, or whose files are still to be removed.
    var spills: Set<PageIndex> { state.withLock { $0.spills } }

    func isSpill(_ index: PageIndex) -> Bool { state.withLock { $0.spills.contains(index) } }

    /// The transaction has ended: a checkpoint knows these segments, or nobody does.
    func endSpill(_ indexes: some Sequence<PageIndex>) {
        state.withLock { $0.spills.subtract(indexes) }
    }

    /// Forgets the transactions of a writer before this one.
    func endSpills() { state.withLock { $0.spills = [] } }

    /// The file of a segment that is written on: opened again if it was only open for reading.
    func reopen(_ index: PageIndex) throws(StorageError) -> OpenFile {
        let open = try file(index)
        let writable = OpenFile(
            file: try openFile(path(index), .readWrite), salt: open.salt)
        let givenUp = state.withLock { $0.insert(index, writable, filesMax: openFilesMax) }
        withExtendedLifetime(givenUp) {}
        return writable
    }

    /// The segments whose files are there.
    func list() throws(StorageError) -> [PageIndex] {
        do {
            return try fileSystem.list(directory).compactMap { PageIndex(fileName: $0) }
        } catch .fileNotFound {
            return []
        }
    }
}

extension PageStore.State {
    /// The file of a segment if it is open.
    fileprivate mutating func find(_ index: PageIndex, isKept: Bool) -> PageStore.OpenFile? {
        let place = files.place(of: index)
        guard place.isThere else { return nil }
        if isKept { kept.insert(index) }
        clock += 1
        files.entries[place.index].value.used = clock
        return files.entries[place.index].value.open
    }

    /// Takes in an open file, and hands out one that was not asked for the longest when there are
    /// too many.
    fileprivate mutating func insert(
        _ index: PageIndex, _ open: PageStore.OpenFile, filesMax: Int
    ) -> PageStore.OpenFile? {
        clock += 1
        let replaced = files[index]?.open
        files[index] = PageStore.Entry(open: open, used: clock)
        if replaced != nil || !mayReopen || files.count - kept.count <= filesMax {
            return replaced
        }
        return takeOldest(but: index)
    }

    /// Takes out the file that was not asked for the longest, of those that can be opened again.
    fileprivate mutating func takeOldest(but index: PageIndex?) -> PageStore.OpenFile? {
        let oldest = files.entries.filter { $0.key != index && !kept.contains($0.key) }
            .min { $0.value.used < $1.value.used }
        guard let oldest else { return nil }
        files[oldest.key] = nil
        return oldest.value.open
    }
}

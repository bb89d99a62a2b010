import Synchronization

/// A page segment in the accounting of a checkpoint. Sizes are in bytes.
package struct PageSegment: Hashable, Sendable {
    package var index: PageIndex
    /// The offset of the next node: bytes after it belong to no checkpoint.
    package var length: Int
    /// Bytes of the nodes in it that the checkpoint's tree uses.
    package var live: Int

    /// The maximum length of a segment, which neither the target size nor a node comes close to.
    static let lengthMax = 1 << 31
}

/// The page files of one open store, which nodes are read from; ``PageWriter`` writes them.
package final class PageStore: Sendable {
    /// An open page file.
    struct OpenFile: Sendable {
        let file: any File
        let salt: Bits128
    }

    fileprivate struct Entry {
        var open: OpenFile
        /// When it was last used, by ``State/clock``.
        var used: UInt64
    }

    fileprivate struct State {
        var files = SortedTable<PageIndex, Entry>()
        var clock: UInt64 = 0
        /// Files that must stay open, because they were removed.
        var kept: Set<PageIndex> = []
        /// Whether files can be opened again, since no other process can remove them.
        var mayReopen = true
        var next = PageIndex.first
        /// Spills of transactions that have not ended.
        var spills: Set<PageIndex> = []
    }

    let fileSystem: any FileSystem
    let directory: String
    let database: Bits128
    /// The cipher of nodes; nil in a plain store.
    let cipher: NodeCipher?
    /// Size of segments in an almost empty store, and what they grow to in a small one.
    let segmentSizeMin: Int
    let segmentSizeGrown: Int
    /// The maximum number of open files, of those that can be opened again.
    let openFilesMax: Int
    /// See ``PageOptions/readsDamagedHeaders``.
    let readsDamagedHeaders: Bool
    private let state = Mutex(State())
    private let backoff = DescriptorBackoff()
    /// Segments that were unlinked and stay open for snapshots that need them, also of earlier
    /// engines.
    let retired = Mutex(RetiredSegments())
    /// Files that stay open although their numbers may be reused.
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
        readsDamagedHeaders = options.readsDamagedHeaders
    }

    func path(_ index: PageIndex) -> String { directory + "/" + index.fileName }

    var algorithm: EncryptionAlgorithm { cipher == nil ? .none : .aes256GCM }

    /// Bytes that follow each image in a file.
    var overhead: Int { cipher == nil ? 0 : NodeCipher.overhead }

    // MARK: Reading

    /// Reads and verifies the node at `place`, checks its bounds and `demand`, and retains it for
    /// the caller.
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
            // Before memory is allocated for the length in a possibly damaged slot.
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
        do throws(StorageError) {
            guard demand.holds(node), try canHold(node.countBelow) else {
                throw damage(place, "the node differs from the reference to it")
            }
        } catch {
            node.discard(header)
            throw error
        }
        node.forEachSlot { $0.attach(to: account) }
        let used = place.kind == .chunk ? Chunk(node: node).used : 0
        node.setPlace(place, used: used)
        return node
    }

    /// Whether the page files are long enough for the counts of a branch, since many rows, elements
    /// or entries need at least some bytes.
    private func canHold(_ count: Int) throws(StorageError) -> Bool {
        if count <= 1 << 20 { return true }
        var length = 0
        for index in Set(try list()).union(openIndexes) where count / 8 > length {
            do throws(StorageError) {
                length += try awaitFile(index).file.size().length
            } catch {
                if error.lacksDescriptors { throw error }
            }
        }
        return count / 8 <= length
    }

    private func damage(_ place: NodePlace, _ reason: String) -> StorageError {
        .corrupted(
            segment: path(place.address.segment), offset: place.address.offset, reason: reason)
    }

    /// The file of a segment, opened on first use. It stays open if it cannot be opened again,
    /// otherwise until it is the least recently used; with `isKept`, until ``close(_:)``.
    func file(_ index: PageIndex, isKept: Bool = false) throws(StorageError) -> OpenFile {
        if let open = state.withLock({ $0.find(index, isKept: isKept) }) { return open }
        let path = path(index)
        let file: any File
        do {
            file = try openFile(path, .readOnly)
        } catch .fileNotFound {
            // A file is opened for its readers before it is removed, which may have happened
            // meanwhile.
            if let open = state.withLock({ $0.find(index, isKept: isKept) }) { return open }
            throw .corrupted(segment: path, offset: 0, reason: "the file is missing")
        }
        let open = OpenFile(file: file, salt: try salt(of: file, index))
        // The evicted file is closed outside the lock.
        let (found, evicted) = state.withLock { state in
            let found = state.find(index, isKept: isKept)
            if found != nil { return (found, OpenFile?.none) }
            if isKept { state.kept.insert(index) }
            return (nil, state.insert(index, open, filesMax: openFilesMax))
        }
        withExtendedLifetime(evicted) {}
        return found ?? open
    }

    /// The file of a node that is read. Without a descriptor, waits and retries, since a failed
    /// read latches in the store.
    private func awaitFile(_ index: PageIndex) throws(StorageError) -> OpenFile {
        while true {
            do throws(StorageError) {
                return try file(index)
            } catch {
                guard error.lacksDescriptors, backoff.waitToRetry() else { throw error }
            }
        }
    }

    /// Opens a file. Without a descriptor, closes files of this store that can be opened again,
    /// since a failed read latches in the store, as does a failed checkpoint.
    private func openFile(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        while true {
            do throws(StorageError) {
                let file = try fileSystem.open(path, mode)
                backoff.end()
                return file
            } catch {
                guard error.lacksDescriptors, closeOldest() else { throw error }
            }
        }
    }

    /// Closes the least recently used file; false if there is none that can be opened again.
    private func closeOldest() -> Bool {
        // The file is closed outside the lock.
        let oldest = state.withLock { $0.mayReopen ? $0.takeOldest(but: nil) : nil }
        return oldest != nil
    }

    /// Sets whether files can be opened again: not while other processes may remove them.
    func mayReopen(_ may: Bool) { state.withLock { $0.mayReopen = may } }

    /// Whether no other process may remove files.
    var canReopen: Bool { state.withLock { $0.mayReopen } }

    /// Keeps files open until ``close(_:)`` that are about to be removed, or were removed.
    func keepOpen(_ indexes: some Sequence<PageIndex>) {
        state.withLock { state in
            for index in indexes where state.files[index] != nil { state.kept.insert(index) }
        }
    }

    /// The allocated bytes of those segments whose files are open.
    func allocatedBytes(of indexes: some Sequence<PageIndex>) -> Int {
        let files = state.withLock { state in indexes.compactMap { state.files[$0]?.open.file } }
        return files.reduce(0) { $0 + ((try? $1.size().allocated) ?? 0) }
    }

    /// The segments whose files are open.
    var openIndexes: [PageIndex] { state.withLock { $0.files.entries.map(\.0) } }

    /// Opens every segment that a tree of another process uses, since that process may unlink them
    /// at any time. Throws `.corrupted` if one was removed already.
    func openAll(_ segments: some Sequence<PageSegment>) throws(StorageError) {
        for segment in segments where segment.live > 0 {
            _ = try file(segment.index)
        }
    }

    /// Closes files that nothing needs any more.
    func close(_ indexes: some Sequence<PageIndex>) {
        // The files are closed outside the lock.
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

    /// Reserves the numbers below `index`.
    func reserve(below index: PageIndex) {
        state.withLock { $0.next = max($0.next, index) }
    }

    /// Creates the next segment. Its name is durable after the directory was synced.
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
                "The store has used up the numbers of its page files. Copy it with writeCopy, and "
                    + "use the copy.")
        }
        do throws(StorageError) {
            return (index, try makeFile(index))
        } catch {
            // Nothing refers to it.
            _ = try? remove(index)
            endSpill([index])
            throw error
        }
    }

    private func makeFile(_ index: PageIndex) throws(StorageError) -> OpenFile {
        let header = PageSegmentHeader(
            index: index, database: database, salt: .random(), algorithm: algorithm)
        // An earlier attempt may have left a file.
        try remove(index)
        let path = path(index)
        let file = try openFile(path, .create)
        let buffer = AlignedBuffer(capacity: PageSegmentHeader.size)
        header.encode(into: buffer.bytes)
        try file.write(UnsafeRawBufferPointer(buffer.bytes), at: 0)
        let open = OpenFile(file: file, salt: header.salt)
        let evicted = state.withLock { $0.insert(index, open, filesMax: openFilesMax) }
        withExtendedLifetime(evicted) {}
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

    /// Makes removals durable, so that no removed file reappears after a crash.
    func makeRemovalsDurable() { try? fileSystem.syncDirectory(directory) }

    /// The spills of transactions that have not ended, or whose files are not removed yet.
    var spills: Set<PageIndex> { state.withLock { $0.spills } }

    func isSpill(_ index: PageIndex) -> Bool { state.withLock { $0.spills.contains(index) } }

    /// A transaction has ended: its segments belong to a checkpoint, or are unused.
    func endSpill(_ indexes: some Sequence<PageIndex>) {
        state.withLock { $0.spills.subtract(indexes) }
    }

    /// Discards the spills of the previous writer.
    func endSpills() { state.withLock { $0.spills = [] } }

    /// The file of a segment that is appended to: opened again if it was only open for reading.
    func reopen(_ index: PageIndex) throws(StorageError) -> OpenFile {
        let open = try file(index)
        let writable = OpenFile(
            file: try openFile(path(index), .readWrite), salt: open.salt)
        let evicted = state.withLock { $0.insert(index, writable, filesMax: openFilesMax) }
        withExtendedLifetime(evicted) {}
        return writable
    }

    /// The segments whose files exist.
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

    /// Adds an open file, and removes the least recently used one if there are too many.
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

    /// Removes the least recently used file, of those that can be opened again.
    fileprivate mutating func takeOldest(but index: PageIndex?) -> PageStore.OpenFile? {
        let oldest = files.entries.filter { $0.key != index && !kept.contains($0.key) }
            .min { $0.value.used < $1.value.used }
        guard let oldest else { return nil }
        files[oldest.key] = nil
        return oldest.value.open
    }
}

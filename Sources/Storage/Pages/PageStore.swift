import Synchronization

/// One page segment as a checkpoint knows it. Sizes are bytes.
package struct PageSegment: Hashable, Sendable {
    package var index: PageIndex
    /// Where the next node goes: what stands behind belongs to no checkpoint.
    package var length: Int
    /// Bytes of the nodes in it that the checkpoint's tree uses.
    package var live: Int
}

/// The page files of one open store: nodes are read from here, and written by a ``PageWriter``.
package final class PageStore: Sendable {
    /// An open page file.
    struct OpenFile: Sendable {
        let file: any File
        let salt: Bits128
    }

    private struct State {
        var files = SortedTable<PageIndex, OpenFile>()
        var next = PageIndex.first
        /// Segments of transactions that have not ended.
        var spills: Set<PageIndex> = []
    }

    let fileSystem: any FileSystem
    let directory: String
    let database: Bits128
    /// What nodes are sealed with; nil in a plain store.
    let cipher: NodeCipher?
    /// Size that segments grow to in a small store.
    let segmentSizeMin: Int
    private let state = Mutex(State())

    init(
        fileSystem: any FileSystem, directory: String, database: Bits128,
        cipher: StoreCipher? = nil, segmentSizeMin: Int = LogOptions().pageSegmentSizeMin
    ) {
        self.fileSystem = fileSystem
        self.directory = directory
        self.database = database
        self.cipher = cipher.map { NodeCipher($0) }
        self.segmentSizeMin = segmentSizeMin
    }

    func path(_ index: PageIndex) -> String { directory + "/" + index.fileName }

    private var algorithm: EncryptionAlgorithm { cipher == nil ? .none : .aes256GCM }

    /// Bytes that stand in a file behind each image.
    var overhead: Int { cipher == nil ? 0 : NodeCipher.overhead }

    // MARK: Reading

    /// Reads the node at `place`, verified and within its bounds, with one count for the caller.
    func load(
        _ place: NodePlace, account: Unmanaged<NodeAccount>
    ) throws(StorageError) -> Node {
        let open = try file(place.address.segment)
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
        node.forEachSlot { $0.attach(to: account) }
        let used = place.kind == .chunk ? Chunk(node: node).used : 0
        node.setPlace(place, used: used)
        return node
    }

    private func damage(_ place: NodePlace, _ reason: String) -> StorageError {
        .corrupted(
            segment: path(place.address.segment), offset: place.address.offset, reason: reason)
    }

    /// The file of a segment, opened on first use and kept open: a snapshot may need it after it
    /// was unlinked.
    func file(_ index: PageIndex) throws(StorageError) -> OpenFile {
        if let open = state.withLock({ $0.files[index] }) { return open }
        let path = path(index)
        let file: any File
        do {
            file = try fileSystem.open(path, .readOnly)
        } catch .fileNotFound {
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
        state.withLock { $0.files[index] = $0.files[index] ?? open }
        return open
    }

    /// The segments whose files are open.
    var openIndexes: [PageIndex] { state.withLock { $0.files.entries.map(\.0) } }

    /// Opens every segment that a tree of another process uses, which may unlink them at any time:
    /// what is open stays readable. Fails with `.corrupted` when one is gone already.
    func openAll(_ contents: Checkpointer.Contents) throws(StorageError) {
        for segment in contents.segments.values where segment.live > 0 {
            _ = try file(segment.index)
        }
    }

    /// Forgets files that nobody can need any more.
    func close(_ indexes: some Sequence<PageIndex>) {
        // The files close outside the lock.
        let closed = state.withLock { state in
            indexes.map { index in
                defer { state.files[index] = nil }
                return state.files[index]
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
    /// With `isSpill` it is nobody's to remove before ``endSpill(_:)``.
    func create(isSpill: Bool = false) throws(StorageError) -> (index: PageIndex, open: OpenFile) {
        let index = state.withLock { state in
            let index = state.next
            state.next = index.next
            if isSpill { state.spills.insert(index) }
            return index
        }
        let header = PageSegmentHeader(
            index: index, database: database, salt: .random(), algorithm: algorithm)
        let path = path(index)
        do {
            try fileSystem.remove(path)
        } catch .fileNotFound {
            // The usual case: no earlier attempt left one.
        }
        let file = try fileSystem.open(path, .create)
        let buffer = AlignedBuffer(capacity: PageSegmentHeader.size)
        header.encode(into: buffer.bytes)
        try file.write(UnsafeRawBufferPointer(buffer.bytes), at: 0)
        let open = OpenFile(file: file, salt: header.salt)
        state.withLock { $0.files[index] = open }
        return (index, open)
    }

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
            file: try fileSystem.open(path(index), .readWrite), salt: open.salt)
        state.withLock { $0.files[index] = writable }
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

/// Appends the nodes of one checkpoint, or one page commit, to page segments.
///
/// No durable reference to its nodes may be written before ``finish()`` has returned. Used by one
/// thread.
struct PageWriter: ~Copyable {
    /// How much is written between two syncs, so that none of them occupies the disk for long.
    private static let syncInterval = 4 << 20
    private static let bufferSize = 1 << 20
    /// The write size while commits need the disk, too.
    private static let smallBufferSize = 64 << 10
    private static let pauseMax = Duration.milliseconds(5)

    let store: PageStore
    /// What this writer has written, by segment: its end, and bytes of nodes.
    private(set) var segments: [PageIndex: (length: Int, written: Int)] = [:]

    private let segmentSize: Int
    /// Nil in a plain store. One per writer, so that an address that is written again is sealed
    /// with another key.
    private let sealer: NodeSealer?
    private var current: (index: PageIndex, open: PageStore.OpenFile)?
    /// The offset of the buffer's bytes in the current segment.
    private var offset = 0
    private var buffer: AlignedBuffer
    private var filled = 0
    private var unsynced = 0
    private var madeSegment = false
    /// The segments that it has created.
    private var made: [PageIndex] = []
    /// Performs the syncs before the last one in the background; nil to sync directly.
    private let later: ((any File) -> Void)?
    /// Whether its segments are a spill of a transaction that has not ended.
    private let isSpill: Bool
    /// Whether there were commits since its last call. Nil without concurrent commits.
    private let isContended: (() -> Bool)?
    /// When this writer last paused.
    private var paused = Instant.now

    /// Writes separate segments for a running transaction.
    init(spillingTo store: PageStore, segmentSize: Int, syncLater: @escaping (any File) -> Void) {
        self.store = store
        self.segmentSize = segmentSize
        sealer = store.cipher?.makeSealer()
        later = syncLater
        isSpill = true
        isContended = nil
        buffer = AlignedBuffer(capacity: min(Self.bufferSize, segmentSize))
    }

    /// Continues in `tail` if it is not full; segments end at about `segmentSize` bytes.
    ///
    /// With `isContended` it writes small pieces, and pauses after each for as long as it took
    /// while there are commits, so that these wait for one piece only.
    init(
        store: PageStore, tail: PageSegment?, segmentSize: Int, isContended: (() -> Bool)? = nil
    ) throws(StorageError) {
        self.store = store
        self.segmentSize = segmentSize
        sealer = store.cipher?.makeSealer()
        later = nil
        isSpill = false
        self.isContended = isContended
        buffer = AlignedBuffer(
            capacity: min(
                isContended == nil ? Self.bufferSize : Self.smallBufferSize, segmentSize))
        if let tail, tail.length < segmentSize {
            current = (tail.index, try store.reopen(tail.index))
            offset = tail.length
        }
    }

    /// Bytes of the written nodes.
    var byteCount: Int { segments.values.reduce(0) { $0 + $1.written } }

    /// Appends the image of `node`, with `used` elements if it is a chunk.
    mutating func append(
        _ node: Node, used: Int, place: (Slot) -> NodePlace? = { $0.place }
    ) throws(StorageError) -> NodePlace {
        let length = NodeImage.length(of: node, used: used) + store.overhead
        if current == nil || offset + filled + length > max(segmentSize, length + 64) {
            try flush()
            try beginSegment()
        }
        if filled + length > buffer.bytes.count {
            try flush()
            if length > buffer.bytes.count { buffer = AlignedBuffer(capacity: length) }
        }
        guard let current else { preconditionFailure("A node was written to no segment") }
        let address = PageAddress(segment: current.index, offset: offset + filled)
        let hash = NodeImage.encode(
            node, used: used, into: buffer.bytes.slice(filled..<filled + length),
            salt: current.open.salt, sealer: sealer, at: address, place: place)
        filled += length
        let written = segments[current.index]?.written ?? 0
        segments[current.index] = (offset + filled, written + length)
        return NodePlace(
            address: address, length: UInt32(length), hash: hash, kind: node.kind,
            hasSlots: node.hasSlots)
    }

    /// Makes everything durable, names included.
    mutating func finish() throws(StorageError) {
        try flush()
        if unsynced > 0, let current { try current.open.file.sync() }
        unsynced = 0
        if madeSegment { try store.fileSystem.syncDirectory(store.directory) }
        madeSegment = false
    }

    /// Removes the created segments, because their nodes will not be used: a full disk needs the
    /// space.
    mutating func abandon() {
        for index in made { try? store.fileSystem.remove(store.path(index)) }
        // An open file keeps its space.
        store.close(made)
        if !made.isEmpty { store.makeRemovalsDurable() }
        current = nil
        made = []
    }

    private mutating func beginSegment() throws(StorageError) {
        if let current { try sync(current.open.file) }
        current = try store.create(isSpill: isSpill)
        madeSegment = true
        if let current { made.append(current.index) }
        offset = PageSegmentHeader.size
        unsynced = PageSegmentHeader.size
    }

    private func sync(_ file: any File) throws(StorageError) {
        if let later { later(file) } else { try file.sync() }
    }

    /// Writes the buffer, so that its nodes can be read.
    mutating func flush() throws(StorageError) {
        guard filled > 0, let current else { return }
        try current.open.file.write(
            UnsafeRawBufferPointer(buffer.bytes).slice(0..<filled), at: offset)
        if let isContended {
            try current.open.file.writeOut(from: offset, to: offset + filled)
            if isContended() {
                Platform.pause(for: min(paused.duration(to: .now), Self.pauseMax))
            }
            paused = .now
        }
        offset += filled
        unsynced += filled
        filled = 0
        if unsynced >= Self.syncInterval {
            try sync(current.open.file)
            unsynced = 0
        }
    }
}

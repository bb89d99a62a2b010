/// Reads on in a log that another process writes, from one boundary between two frames on.
///
/// What does not verify is no damage here: it only means "not yet". It keeps the file open that it
/// reads, and writes nothing.
struct LogTail {
    /// Why reading has ended.
    enum Ending: Sendable, Equatable {
        /// The limit is reached, or the next frame would go beyond it.
        case upToDate
        /// Nothing was written behind what was read.
        case blank
        /// What stands there is no frame, or not a whole one yet.
        case unverified
        /// The segment that goes on from here was removed.
        case gone
    }

    /// Commits that became durable together.
    struct Group {
        // Unsafe: valid during the call that it is passed to.
        var commits: UnsafeRawBufferPointer
        /// The tree that they make, when the page files have it.
        var tree: CheckpointRecord?
        /// Where its frame ends.
        var end: LogEnd
        var segmentPath: String

        /// Calls `body` with each commit.
        func forEachCommit(
            _ body: (CommitView) throws(StorageError) -> Void
        ) throws(StorageError) {
            var records = GroupRecords(commits)
            while true {
                let record: CommitView?
                do {
                    record = try records.next()
                } catch {
                    throw damage("the commits in a group are malformed")
                }
                guard let record else { return }
                try body(record)
            }
        }

        func damage(_ reason: String) -> StorageError {
            .corrupted(segment: segmentPath, offset: commits.count, reason: reason)
        }
    }

    private struct Frame {
        let header: FrameHeader
        let hash: FrameHash
        /// Valid until the next frame is read.
        let payload: FramePayload
    }

    /// How much is read at once of a frame whose length is yet to be learned.
    private static let chunkSize = 4 << 10

    let store: StoreDirectory
    let database: Bits128
    /// Where it stands.
    private(set) var next: LogEnd
    /// Where to go on without what was read of a transaction that is not whole.
    private(set) var resumption: LogEnd
    /// Where the last group ends that was read; before the first one, where reading began. Other
    /// than ``next``, it tells by its salt of which life the last commit is: a writer that made no
    /// commit may have begun an epoch behind it.
    private(set) var commitEnd: LogEnd
    /// Whether it has seen the begin of a transaction and not its end.
    private var hasOpenParts = false
    private var current: (header: SegmentHeader, file: any File)?
    private var parts = CommitGroupBuffer(capacity: 1 << 10)
    private var buffer = AlignedBuffer(capacity: LogTail.chunkSize)
    private var bufferSize = LogTail.chunkSize

    /// Goes on at `start`, which is of the life of the last commit before it; nil for the begin of
    /// the log.
    init(_ store: StoreDirectory, database: Bits128, from start: LogEnd?) {
        self.store = store
        self.database = database
        next = start ?? .begin
        resumption = next
        commitEnd = next
    }

    /// Calls `body` with every group that ends at or before `limit` and verifies.
    ///
    /// When `body` throws, the group counts as read.
    mutating func read(
        upTo limit: LogPosition, _ body: (Group) throws(StorageError) -> Void
    ) throws(StorageError) -> Ending {
        while next.position < limit {
            if current == nil, try !enterFirst() { return .gone }
            guard let frame = try readFrame() else {
                if try enterSuccessor() { continue }
                return try isBlank() ? .blank : .unverified
            }
            if frame.header.endPosition > limit { return .upToDate }
            try take(frame, body)
        }
        return .upToDate
    }

    private mutating func take(
        _ frame: Frame, _ body: (Group) throws(StorageError) -> Void
    ) throws(StorageError) {
        defer { withExtendedLifetime(frame) {} }
        let (header, payload) = (frame.header, frame.payload.bytes)
        next.position = header.endPosition
        next.hash = frame.hash
        let continues = header.flags & FrameHeader.continuesParts != 0
        switch header.kind {
        case .epoch:
            next.salt = EpochPayload(payload).salt
        case .part:
            if !continues { parts.reset() }
            parts.appendBytes(payload)
            hasOpenParts = true
        case .group:
            // The parts are whole: a tail begins behind a group.
            if continues { parts.appendBytes(payload) }
            let whole = continues ? UnsafeRawBufferPointer(parts.payload) : payload
            defer {
                forgetParts()
                resumption = next
                commitEnd = next
            }
            try body(group(header, whole))
        case .abandon:
            forgetParts()
        case .checkpoint, .seal:
            break
        }
        if !hasOpenParts { resumption = next }
    }

    private func group(
        _ header: FrameHeader, _ whole: UnsafeRawBufferPointer
    ) throws(StorageError) -> Group {
        var group = Group(
            commits: header.commits(in: whole), end: next, segmentPath: path(next.segment))
        if header.flags & FrameHeader.holdsTree != 0 {
            guard let tree = GroupTree(endOf: whole) else {
                throw group.damage("the group's tree is nowhere")
            }
            var last = header.version
            try group.forEachCommit { (commit) throws(StorageError) in last = commit.version }
            group.tree = CheckpointRecord(tree, version: last, end: next)
        }
        return group
    }

    private mutating func forgetParts() {
        if hasOpenParts { parts.reset() }
        hasOpenParts = false
    }

    // MARK: Segments

    private func path(_ index: SegmentIndex) -> String { store.logPath + "/" + index.fileName }

    /// Opens the segment that it stands in; false when that is not there.
    private mutating func enterFirst() throws(StorageError) -> Bool {
        if next.segment == SegmentIndex(0) { return try enterSuccessor() }
        guard let opened = try open(next.segment) else { return false }
        current = opened
        return true
    }

    /// Goes on in the segment behind, if that begins where this one ends.
    private mutating func enterSuccessor() throws(StorageError) -> Bool {
        guard let opened = try open(next.segment.next),
            opened.header.firstPosition == next.position, opened.header.previousHash == next.hash
        else { return false }
        next.segment = opened.header.index
        next.salt = opened.header.epochSalt
        current = opened
        return true
    }

    /// A segment with its header; nil when it is not there, or was not begun.
    private func open(
        _ index: SegmentIndex
    ) throws(StorageError) -> (header: SegmentHeader, file: any File)? {
        do throws(StorageError) {
            let file = try store.fileSystem.open(path(index), .readOnly)
            guard let header = try HistorySegments.header(of: file, index),
                header.database == database
            else { return nil }
            return (header, file)
        } catch .fileNotFound {
            return nil
        }
    }

    // MARK: Frames

    private var offset: Int {
        let first = current?.header.firstPosition ?? .zero
        return SegmentHeader.size + (next.position.distance(from: first) ?? 0)
    }

    /// The frame that continues the log, nil when there is none that verifies.
    private mutating func readFrame() throws(StorageError) -> Frame? {
        guard let (segment, file) = current else { return nil }
        var count = try file.read(into: buffer.bytes.slice(0..<bufferSize), at: offset)
        guard count >= FrameHeader.size else { return nil }
        guard let header = FrameHeader(UnsafeRawBufferPointer(buffer.bytes)),
            header.payloadLength % 8 == 0, header.position == next.position,
            header.previousHash == next.hash
        else { return nil }
        let size = FrameHeader.size + Int(header.payloadLength)
        if size > bufferSize {
            bufferSize = size
            buffer = AlignedBuffer(capacity: size)
            count = try file.read(into: buffer.bytes.slice(0..<size), at: offset)
        }
        guard count >= size else { return nil }
        let bytes = UnsafeRawBufferPointer(buffer.bytes).slice(0..<size)
        let payload = bytes.slice(FrameHeader.size..<size)
        var salt = next.salt
        if header.kind == .epoch {
            guard payload.count == EpochPayload.size else { return nil }
            salt = EpochPayload(payload).salt
        }
        let key = FrameKey(salt: salt, database: database, cipher: store.cipher)
        guard let hash = key.verifiedHash(bytes),
            key.payloadChecksum(payload) == header.payloadChecksum,
            // Read once more since the buffer grew.
            FrameHeader(bytes) == header
        else { return nil }
        guard let opened = key.open(payload, header, in: segment) else {
            throw .corrupted(
                segment: path(next.segment), offset: offset,
                reason: "a frame was not sealed here with the store's key")
        }
        return Frame(header: header, hash: hash, payload: opened)
    }

    /// Whether the log ends here, between two transactions, and nothing was written behind.
    mutating func isAtCleanEnd() throws(StorageError) -> Bool {
        if hasOpenParts { return false }
        if current == nil, next.segment != SegmentIndex(0), try !enterFirst() { return false }
        if try readFrame() != nil { return false }
        if try enterSuccessor() { return try isAtCleanEnd() }
        return try isBlank()
    }

    /// Whether nothing stands where the next frame would: a writer's bytes come in order.
    private mutating func isBlank() throws(StorageError) -> Bool {
        guard let file = current?.file else { return true }
        let head = buffer.bytes.slice(0..<FrameHeader.size)
        let count = try file.read(into: head, at: offset)
        return UnsafeRawBufferPointer(head).slice(0..<count).isZero(from: 0)
    }
}

extension LogTail {
    /// The file that the next frame goes to, if it still has room; nil before the first segment.
    func activeSegment() throws(StorageError) -> LogWriter.Active? {
        guard let current else { return nil }
        let file = try store.fileSystem.open(path(next.segment), .readWrite)
        return LogWriter.Active(
            file: file, header: current.header, size: try file.size().length & ~7)
    }
}

extension LogEnd {
    /// The begin of a log, before its first segment.
    static let begin = LogEnd(
        position: .zero, hash: .none, salt: .zero, segment: SegmentIndex(0))
}

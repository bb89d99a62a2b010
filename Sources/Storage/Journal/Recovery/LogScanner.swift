/// Reads a log from its first segment to its end, verifies every frame, hands on the commits, and
/// ends with a verdict from the recovery table. It writes nothing. Memory is bounded by the largest
/// segment (16 MiB) and the largest transaction.
struct LogScanner {
    /// The end of a frame that the log may have to be cut at.
    struct Boundary: Hashable, Sendable {
        var position: LogPosition
        var hash: FrameHash
        var lastVersion: Version
    }

    /// A group that verified, whole.
    struct Group {
        // Unsafe: valid during the call of the sink.
        var payload: UnsafeRawBufferPointer
        var firstVersion: Version
        var lastVersion: Version
        var recordCount: Int
        var end: LogPosition
        /// The file with the group's frame.
        var segmentPath: String
        /// Where in the file that frame begins.
        var frameOffset: Int
        /// Whether the payload is more than what stands in that frame.
        var hasParts: Bool
        /// The tree that the group makes, when the page files have it: to go on from instead of
        /// applying the commits.
        var tree: CheckpointRecord?

        /// Where in the file a commit of the group stands; of one that is spread over several
        /// files, the frame that completes it.
        func offset(of commit: CommitView) -> Int {
            hasParts ? frameOffset : frameOffset + FrameHeader.size + commit.offset
        }
    }

    /// Called for every group in order, with the records already checked.
    typealias Sink = (Group) throws(StorageError) -> Void

    let fileSystem: any FileSystem
    let list: SegmentList
    let database: Bits128
    /// What frames are sealed with; nil in a plain store.
    let cipher: StoreCipher?
    let horizon: Horizon?

    /// The newest verified boundary.
    private(set) var end = Boundary(position: .zero, hash: .none, lastVersion: .zero)
    /// Bytes before this position are known to be durable.
    private(set) var proven = LogPosition.zero
    /// The boundaries from `proven` on, the first of them at or before it.
    private(set) var boundaries: [Boundary]
    var report = RecoveryReport()
    var verdict = RecoveryVerdict.cleanEnd
    /// Length of the newest segment's file.
    private(set) var lastSegmentLength = 0

    var key: FrameKey?
    /// The salt of the epoch that the last group is of.
    private(set) var lastSalt = Bits128.zero
    /// The newest checkpoint whose frame verifies.
    private(set) var checkpoint: Superblock.Checkpoint?
    private var segment: SegmentHeader?
    /// The checkpoint to begin at.
    let origin: CheckpointRecord?

    /// Parts that wait for their group.
    let parts = CommitGroupBuffer()
    var partsVersion: Version?
    var segmentPath = ""
    var segmentFirst = LogPosition.zero

    /// Begins at `checkpoint`, or with the first segment when there is none.
    init(
        fileSystem: any FileSystem, list: SegmentList, database: Bits128, horizon: Horizon?,
        from checkpoint: CheckpointRecord? = nil, cipher: StoreCipher? = nil
    ) {
        self.fileSystem = fileSystem
        self.list = list
        self.database = database
        self.cipher = cipher
        self.horizon = horizon
        origin = checkpoint
        if let checkpoint {
            end = Boundary(
                position: checkpoint.replayStart.position, hash: checkpoint.replayStart.hash,
                lastVersion: checkpoint.version)
            proven = end.position
            report.lastVersion = checkpoint.version
            lastSalt = checkpoint.replayStart.salt
        } else if let header = list.segments.first?.header, header.index != .first {
            end = Boundary(
                position: header.firstPosition, hash: header.previousHash,
                lastVersion: header.lastVersion)
        }
        boundaries = [end]
        if let horizon { prove(horizon.synced) }
    }

    /// Reads the log once.
    mutating func scan(_ sink: Sink) throws(StorageError) {
        segmentPath = "log"
        guard !list.segments.isEmpty else {
            // Unsafe: an empty buffer, which nothing is read from.
            return try conclude(.zeros, at: 0, behind: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        for (number, segment) in list.segments.enumerated() {
            let successor = number + 1 < list.segments.count ? list.segments[number + 1] : nil
            try scan(segment, successor: successor?.header, sink)
        }
    }

    /// The boundary at `proven`, where the log may be cut.
    func provenBoundary() throws(StorageError) -> Boundary {
        if let boundary = boundaries.first(where: { $0.position == proven }) { return boundary }
        throw corruption(at: end.position, "the durable end of the log is inside a frame")
    }

    private mutating func scan(
        _ segment: SegmentList.Segment, successor: SegmentHeader?, _ sink: Sink
    ) throws(StorageError) {
        segmentPath = segment.path
        self.segment = segment.header
        segmentFirst = segment.header.firstPosition
        // What stands before the checkpoint's replay start is not looked at.
        let start = originOffset(in: segment.header) ?? 0
        let contents = try contents(of: segment.path, from: start)
        let bytes = UnsafeRawBufferPointer(contents.buffer.bytes)
        lastSegmentLength = bytes.count
        try enter(segment.header)
        while true {
            let offset = SegmentHeader.size + (end.position.distance(from: segmentFirst) ?? 0)
            if let successor, successor.firstPosition == end.position {
                return followSuccessor()
            }
            // A frame never reaches into what the successor says is not the log's.
            let limit =
                successor.flatMap { $0.firstPosition.distance(from: segmentFirst) }
                .map { min(SegmentHeader.size + min($0, bytes.count), bytes.count) } ?? bytes.count
            guard let frame = frame(in: bytes, at: offset, limit: limit) else {
                let rest = offset < limit ? bytes.slice(offset..<limit) : bytes.slice(0..<0)
                let written = min(limit, contents.end)
                let isZero = bytes.slice(min(offset, written)..<written).isZero(from: 0)
                let cursor = isZero ? RecoveryEvidence.Cursor.zeros : .bad
                return try conclude(
                    cursor, at: offset, behind: rest, hasSuccessor: successor != nil)
            }
            guard frame.header.position == end.position, frame.header.previousHash == end.hash,
                frame.header.syncedThrough <= end.position
            else { return try conclude(.brokenLink, at: offset, behind: bytes.slice(0..<0)) }
            try take(frame, in: bytes, at: offset, sink)
        }
    }

    /// Begins a segment: its header chains it to the one before.
    private mutating func enter(_ header: SegmentHeader) throws(StorageError) {
        if let start = origin?.replayStart, originOffset(in: header) != nil {
            key = start.salt == .zero ? nil : frameKey(start.salt)
            return
        }
        guard header.firstPosition == end.position, header.previousHash == end.hash,
            header.lastVersion == end.lastVersion
        else {
            throw .corrupted(
                segment: segmentPath, offset: 32,
                reason: "its header does not continue the segment before")
        }
        prove(header.firstPosition)
        key = nil
        guard header.epochSalt != .zero else { return }
        key = frameKey(header.epochSalt)
    }

    private func frameKey(_ salt: Bits128) -> FrameKey {
        FrameKey(salt: salt, database: database, cipher: cipher)
    }

    /// Where in the segment the scan begins, if it is the one that it begins with.
    private func originOffset(in header: SegmentHeader) -> Int? {
        guard let start = origin?.replayStart, header.index == start.segment else { return nil }
        return start.position.distance(from: header.firstPosition).map { SegmentHeader.size + $0 }
    }

    private func followSuccessor() {
        let evidence = RecoveryEvidence(
            cursor: .recordedEnd, sequence: .successor, isProven: false,
            hasOpenParts: partsVersion != nil)
        precondition(RecoveryTable.row(for: evidence).verdict == .continueInSuccessor)
    }

    /// What a segment's file holds.
    struct Contents {
        let buffer: AlignedBuffer
        /// Behind this all bytes are zero.
        let end: Int
    }

    /// A segment's bytes from `start` on; those before it read as zeros.
    func contents(of path: String, from start: Int = 0) throws(StorageError) -> Contents {
        let file = try fileSystem.open(path, .readOnly)
        let length = try file.size().length
        guard length <= Self.segmentSizeMax else {
            throw .corrupted(segment: path, offset: length, reason: "the file is over 16 MiB")
        }
        // A whole multiple of 8; what the file lacks of it reads as zeros.
        let buffer = AlignedBuffer(capacity: length.roundedUpTo8)
        // Where the file was written ahead with zeros they are read elsewhere, so that the buffer's
        // own memory, which is zero, is never touched.
        let scratch = AlignedBuffer(capacity: min(length, Self.stepSize))
        var end = start
        for step in stride(from: start, to: length, by: Self.stepSize) {
            let range = step..<min(step + Self.stepSize, length)
            let read = scratch.bytes.slice(0..<range.count)
            let count = try file.read(into: read, at: step)
            // Unsafe: what was just read, of a buffer that outlives its use.
            let bytes = UnsafeRawBufferPointer(read).slice(0..<count)
            for page in stride(from: 0, to: count, by: Self.pageSize) {
                let part = bytes.slice(page..<min(page + Self.pageSize, count))
                if part.isZero(from: 0) { continue }
                end = step + page + part.count
                buffer.bytes.slice(step + page..<end).copyMemory(from: part)
            }
        }
        return Contents(buffer: buffer, end: end)
    }

    /// How much of a file is read at once.
    private static let stepSize = 16 << 10
    /// How much is copied at once: what the system gives memory by, in most cases.
    private static let pageSize = 4 << 10

    /// No segment is larger.
    static let segmentSizeMax = 16 << 20
}

// MARK: - Frames

extension LogScanner {
    /// A frame whose checksums hold.
    struct Frame {
        var header: FrameHeader
        var hash: FrameHash
        var key: FrameKey
    }

    func frame(
        in bytes: UnsafeRawBufferPointer, at offset: Int, limit: Int
    ) -> Frame? {
        guard offset <= limit - FrameHeader.size else { return nil }
        let headerBytes = bytes.slice(offset..<offset + FrameHeader.size)
        guard let header = FrameHeader(headerBytes), header.payloadLength % 8 == 0,
            header.frameSize <= limit - offset
        else { return nil }
        let start = offset + FrameHeader.size
        let payload = bytes.slice(start..<start + Int(header.payloadLength))
        var key = key
        if header.kind == .epoch {
            guard payload.count == EpochPayload.size else { return nil }
            key = frameKey(EpochPayload(payload).salt)
        }
        guard let key, let hash = key.verifiedHash(headerBytes),
            key.payloadChecksum(payload) == header.payloadChecksum
        else { return nil }
        return Frame(header: header, hash: hash, key: key)
    }

    private mutating func take(
        _ frame: Frame, in bytes: UnsafeRawBufferPointer, at offset: Int, _ sink: Sink
    ) throws(StorageError) {
        let header = frame.header
        let start = offset + FrameHeader.size
        let stored = bytes.slice(start..<start + Int(header.payloadLength))
        guard let segment, let opened = frame.key.open(stored, header, in: segment) else {
            throw .corrupted(
                segment: segmentPath, offset: offset,
                reason: "a frame was not sealed here with the store's key")
        }
        defer { withExtendedLifetime(opened) {} }
        let payload = opened.bytes
        prove(header.syncedThrough)
        var boundary = Boundary(
            position: header.endPosition, hash: frame.hash, lastVersion: end.lastVersion)
        report.wasSealed = header.kind == .seal
        switch header.kind {
        case .epoch:
            key = frame.key
        case .part:
            try takePart(header, payload, offset)
        case .group:
            boundary.lastVersion = try takeGroup(frame, payload, offset, sink)
        case .abandon:
            abandonParts()
        case .checkpoint:
            if let record = CheckpointRecord(payload) {
                checkpoint = Superblock.Checkpoint(
                    record: record, position: header.position, segment: segment.index)
            }
        case .seal:
            break
        }
        end = boundary
        boundaries.append(boundary)
        if let horizon, horizon.synced == boundary.position, horizon.syncedHash != boundary.hash {
            throw corruption(at: header.position, "the horizon records another frame here")
        }
        dropProvenBoundaries()
    }

    private mutating func takePart(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ offset: Int
    ) throws(StorageError) {
        if header.flags & FrameHeader.continuesParts == 0 {
            abandonParts()
            partsVersion = header.version
        } else if partsVersion != header.version {
            throw .corrupted(
                segment: segmentPath, offset: offset, reason: "a part continues no transaction")
        }
        parts.appendBytes(payload)
    }

    private mutating func takeGroup(
        _ frame: Frame, _ payload: UnsafeRawBufferPointer, _ offset: Int, _ sink: Sink
    ) throws(StorageError) -> Version {
        let header = frame.header
        var whole = payload
        if header.flags & FrameHeader.continuesParts != 0 {
            guard partsVersion == header.version else {
                throw .corrupted(
                    segment: segmentPath, offset: offset, reason: "a group continues no parts")
            }
            parts.appendBytes(payload)
            whole = UnsafeRawBufferPointer(parts.payload)
        } else {
            abandonParts()
        }
        var group = Group(
            payload: header.commits(in: whole), firstVersion: header.version,
            lastVersion: end.lastVersion,
            recordCount: 0, end: header.endPosition, segmentPath: segmentPath,
            frameOffset: offset, hasParts: header.flags & FrameHeader.continuesParts != 0)
        var records = GroupRecords(group.payload)
        do {
            while let record = try records.next() {
                guard record.version > group.lastVersion else {
                    throw GroupRecords.Malformed(offset: 0)
                }
                group.lastVersion = record.version
                group.recordCount += 1
            }
        } catch {
            throw .corrupted(
                segment: segmentPath, offset: offset, reason: "the commits in it are malformed")
        }
        if header.flags & FrameHeader.holdsTree != 0 {
            guard let tree = GroupTree(endOf: whole) else {
                throw .corrupted(
                    segment: segmentPath, offset: offset, reason: "the group's tree is nowhere")
            }
            group.tree = CheckpointRecord(
                tree, version: group.lastVersion,
                end: LogEnd(
                    position: header.endPosition, hash: frame.hash, salt: frame.key.salt,
                    segment: segment?.index ?? .first))
        }
        try sink(group)
        report.commitCount += group.recordCount
        report.lastVersion = group.lastVersion
        lastSalt = frame.key.salt
        partsVersion = nil
        parts.reset()
        return group.lastVersion
    }

    mutating func abandonParts() {
        guard partsVersion != nil else { return }
        let evidence = RecoveryEvidence(
            cursor: .endsParts, sequence: .newest, isProven: false, hasOpenParts: true)
        precondition(RecoveryTable.row(for: evidence).verdict == .abandonedTransaction)
        report.abandonedBytes += parts.byteCount
        partsVersion = nil
        parts.reset()
    }

    /// Takes note that the log was durable up to `position`.
    mutating func prove(_ position: LogPosition) {
        proven = max(proven, position)
    }

    /// Keeps the newest boundary before `proven` and everything behind it, so that a log without
    /// unproven frames keeps one or two.
    private mutating func dropProvenBoundaries() {
        let unproven = boundaries.firstIndex { $0.position > proven } ?? boundaries.count
        if unproven > 1 { boundaries.removeFirst(unproven - 1) }
    }
}

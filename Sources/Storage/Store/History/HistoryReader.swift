/// Reads what commits changed from the log, one group at a time, while a writer appends to it.
///
/// It reads only what is known to be durable, so that whatever does not verify is damage. It keeps
/// one file open and nothing else: it holds no version of the store.
struct HistoryReader: Sendable {
    private let store: StoreDirectory
    private let database: Bits128
    /// Where it stands.
    private(set) var next: LogEnd
    /// The segment that ``next`` is in, and its file.
    private var current: (header: SegmentHeader, file: any File)?
    /// The one behind it, once it is known.
    private var successor: SegmentHeader?
    private var parts = CommitGroupBuffer(capacity: 1 << 10)
    private var hasParts = false
    /// The last checkpoint whose frame was read.
    private(set) var checkpoint: CheckpointRecord?

    init(_ store: StoreDirectory, database: Bits128, from start: LogEnd) {
        self.store = store
        self.database = database
        next = start
    }

    /// Calls `body` with the commits of the next group before `end`; false when there is none.
    mutating func readGroup(
        upTo end: LogEnd, _ body: (CommitView) throws(HistoryError) -> Void
    ) throws(HistoryError) -> Bool {
        while next.position < end.position {
            try enterSegment(upTo: end)
            let frame = try readFrame()
            defer { withExtendedLifetime(frame) {} }
            let payload = frame.payload.bytes
            switch frame.header.kind {
            case .epoch:
                next.salt = EpochPayload(payload).salt
            case .part:
                if frame.header.flags & FrameHeader.continuesParts == 0 { parts.reset() }
                hasParts = frame.header.flags & FrameHeader.continuesParts == 0 || hasParts
                parts.appendBytes(payload)
            case .group:
                try readCommits(frame.header, payload, body)
                return true
            case .abandon:
                forgetParts()
            case .checkpoint:
                checkpoint = CheckpointRecord(payload)
            case .seal:
                break
            }
        }
        return false
    }

    private mutating func readCommits(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer,
        _ body: (CommitView) throws(HistoryError) -> Void
    ) throws(HistoryError) {
        var whole = payload
        if header.flags & FrameHeader.continuesParts != 0 {
            // The parts went with the log before.
            guard hasParts else { throw .trimmed(oldest: header.version) }
            parts.appendBytes(payload)
            whole = UnsafeRawBufferPointer(parts.payload)
        }
        defer { forgetParts() }
        var records = GroupRecords(header.commits(in: whole))
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

    private mutating func forgetParts() {
        parts.reset()
        hasParts = false
    }

    // MARK: Segments

    /// Opens the segment that holds the next frame, which stands before `end`.
    private mutating func enterSegment(upTo end: LogEnd) throws(HistoryError) {
        if current == nil, next.segment > SegmentIndex(0) { try open(next.segment) }
        while next.segment < end.segment {
            if successor == nil {
                let index = next.segment.next
                successor = try HistoryError.translating { () throws(StorageError) in
                    try HistorySegments.header(index, store)
                }
            }
            guard let header = successor else { throw .trimmed(oldest: .max) }
            guard header.firstPosition == next.position else { return }
            guard header.previousHash == next.hash else {
                throw damage("a segment does not continue the one before")
            }
            next.segment = header.index
            next.salt = header.epochSalt
            try open(header.index)
        }
    }

    private mutating func open(_ index: SegmentIndex) throws(HistoryError) {
        let path = store.logPath + "/" + index.fileName
        successor = nil
        do throws(StorageError) {
            let file = try store.fileSystem.open(path, .readOnly)
            guard let header = try HistorySegments.header(of: file, index),
                header.database == database
            else {
                throw StorageError.corrupted(
                    segment: path, offset: 0, reason: "the header of the segment is damaged")
            }
            current = (header, file)
        } catch .fileNotFound {
            // A checkpoint has removed it.
            throw .trimmed(oldest: .max)
        } catch {
            throw .storage(error)
        }
    }

    // MARK: Frames

    private struct Frame {
        let header: FrameHeader
        let payload: FramePayload
        /// Holds the payload of a plain store.
        let buffer: AlignedBuffer
    }

    private var offset: Int {
        let first = current?.header.firstPosition ?? .zero
        return SegmentHeader.size + (next.position.distance(from: first) ?? 0)
    }

    private mutating func readFrame() throws(HistoryError) -> Frame {
        guard let (segment, file) = current else { throw .trimmed(oldest: .max) }
        let bytes = AlignedBuffer(capacity: FrameHeader.size)
        let offset = offset
        let count = try Self.read(file, bytes, FrameHeader.size, at: offset)
        let headerBytes = UnsafeRawBufferPointer(bytes.bytes)
        guard count == FrameHeader.size, let header = FrameHeader(headerBytes),
            header.payloadLength % 8 == 0, header.position == next.position,
            header.previousHash == next.hash
        else { throw damage("there is no frame that continues the log") }
        let length = Int(header.payloadLength)
        let payload = AlignedBuffer(capacity: length)
        let read = try Self.read(file, payload, length, at: offset + FrameHeader.size)
        let payloadBytes = UnsafeRawBufferPointer(payload.bytes).slice(0..<length)
        var salt = next.salt
        if header.kind == .epoch, length == EpochPayload.size {
            salt = EpochPayload(payloadBytes).salt
        }
        let key = FrameKey(salt: salt, database: database, cipher: store.cipher)
        guard read == length, let hash = key.verifiedHash(headerBytes.slice(0..<FrameHeader.size)),
            key.payloadChecksum(payloadBytes) == header.payloadChecksum,
            let opened = key.open(payloadBytes, header, in: segment)
        else { throw damage("a frame does not verify") }
        next.position = header.endPosition
        next.hash = hash
        return Frame(header: header, payload: opened, buffer: payload)
    }

    private static func read(
        _ file: any File, _ buffer: AlignedBuffer, _ count: Int, at offset: Int
    ) throws(HistoryError) -> Int {
        try HistoryError.translating { () throws(StorageError) in
            try file.read(into: buffer.bytes.slice(0..<count), at: offset)
        }
    }

    private func damage(_ reason: String) -> HistoryError {
        let path = store.logPath + "/" + next.segment.fileName
        return .storage(.corrupted(segment: path, offset: offset, reason: reason))
    }
}

extension HistoryError {
    static func translating<R>(
        _ body: () throws(StorageError) -> R
    ) throws(HistoryError) -> R {
        do {
            return try body()
        } catch {
            throw .storage(error)
        }
    }
}

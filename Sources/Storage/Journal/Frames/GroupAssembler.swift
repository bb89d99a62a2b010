/// Puts the groups of a log together from its frames, which come in order.
struct GroupAssembler: Sendable {
    /// A frame that continues a transaction of which no part came before it.
    struct Orphan: Error {
        let kind: FrameKind

        var reason: String {
            kind == .part ? "a part continues no transaction" : "a group continues no parts"
        }
    }

    /// Where to go on without what was read of a transaction that is not whole.
    private(set) var resumption: LogEnd
    /// Where the last group ends that was read; before the first one, where reading began. It tells
    /// by its salt of which life the last commit is: a writer that made no commit may have begun an
    /// epoch behind it.
    private(set) var commitEnd: LogEnd
    /// Bytes of the parts that were not continued.
    private(set) var abandonedBytes = 0
    /// Parts that wait for their group.
    private var parts: CommitGroupBuffer?
    private var partsVersion = Version.zero

    /// Goes on at `start`, which is of the life of the last commit before it.
    init(from start: LogEnd) {
        resumption = start
        commitEnd = start
    }

    var hasOpenParts: Bool { parts != nil }

    /// The salt of the epoch that the last group is of.
    var lastSalt: Bits128 { commitEnd.salt }

    /// The group that the next frame completes, if it does. Its bytes are those of the frame when
    /// it is whole by itself.
    mutating func take(_ frame: Frame, at place: FramePlace) throws(Orphan) -> LogGroup? {
        let header = frame.header
        let end = frame.end(in: place.segment)
        defer { if parts == nil { resumption = end } }
        switch header.kind {
        case .part:
            try append(frame)
        case .group:
            var payload = frame.payload
            if header.isContinuation {
                let parts = try append(frame)
                self.parts = nil
                payload = FramePayload(parts)
            }
            abandon()
            commitEnd = end
            return LogGroup(header, payload, end: end, at: place)
        case .abandon:
            abandon()
        case .epoch, .checkpoint, .seal:
            break
        }
        return nil
    }

    @discardableResult
    private mutating func append(_ frame: Frame) throws(Orphan) -> CommitGroupBuffer {
        let header = frame.header
        if !header.isContinuation || partsVersion != header.version { abandon() }
        if parts == nil, !header.isContinuation {
            parts = CommitGroupBuffer(capacity: frame.payload.bytes.count)
            partsVersion = header.version
        }
        guard let parts else { throw Orphan(kind: header.kind) }
        parts.appendBytes(frame.payload.bytes)
        return parts
    }

    /// Gives up a transaction that is not whole. Whether there was one.
    @discardableResult
    mutating func abandon() -> Bool {
        guard let parts else { return false }
        abandonedBytes += parts.byteCount
        self.parts = nil
        return true
    }
}

/// Assembles the groups of a log from its frames, in order.
struct GroupAssembler: Sendable {
    /// A frame that continues a transaction whose earlier parts are missing.
    struct Orphan: Error {
        let kind: FrameKind

        var reason: String {
            kind == .part ? "a part continues no transaction" : "a group continues no parts"
        }
    }

    /// Where to resume reading: before the parts of an incomplete group.
    private(set) var resumption: LogEnd
    /// The end of the last group; before the first one, where reading began. Its salt identifies
    /// the writer of the last commit: a later epoch may have no commit.
    private(set) var commitEnd: LogEnd
    /// Bytes of parts whose group was never completed.
    private(set) var abandonedBytes = 0
    /// The parts of an incomplete group.
    private var parts: CommitGroupBuffer?
    private var partsVersion = Version.zero

    /// Begins at `start`, whose salt identifies the writer of the last commit before it.
    init(from start: LogEnd) {
        resumption = start
        commitEnd = start
    }

    var hasOpenParts: Bool { parts != nil }

    /// The salt of the last group's epoch.
    var lastSalt: Bits128 { commitEnd.salt }

    /// The group that the next frame completes, if it does. A group in a single frame uses the
    /// frame's bytes.
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

    /// Discards the parts of an incomplete group. Returns whether there were any.
    @discardableResult
    mutating func abandon() -> Bool {
        guard let parts else { return false }
        abandonedBytes += parts.byteCount
        self.parts = nil
        return true
    }
}

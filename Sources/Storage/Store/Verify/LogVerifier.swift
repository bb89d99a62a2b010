import Synchronization

/// Checks every frame of a log: that it verifies, stands at its own position, continues the one
/// before, and holds well-formed commits; and that every segment continues its predecessor.
///
/// It reads the segments that the log had when it was made, up to an end that was durable then. So
/// it may run while a writer appends, and while checkpoints remove segments, which are left out.
struct LogVerifier {
    /// A place between two frames.
    struct Boundary: Hashable, Sendable {
        var position: LogPosition
        var hash: FrameHash
    }

    private let store: StoreDirectory
    private let database: Bits128
    /// Where to end; nil to end where the last segment's frames do.
    private let end: Boundary?
    private let list: SegmentList

    private var next = Boundary(position: .zero, hash: .none)
    private var key: FrameKey?
    /// Nil when it is not known.
    private var lastVersion: Version? = .zero
    private var parts: CommitGroupBuffer?
    /// Whether parts may have gone with the log before a checkpoint, whose last frame is still
    /// here.
    private var mayLackParts = false

    /// Lists the segments of the log, of which none is removed meanwhile.
    init(_ log: Log) throws(StorageError) {
        store = log.store
        database = log.database
        let (end, last) = log.durableEnd
        self.end = end
        // An earlier segment than what the store needs may be left, or may not; a later one than
        // the last is being made ahead.
        list = try SegmentList.read(
            from: store.fileSystem, directory: store.logPath, database: database,
            first: log.firstNeededSegment, last: last)
    }

    /// Bytes of log for each unit of work that is reported.
    static let bytesPerWork = 64

    /// Reads the log once. Throws what the disk reports, and `CancellationError`.
    mutating func verify(_ tally: inout VerificationTally) throws {
        if let reason = list.breakReason {
            tally.note(.log, StoreProblem.Place(file: store.logPath, offset: 0), reason)
        }
        var isFirst = true
        for (number, segment) in list.segments.enumerated() {
            let header = segment.header
            if let end, header.firstPosition > end.position { break }
            if isFirst { mayLackParts = header.firstPosition > .zero }
            if !isFirst,
                Boundary(header) != next || header.lastVersion != lastVersion ?? header.lastVersion
            {
                tally.note(
                    .log, StoreProblem.Place(file: segment.path, offset: 32),
                    "its header does not continue the segment before")
                parts = nil
            }
            next = Boundary(header)
            lastVersion = header.lastVersion
            key =
                header.epochSalt == .zero
                ? nil
                : FrameKey(salt: header.epochSalt, database: database, cipher: store.cipher)
            let successor =
                number + 1 < list.segments.count ? list.segments[number + 1].header : nil
            guard let contents = try contents(of: segment.path) else {
                isFirst = true
                continue
            }
            isFirst = false
            try verify(contents, header, successor, &tally)
            tally.counts.segments += 1
        }
        if let end, !isFirst || list.segments.isEmpty, next.position < end.position {
            let path = list.segments.last?.path ?? store.logPath
            tally.note(
                .log, StoreProblem.Place(file: path, offset: 0),
                "the log ends at position \(next.position), before \(end.position)")
        }
    }

    /// The bytes of a segment; nil when a checkpoint that was made meanwhile has removed it.
    private func contents(of path: String) throws(StorageError) -> SegmentContents? {
        do {
            return try SegmentContents(path, store.fileSystem)
        } catch .fileNotFound {
            return nil
        }
    }

    private mutating func verify(
        _ contents: SegmentContents, _ segment: SegmentHeader, _ successor: SegmentHeader?,
        _ tally: inout VerificationTally
    ) throws {
        try contents.withBytes { bytes in
            while next.position != successor?.firstPosition {
                let start = next.position.distance(from: segment.firstPosition) ?? 0
                let offset = SegmentHeader.size + start
                let place = StoreProblem.Place(file: contents.path, offset: offset)
                if let end, next.position >= end.position {
                    if next != end { tally.note(.log, place, "the log's end is another frame") }
                    return
                }
                let keys = key.map { [$0] } ?? []
                guard
                    let frame = LogFrame(
                        in: bytes, at: offset, keys: keys, database: database,
                        cipher: store.cipher)
                else {
                    if successor == nil, end == nil { return }
                    return tally.note(.log, place, "there is no frame that verifies")
                }
                guard let payload = frame.payload(in: bytes, of: segment) else {
                    return tally.note(.log, place, "the frame was not sealed with the store's key")
                }
                defer { withExtendedLifetime(payload) {} }
                try take(frame, payload.bytes, place, &tally)
            }
        }
    }

    private mutating func take(
        _ frame: LogFrame, _ payload: UnsafeRawBufferPointer, _ place: StoreProblem.Place,
        _ tally: inout VerificationTally
    ) throws {
        let header = frame.header
        if header.position != next.position || header.previousHash != next.hash
            || header.syncedThrough > next.position
        {
            tally.note(.log, place, "the frame does not continue the one before")
        }
        tally.counts.frames += 1
        tally.counts.logBytes += header.frameSize
        try tally.advance(header.frameSize / Self.bytesPerWork)
        key = frame.key
        switch header.kind {
        case .part:
            if header.flags & FrameHeader.continuesParts == 0 {
                parts = CommitGroupBuffer()
                mayLackParts = false
            }
            parts?.appendBytes(payload)
        case .group:
            if header.flags & FrameHeader.continuesParts == 0 {
                checkGroup(header, payload, place, &tally)
            } else if let parts {
                parts.appendBytes(payload)
                checkGroup(header, UnsafeRawBufferPointer(parts.payload), place, &tally)
            } else if mayLackParts {
                // Its commits are in the checkpoint; what is left of them does not say how many.
                lastVersion = nil
            } else {
                tally.note(.log, place, "a group continues no parts")
            }
            parts = nil
            mayLackParts = false
        case .abandon:
            parts = nil
            mayLackParts = false
        case .epoch, .checkpoint, .seal: break
        }
        next = Boundary(
            position: next.position.advanced(by: header.frameSize), hash: frame.hash)
    }

    private mutating func checkGroup(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ place: StoreProblem.Place,
        _ tally: inout VerificationTally
    ) {
        if header.flags & FrameHeader.holdsTree != 0, GroupTree(endOf: payload) == nil {
            tally.note(.log, place, "the tree of a group is nowhere")
        }
        var records = GroupRecords(header.commits(in: payload))
        do throws(GroupRecords.Malformed) {
            while let record = try records.next() {
                if let lastVersion, record.version <= lastVersion {
                    tally.note(.log, place, "commit \(record.version) follows \(lastVersion)")
                }
                lastVersion = record.version
                tally.counts.commits += 1
            }
        } catch {
            tally.note(.log, place, "the commits of a group are malformed")
        }
    }
}

extension LogVerifier.Boundary {
    fileprivate init(_ header: SegmentHeader) {
        self.init(position: header.firstPosition, hash: header.previousHash)
    }
}

extension Log {
    /// What of the log is durable at this moment, and the last segment that was begun; nil when
    /// this process does not write it.
    fileprivate var durableEnd: (LogVerifier.Boundary?, last: SegmentIndex?) {
        state.withLock { state in
            guard let writer = state.writer else { return (nil, nil) }
            let end = LogVerifier.Boundary(position: writer.synced, hash: writer.syncedHash)
            return (end, writer.end.segment)
        }
    }
}

import Synchronization

/// Checks every frame of a log: that it verifies, is at its own position, continues the previous
/// one, and contains well-formed commits; and that every segment continues its predecessor.
///
/// It reads the segments that the log had when it was created, including those of the history, up
/// to a position that was durable then. So it may run while a writer appends, and while checkpoints
/// remove segments, which are skipped.
struct LogVerifier {
    /// A boundary between two frames.
    struct Boundary: Hashable, Sendable {
        var position: LogPosition
        var hash: FrameHash
    }

    private let store: StoreDirectory
    /// The end; nil for the end of the last segment's frames.
    private let end: Boundary?
    private let list: SegmentList
    /// The file of an unreadable segment of the history, before those of the list.
    private let unreadable: String?

    private var next = Boundary(position: .zero, hash: .none)
    private var reader: FrameReader
    private var groups = GroupAssembler(from: .begin)
    /// Nil if it is unknown.
    private var lastVersion: Version? = .zero
    /// Whether earlier parts may have been removed with the log before a checkpoint, whose last
    /// frame is still here.
    private var mayLackParts = false

    /// Lists the segments of the log. None is removed meanwhile.
    init(_ log: Log) throws(StorageError) {
        store = log.store
        reader = FrameReader(log.database, cipher: log.store.cipher)
        let (end, last) = log.durableEnd
        self.end = end
        // A segment before a gap is a leftover; one after the last is being prepared.
        let first = try Self.firstSegment(of: log)
        list = try SegmentList.read(
            from: store.fileSystem, directory: store.logPath, database: log.database,
            first: first, last: last)
        unreadable = try Self.unreadableSegment(before: first, store)
    }

    /// The first segment of the retained history; nil if the log begins with the first that exists.
    private static func firstSegment(of log: Log) throws(StorageError) -> SegmentIndex? {
        guard let needed = log.firstNeededSegment else { return nil }
        guard let last = needed.previous else { return needed }
        let history = try HistorySegments(log.store, database: log.database, end: last).headers
        return history.last?.index == last ? history.first?.index : needed
    }

    /// The file of the segment before `first`, if it exists and has no header.
    private static func unreadableSegment(
        before first: SegmentIndex?, _ store: StoreDirectory
    ) throws(StorageError) -> String? {
        guard let index = first?.previous else { return nil }
        do throws(StorageError) {
            return try LogSegment(index, of: store) == nil ? store.path(of: index) : nil
        } catch .fileNotFound {
            return nil
        }
    }

    /// Bytes of log per reported unit of work.
    static let bytesPerWork = 64

    /// Reads the log once. Throws errors of the disk, and `CancellationError`.
    mutating func verify(_ tally: inout VerificationTally) throws {
        if let unreadable {
            tally.note(
                .log, StoreProblem.Place(file: unreadable, offset: 0),
                "the header of a history segment is invalid")
        }
        if let reason = list.breakReason {
            tally.note(.log, StoreProblem.Place(file: store.logPath, offset: 0), reason)
        }
        var isFirst = true
        for (number, segment) in list.segments.enumerated() {
            let header = segment.header
            if let end, header.firstPosition > end.position { break }
            if isFirst {
                mayLackParts = header.firstPosition > .zero
                groups.abandon()
            } else if Boundary(header) != next
                || header.lastVersion != lastVersion ?? header.lastVersion
            {
                tally.note(
                    .log, StoreProblem.Place(file: segment.path, offset: 32),
                    "its header does not continue the previous segment")
                groups.abandon()
            }
            next = Boundary(header)
            lastVersion = header.lastVersion
            reader.resume(in: header.epochSalt)
            let successor =
                number + 1 < list.segments.count ? list.segments[number + 1].header : nil
            guard let contents = try contents(of: segment.path) else {
                isFirst = true
                continue
            }
            isFirst = false
            try verify(contents, segment.path, header, successor, &tally)
            tally.counts.segments += 1
        }
        if let end, !isFirst || list.segments.isEmpty, next.position < end.position {
            let path = list.segments.last?.path ?? store.logPath
            tally.note(
                .log, StoreProblem.Place(file: path, offset: 0),
                "the log ends at position \(next.position), before \(end.position)")
        }
    }

    /// The bytes of a segment; nil if a checkpoint has removed it meanwhile.
    private func contents(of path: String) throws(StorageError) -> SegmentContents? {
        do {
            return try SegmentContents(path, store.fileSystem)
        } catch .fileNotFound {
            return nil
        }
    }

    private mutating func verify(
        _ contents: SegmentContents, _ path: String, _ segment: SegmentHeader,
        _ successor: SegmentHeader?, _ tally: inout VerificationTally
    ) throws {
        defer { withExtendedLifetime(contents) {} }
        while next.position != successor?.firstPosition {
            let offset = segment.offset(of: next.position) ?? SegmentHeader.size
            let place = FramePlace(segment: segment.index, path: path, offset: offset)
            if let end, next.position >= end.position {
                if next != end { tally.note(place, "the frames do not end at the end of the log") }
                return
            }
            guard let sealed = try? reader.frame(in: contents.bytes, at: offset) else {
                if successor == nil, end == nil { return }
                return tally.note(place, "there is no valid frame")
            }
            guard let frame = sealed.open(in: segment) else {
                return tally.note(place, "the frame was not sealed with the store key")
            }
            defer { withExtendedLifetime(frame) {} }
            try take(frame, place, &tally)
        }
    }

    private mutating func take(
        _ frame: Frame, _ place: FramePlace, _ tally: inout VerificationTally
    ) throws {
        let header = frame.header
        if !header.continues(next.position, next.hash) || header.syncedThrough > next.position {
            tally.note(place, "the frame does not continue the previous frame")
        }
        tally.counts.frames += 1
        tally.counts.logBytes += header.frameSize
        try tally.advance(header.frameSize / Self.bytesPerWork)
        reader.resume(with: frame.key)
        do {
            if let group = try groups.take(frame, at: place) { check(group, &tally) }
        } catch {
            if error.kind == .group, mayLackParts {
                // Its commits are in the checkpoint; the remaining parts do not say how many there
                // were.
                lastVersion = nil
            } else if error.kind == .group {
                tally.note(place, error.reason)
            }
        }
        if !header.leavesPartsOpen { mayLackParts = false }
        next = Boundary(
            position: next.position.advanced(by: header.frameSize), hash: frame.hash)
    }

    private mutating func check(_ group: LogGroup, _ tally: inout VerificationTally) {
        defer { withExtendedLifetime(group) {} }
        if group.lacksTree { tally.note(group.place, "the tree of a commit group is missing") }
        var records = GroupRecords(group.commits)
        do throws(GroupRecords.Malformed) {
            while let record = try records.next() {
                if let lastVersion, record.version <= lastVersion {
                    tally.note(group.place, "commit \(record.version) follows \(lastVersion)")
                }
                lastVersion = record.version
                tally.counts.commits += 1
            }
        } catch {
            tally.note(group.place, "the commits of a commit group are malformed")
        }
    }
}

extension VerificationTally {
    fileprivate mutating func note(_ place: FramePlace, _ reason: String) {
        note(.log, StoreProblem.Place(file: place.path, offset: place.offset), reason)
    }
}

extension LogVerifier.Boundary {
    fileprivate init(_ header: SegmentHeader) {
        self.init(position: header.firstPosition, hash: header.previousHash)
    }
}

extension Log {
    /// The durable position of the log, and its last segment in use; nil if this process is not the
    /// writer.
    fileprivate var durableEnd: (LogVerifier.Boundary?, last: SegmentIndex?) {
        state.withLock { state in
            guard let writer = state.writer else { return (nil, nil) }
            let end = LogVerifier.Boundary(position: writer.synced, hash: writer.syncedHash)
            return (end, writer.end.segment)
        }
    }
}

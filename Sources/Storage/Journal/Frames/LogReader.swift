/// Reads the frames of a log from its files, beginning at a frame boundary. It keeps the current
/// file open until ``closeFile()``, and writes nothing.
///
/// The caller decides which segment comes next, and what a missing frame means.
struct LogReader: Sendable {
    let store: StoreDirectory
    /// Where the next frame begins.
    private(set) var next: LogEnd
    /// The segment that ``next`` is in.
    private(set) var segment: LogSegment?
    private var frames: FrameReader

    init(_ store: StoreDirectory, database: Bits128, from start: LogEnd) {
        self.store = store
        next = start
        frames = FrameReader(database, cipher: store.cipher)
        frames.resume(in: start.salt)
    }

    /// A segment of this log; nil if it was not written to yet. Throws `.fileNotFound` if it was
    /// removed.
    func open(_ index: SegmentIndex) throws(StorageError) -> LogSegment? {
        let segment = try LogSegment(index, of: store)
        return segment?.header.database == frames.database ? segment : nil
    }

    /// Continues in the current segment, or begins the next.
    mutating func enter(_ segment: LogSegment) {
        self.segment = segment
        if segment.header.index == next.segment { return }
        next.segment = segment.header.index
        next.salt = segment.header.epochSalt
        frames.resume(in: next.salt)
    }

    /// Closes the file. To continue reading, the caller opens and enters the segment again.
    mutating func closeFile() { segment = nil }

    private var offset: Int {
        segment?.header.offset(of: next.position) ?? SegmentHeader.size
    }

    /// The place of the next frame.
    var place: FramePlace {
        FramePlace(
            segment: next.segment, path: segment?.path ?? store.path(of: next.segment),
            offset: offset)
    }

    /// The frame that continues the log. Its contents are valid until the window is filled again,
    /// perhaps by the next call.
    func read(into window: inout LogWindow) throws(StorageError) -> Result<Frame, FrameAbsence> {
        guard let segment else { return .failure(.end) }
        let offset = offset
        if case .success(let frame) = frame(in: window, at: offset, of: segment) {
            return .success(frame)
        }
        try window.fill(from: segment, at: offset)
        if let bytes = window.bytes(of: segment.header.index, from: offset),
            let header = FrameHeader(bytes)
        {
            guard header.continues(next.position, next.hash) else { return .failure(.unrelated) }
            try window.extend(to: header.frameSize, in: segment)
        }
        return frame(in: window, at: offset, of: segment)
    }

    private func frame(
        in window: borrowing LogWindow, at offset: Int, of segment: LogSegment
    ) -> Result<Frame, FrameAbsence> {
        guard let bytes = window.bytes(of: segment.header.index, from: offset) else {
            return .failure(.end)
        }
        do throws(FrameAbsence) {
            let sealed = try frames.frame(in: bytes, at: 0)
            guard sealed.header.continues(next.position, next.hash) else { throw .unrelated }
            guard let frame = sealed.open(in: segment.header, owner: window.owner) else {
                throw .foreign
            }
            return .success(frame)
        } catch {
            return .failure(error)
        }
    }

    /// Advances to the end of a frame that was read.
    mutating func pass(_ frame: Frame) {
        next = frame.end(in: next.segment)
        frames.resume(with: frame.key)
    }

    func damage(_ reason: String) -> StorageError { place.damage(reason) }
}

/// A segment of a log whose file is open.
struct LogSegment: Sendable {
    let header: SegmentHeader
    let file: any File
    let path: String

    /// Nil if the segment was not written to yet. Throws `.fileNotFound` if it does not exist.
    init?(_ index: SegmentIndex, of store: StoreDirectory) throws(StorageError) {
        path = store.path(of: index)
        file = try store.fileSystem.open(path, .readOnly)
        guard case .valid(let header) = try SegmentHeaderReading(file), header.index == index else {
            return nil
        }
        self.header = header
    }
}

/// The location of a frame in the files of a log.
struct FramePlace: Sendable {
    let segment: SegmentIndex
    let path: String
    let offset: Int

    func damage(_ reason: String) -> StorageError {
        .corrupted(segment: path, offset: offset, reason: reason)
    }
}

extension LogEnd {
    /// The start of a log, before its first segment.
    static let begin = LogEnd(
        position: .zero, hash: .none, salt: .zero, segment: SegmentIndex(0))

    /// The location of the first frame of a segment.
    init(beginOf header: SegmentHeader) {
        self.init(
            position: header.firstPosition, hash: header.previousHash, salt: header.epochSalt,
            segment: header.index)
    }
}

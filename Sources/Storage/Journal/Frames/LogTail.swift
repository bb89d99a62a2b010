/// Reads a log that another process appends to, beginning at a frame boundary.
///
/// A frame that does not verify is not damage here: it is not written yet.
struct LogTail {
    private var log: LogReader
    private var groups: GroupAssembler
    private var window = LogWindow()

    /// Begins at `start`, whose salt identifies the writer of the last commit before it; nil for
    /// the start of the log.
    init(_ store: StoreDirectory, database: Bits128, from start: LogEnd?) {
        log = LogReader(store, database: database, from: start ?? .begin)
        groups = GroupAssembler(from: start ?? .begin)
    }

    /// Where the next frame begins.
    var next: LogEnd { log.next }

    /// Where to resume reading, before any parts of an incomplete group.
    var resumption: LogEnd { groups.resumption }

    /// The end of the last group that was read.
    var commitEnd: LogEnd { groups.commitEnd }

    /// Calls `body` with every group that ends at or before `limit` and verifies.
    ///
    /// A group counts as read even if `body` throws.
    mutating func read(
        upTo limit: LogPosition, _ body: (LogGroup) throws(StorageError) -> Void
    ) throws(StorageError) {
        // The writer may have revoked what was read beyond the last limit.
        window.clear()
        while next.position < limit {
            if log.segment == nil, try !enterFirst() { return }
            switch try readFrame() {
            case .success(let frame):
                if frame.header.endPosition > limit { return }
                try take(frame, body)
            case .failure:
                if try !enterSuccessor() { return }
            }
        }
    }

    private mutating func take(
        _ frame: Frame, _ body: (LogGroup) throws(StorageError) -> Void
    ) throws(StorageError) {
        let place = log.place
        log.pass(frame)
        let group: LogGroup?
        do {
            group = try groups.take(frame, at: place)
        } catch {
            throw place.damage(error.reason)
        }
        if let group { try body(group) }
        withExtendedLifetime((frame, group)) {}
    }

    private mutating func readFrame() throws(StorageError) -> Result<Frame, FrameAbsence> {
        let reading = try log.read(into: &window)
        if case .failure(.foreign) = reading {
            throw log.damage("a frame was not sealed here with the store's key")
        }
        return reading
    }

    /// Whether the log ends here, between two groups, and nothing was written after it: a writer's
    /// bytes appear in order.
    mutating func isAtCleanEnd() throws(StorageError) -> Bool {
        if groups.hasOpenParts { return false }
        window.clear()
        if log.segment == nil, next.segment != SegmentIndex(0), try !enterFirst() { return false }
        guard case .failure(let absence) = try readFrame() else { return false }
        if try enterSuccessor() { return try isAtCleanEnd() }
        return absence == .blank || absence == .end
    }

    /// The file that the next frame goes to, if it still has room; nil before the first segment.
    func activeSegment() throws(StorageError) -> LogWriter.Active? {
        guard let segment = log.segment else { return nil }
        let file = try log.store.fileSystem.open(segment.path, .readWrite)
        let length = try SegmentContents.length(of: file, segment.path)
        return LogWriter.Active(file: file, header: segment.header, size: length & ~7)
    }

    // MARK: Segments

    /// Opens the current segment; false if it does not exist.
    private mutating func enterFirst() throws(StorageError) -> Bool {
        if next.segment == SegmentIndex(0) { return try enterSuccessor() }
        guard let segment = try open(next.segment) else { return false }
        log.enter(segment)
        return true
    }

    /// Continues in the next segment, if that begins where this one ends.
    private mutating func enterSuccessor() throws(StorageError) -> Bool {
        guard let segment = try open(next.segment.next),
            segment.header.firstPosition == next.position, segment.header.previousHash == next.hash
        else { return false }
        log.enter(segment)
        return true
    }

    /// A segment with its header; nil if it does not exist, or was not written to yet.
    private func open(_ index: SegmentIndex) throws(StorageError) -> LogSegment? {
        do throws(StorageError) {
            return try log.open(index)
        } catch .fileNotFound {
            return nil
        }
    }
}

/// Reads on in a log that another process writes, from one boundary between two frames on.
///
/// What does not verify is no damage here: it only means "not yet".
struct LogTail {
    private var log: LogReader
    private var groups: GroupAssembler
    private var window = LogWindow()

    /// Goes on at `start`, which is of the life of the last commit before it; nil for the begin of
    /// the log.
    init(_ store: StoreDirectory, database: Bits128, from start: LogEnd?) {
        log = LogReader(store, database: database, from: start ?? .begin)
        groups = GroupAssembler(from: start ?? .begin)
    }

    /// Where it stands.
    var next: LogEnd { log.next }

    /// Where to go on without what was read of a transaction that is not whole.
    var resumption: LogEnd { groups.resumption }

    /// Where the last group ends that was read.
    var commitEnd: LogEnd { groups.commitEnd }

    /// Calls `body` with every group that ends at or before `limit` and verifies.
    ///
    /// When `body` throws, the group counts as read.
    mutating func read(
        upTo limit: LogPosition, _ body: (LogGroup) throws(StorageError) -> Void
    ) throws(StorageError) {
        // The writer may have taken back what was read ahead of the last limit.
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

    /// Whether the log ends here, between two transactions, and nothing was written behind: a
    /// writer's bytes come in order.
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

    /// Opens the segment that it stands in; false when that is not there.
    private mutating func enterFirst() throws(StorageError) -> Bool {
        if next.segment == SegmentIndex(0) { return try enterSuccessor() }
        guard let segment = try open(next.segment) else { return false }
        log.enter(segment)
        return true
    }

    /// Goes on in the segment behind, if that begins where this one ends.
    private mutating func enterSuccessor() throws(StorageError) -> Bool {
        guard let segment = try open(next.segment.next),
            segment.header.firstPosition == next.position, segment.header.previousHash == next.hash
        else { return false }
        log.enter(segment)
        return true
    }

    /// A segment with its header; nil when it is not there, or was not begun.
    private func open(_ index: SegmentIndex) throws(StorageError) -> LogSegment? {
        do throws(StorageError) {
            return try log.open(index)
        } catch .fileNotFound {
            return nil
        }
    }
}

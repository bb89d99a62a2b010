/// Reads commits from the log, one group at a time, while a writer appends to it.
///
/// It reads only what is known to be durable, so that a frame that does not verify is damage. It
/// keeps one file open, and pins no version of the store.
struct HistoryReader: Sendable {
    private var log: LogReader
    private var groups: GroupAssembler
    /// The header of the next segment, once it is known.
    private var successor: SegmentHeader?
    /// The last checkpoint whose frame was read.
    private(set) var checkpoint: CheckpointRecord?

    init(_ store: StoreDirectory, database: Bits128, from start: LogEnd) {
        log = LogReader(store, database: database, from: start)
        groups = GroupAssembler(from: start)
    }

    /// Where the next frame begins.
    var next: LogEnd { log.next }

    /// Closes the file until the next read.
    mutating func closeFile() { log.closeFile() }

    /// Calls `body` with the commits of the next group before `end`; false if there is none. A
    /// caller that reads several groups reuses the window.
    mutating func readGroup(
        upTo end: LogEnd, in window: inout LogWindow,
        _ body: (CommitView) throws(HistoryError) -> Void
    ) throws(HistoryError) -> Bool {
        while next.position < end.position {
            try enterSegment(upTo: end)
            let frame = try readFrame(&window)
            defer { withExtendedLifetime(frame) {} }
            guard let group = try take(frame) else { continue }
            defer { withExtendedLifetime(group) {} }
            var records = GroupRecords(group.commits)
            while let commit = try next(of: &records, in: group) { try body(commit) }
            return true
        }
        return false
    }

    private func next(
        of records: inout GroupRecords, in group: LogGroup
    ) throws(HistoryError) -> CommitView? {
        try HistoryError.translating { () throws(StorageError) in try group.next(of: &records) }
    }

    private mutating func take(_ frame: Frame) throws(HistoryError) -> LogGroup? {
        let place = log.place
        log.pass(frame)
        if frame.header.kind == .checkpoint { checkpoint = CheckpointRecord(frame.payload.bytes) }
        do {
            return try groups.take(frame, at: place)
        } catch {
            // The earlier parts were removed with the log before.
            if error.kind == .part { return nil }
            throw .trimmed(oldest: frame.header.version)
        }
    }

    private func readFrame(_ window: inout LogWindow) throws(HistoryError) -> Frame {
        guard log.segment != nil else { throw .trimmed(oldest: .max) }
        let reading = try HistoryError.translating { () throws(StorageError) in
            try log.read(into: &window)
        }
        switch reading {
        case .success(let frame): return frame
        case .failure(.end), .failure(.blank), .failure(.unrelated):
            throw damage("there is no frame that continues the log")
        case .failure(.unverified), .failure(.foreign): throw damage("a frame does not verify")
        }
    }

    private func damage(_ reason: String) -> HistoryError { .storage(log.damage(reason)) }

    // MARK: Segments

    /// Opens the segment of the next frame, which begins before `end`.
    private mutating func enterSegment(upTo end: LogEnd) throws(HistoryError) {
        if log.segment == nil, next.segment > SegmentIndex(0) { try open(next.segment) }
        while next.segment < end.segment {
            if successor == nil {
                successor = try HistoryError.translating { () throws(StorageError) in
                    try HistorySegments.header(next.segment.next, log.store)
                }
            }
            guard let header = successor else { throw .trimmed(oldest: .max) }
            guard header.firstPosition == next.position else { return }
            guard header.previousHash == next.hash else {
                throw damage("a segment does not continue the one before")
            }
            try open(header.index)
        }
    }

    private mutating func open(_ index: SegmentIndex) throws(HistoryError) {
        successor = nil
        do throws(StorageError) {
            guard let segment = try log.open(index) else {
                throw StorageError.corrupted(
                    segment: log.store.path(of: index), offset: 0,
                    reason: "the header of the segment is damaged")
            }
            log.enter(segment)
        } catch .fileNotFound {
            // A checkpoint has removed it.
            throw .trimmed(oldest: .max)
        } catch {
            throw .storage(error)
        }
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

/// Reads a log from its first segment to its end, verifies every frame, delivers the commits, and
/// ends with a verdict from the recovery table. It writes nothing. Memory is bounded by the largest
/// segment (16 MiB) and the largest transaction.
struct LogScanner {
    /// The end of a frame at which the log may have to be truncated.
    struct Boundary: Hashable, Sendable {
        var position: LogPosition
        var hash: FrameHash
        var lastVersion: Version
    }

    /// Called for every group in order, with the records already checked.
    typealias Sink = (LogGroup) throws(StorageError) -> Void

    let fileSystem: any FileSystem
    let list: SegmentList
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

    /// The checkpoints whose frames verify, in order.
    private(set) var checkpoints: [Superblock.Checkpoint] = []
    /// The checkpoint to begin at.
    let origin: CheckpointRecord?

    private(set) var reader: FrameReader
    var groups: GroupAssembler
    private(set) var segment: SegmentHeader?
    private(set) var segmentPath = "log"
    /// Whether the first parts of a transaction may have been removed with earlier segments.
    private var mayLackParts = false
    /// Whether the version of the last commit is unknown, since its group lacks parts.
    private var lacksVersion = false

    /// Begins at `checkpoint`, or with the first segment when there is none.
    init(
        fileSystem: any FileSystem, list: SegmentList, database: Bits128, horizon: Horizon?,
        from checkpoint: CheckpointRecord? = nil, cipher: StoreCipher? = nil
    ) {
        self.fileSystem = fileSystem
        self.list = list
        self.horizon = horizon
        origin = checkpoint
        reader = FrameReader(database, cipher: cipher)
        groups = GroupAssembler(from: checkpoint?.replayStart ?? .begin)
        if let checkpoint {
            end = Boundary(
                position: checkpoint.replayStart.position, hash: checkpoint.replayStart.hash,
                lastVersion: checkpoint.version)
            proven = end.position
            report.lastVersion = checkpoint.version
        } else if let header = list.segments.first?.header, header.index != .first {
            end = Boundary(
                position: header.firstPosition, hash: header.previousHash,
                lastVersion: header.lastVersion)
            mayLackParts = true
        }
        boundaries = [end]
        if let horizon { prove(horizon.synced) }
    }

    /// Reads the log once.
    mutating func scan(_ sink: Sink) throws(StorageError) {
        guard !list.segments.isEmpty else {
            // Unsafe: an empty buffer, which nothing is read from.
            return try conclude(.zeros, at: 0, behind: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        for (number, segment) in list.segments.enumerated() {
            let successor = number + 1 < list.segments.count ? list.segments[number + 1] : nil
            try scan(segment, successor: successor?.header, sink)
        }
    }

    var database: Bits128 { reader.database }

    /// The salt of the last group's epoch.
    var lastSalt: Bits128 { groups.lastSalt }

    /// The boundary at `proven`, where the log may be truncated.
    func provenBoundary() throws(StorageError) -> Boundary {
        if let boundary = boundaries.first(where: { $0.position == proven }) { return boundary }
        throw corruption(at: end.position, "the durable end of the log is inside a frame")
    }

    private mutating func scan(
        _ segment: SegmentList.Segment, successor: SegmentHeader?, _ sink: Sink
    ) throws(StorageError) {
        segmentPath = segment.path
        self.segment = segment.header
        // Bytes before the checkpoint's replay start are not verified.
        let start = originOffset(in: segment.header) ?? 0
        let contents = try SegmentContents(segment.path, fileSystem, from: start)
        defer { withExtendedLifetime(contents) {} }
        lastSegmentLength = contents.bytes.count
        try enter(segment.header)
        // A frame never extends beyond the end that the successor's header records.
        let limit = successor.flatMap { segment.header.offset(of: $0.firstPosition) }
        let bytes = contents.bytes.slice(0..<min(limit ?? .max, lastSegmentLength))
        while true {
            let offset = offset(of: end.position)
            if let successor, successor.firstPosition == end.position {
                return followSuccessor()
            }
            guard let frame = try? reader.frame(in: bytes, at: offset) else {
                let rest = bytes.slice(min(offset, bytes.count)..<bytes.count)
                let written = min(bytes.count, contents.end)
                let isZero = bytes.slice(min(offset, written)..<written).isZero(from: 0)
                let cursor = isZero ? RecoveryEvidence.Cursor.zeros : .bad
                return try conclude(
                    cursor, at: offset, behind: rest, hasSuccessor: successor != nil)
            }
            guard frame.header.continues(end.position, end.hash),
                frame.header.syncedThrough <= end.position
            else { return try conclude(.brokenLink, at: offset, behind: bytes.slice(0..<0)) }
            try take(frame, at: offset, sink)
        }
    }

    /// Begins a segment: its header chains it to the previous one.
    private mutating func enter(_ header: SegmentHeader) throws(StorageError) {
        if let start = origin?.replayStart, originOffset(in: header) != nil {
            return reader.resume(in: start.salt)
        }
        let continuesVersions =
            header.lastVersion == end.lastVersion
            || lacksVersion && header.lastVersion > end.lastVersion
        guard header.firstPosition == end.position, header.previousHash == end.hash,
            continuesVersions
        else {
            throw .corrupted(
                segment: segmentPath, offset: 32,
                reason: "its header does not continue the segment before")
        }
        prove(header.firstPosition)
        reader.resume(in: header.epochSalt)
    }

    /// The file offset of a position in the current segment.
    private func offset(of position: LogPosition) -> Int {
        segment?.offset(of: position) ?? SegmentHeader.size
    }

    /// The file offset at which the scan begins, if it begins in this segment.
    private func originOffset(in header: SegmentHeader) -> Int? {
        guard let start = origin?.replayStart, header.index == start.segment else { return nil }
        return header.offset(of: start.position)
    }

    private func followSuccessor() {
        let evidence = RecoveryEvidence(
            cursor: .recordedEnd, sequence: .successor, isProven: false,
            hasOpenParts: groups.hasOpenParts)
        precondition(RecoveryTable.row(for: evidence).verdict == .continueInSuccessor)
    }

    func corruption(at position: LogPosition, _ reason: String) -> StorageError {
        .corrupted(segment: segmentPath, offset: offset(of: position), reason: reason)
    }
}

// MARK: - Frames

extension LogScanner {
    private mutating func take(
        _ sealed: SealedFrame, at offset: Int, _ sink: Sink
    ) throws(StorageError) {
        guard let segment, let frame = sealed.open(in: segment) else {
            throw .corrupted(
                segment: segmentPath, offset: offset,
                reason: "a frame was not sealed here with the store's key")
        }
        defer { withExtendedLifetime(frame) {} }
        let header = frame.header
        prove(header.syncedThrough)
        reader.resume(with: frame.key)
        report.wasSealed = header.kind == .seal
        var boundary = Boundary(
            position: header.endPosition, hash: frame.hash, lastVersion: end.lastVersion)
        let place = FramePlace(segment: segment.index, path: segmentPath, offset: offset)
        if let group = try take(frame, at: place) {
            boundary.lastVersion = try deliver(group, to: sink)
            lacksVersion = false
        }
        if !header.leavesPartsOpen { mayLackParts = false }
        if header.kind == .checkpoint, let record = CheckpointRecord(frame.payload.bytes) {
            checkpoints.append(
                Superblock.Checkpoint(
                    record: record, position: header.position, segment: segment.index))
        }
        end = boundary
        boundaries.append(boundary)
        if let horizon, horizon.synced == boundary.position, horizon.syncedHash != boundary.hash {
            throw corruption(at: header.position, "the horizon records another frame here")
        }
        dropProvenBoundaries()
    }

    private mutating func take(
        _ frame: Frame, at place: FramePlace
    ) throws(StorageError) -> LogGroup? {
        defer { noteAbandonedParts() }
        do {
            return try groups.take(frame, at: place)
        } catch {
            guard mayLackParts else { throw place.damage(error.reason) }
            // A checkpoint has its commits: otherwise its first parts would not have been removed.
            lacksVersion = error.kind == .group
            return nil
        }
    }

    /// Checks a group and delivers it. Returns the version of its last commit.
    private mutating func deliver(
        _ group: LogGroup, to sink: Sink
    ) throws(StorageError) -> Version {
        defer { withExtendedLifetime(group) {} }
        var (last, count) = (end.lastVersion, 0)
        var records = GroupRecords(group.commits)
        do {
            while let record = try records.next() {
                guard record.version > last else { throw GroupRecords.Malformed(offset: 0) }
                last = record.version
                count += 1
            }
        } catch {
            throw group.damage("the commits in it are malformed")
        }
        _ = try group.tree()
        try sink(group)
        report.commitCount += count
        report.lastVersion = last
        return last
    }

    /// Counts the bytes of abandoned parts.
    private mutating func noteAbandonedParts() {
        guard groups.abandonedBytes > report.abandonedBytes else { return }
        let evidence = RecoveryEvidence(
            cursor: .endsParts, sequence: .newest, isProven: false, hasOpenParts: true)
        precondition(RecoveryTable.row(for: evidence).verdict == .abandonedTransaction)
        report.abandonedBytes = groups.abandonedBytes
    }

    mutating func abandonParts() {
        groups.abandon()
        noteAbandonedParts()
    }

    /// Records that the log is durable up to `position`.
    mutating func prove(_ position: LogPosition) {
        proven = max(proven, position)
    }

    /// Keeps the newest boundary before `proven` and all later ones, so that a log without unproven
    /// frames keeps one or two.
    private mutating func dropProvenBoundaries() {
        let unproven = boundaries.firstIndex { $0.position > proven } ?? boundaries.count
        if unproven > 1 { boundaries.removeFirst(unproven - 1) }
    }
}

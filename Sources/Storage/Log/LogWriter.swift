/// The writing end of the log: stamps frames and writes them, one call per frame. It decides
/// nothing about threads and syncs a file only where the order on disk asks for it.
struct LogWriter: Sendable {
    /// The segment that is written.
    struct Active: Sendable {
        let file: SyncedFile
        let header: SegmentHeader
        let size: Int

        init(file: any File, header: SegmentHeader, size: Int) {
            self.file = SyncedFile(file)
            self.header = header
            self.size = size
        }

        var index: SegmentIndex { header.index }

        func offset(of position: LogPosition) -> Int {
            SegmentHeader.size + (position.distance(from: header.firstPosition) ?? 0)
        }
    }

    let database: Bits128
    /// What frames are sealed with; nil in a plain store.
    let cipher: StoreCipher?
    let options: LogOptions
    let preparer: SegmentPreparer
    /// Nil until the first segment of the log, and behind a cut.
    var active: Active?
    /// Where the next frame goes, and the hash of the one before.
    var position: LogPosition
    var hash: FrameHash
    var lastVersion: Version
    /// The bytes before this position are durable, and the hash of the frame that ends there.
    var synced: LogPosition
    var syncedHash: FrameHash
    /// The salt of the epoch that the last group is of.
    var lastSalt: Bits128
    /// Nil until this writer's epoch has begun.
    var key: FrameKey?
    /// What that begins with.
    private let epoch = EpochPayload.fresh()
    /// Whether new segments are no larger than they must be.
    var savesSpace = false
    /// Whether the next segment is made ahead. Who took over from another process does so when it
    /// has written much: until then the lock may soon be another's again.
    var preparesAhead = true
    /// Bytes that this writer has written.
    var written = 0

    /// One frame to be written.
    private struct Plan {
        var kind: FrameKind
        var flags: UInt8
        var version: Version
        var payload: Range<Int>
        /// The segment to begin with this frame.
        var segment: PreparedSegment?
    }

    /// What tells this writer's commits from those of others.
    var life: UInt64 { epoch.salt.low }

    /// Claims the space for the group. `.outOfSpace` here leaves nothing to undo.
    private func plan(_ group: CommitGroupBuffer) throws(StorageError) -> [Plan] {
        let room = roomInActive()
        let total = group.byteCount
        let flags = group.holdsTree ? FrameHeader.holdsTree : 0
        if total <= room {
            return [
                Plan(kind: .group, flags: flags, version: group.firstVersion, payload: 0..<total)
            ]
        }
        if total <= largestPayload {
            let segment = try take(payload: total, isZeroed: true)
            return [
                Plan(
                    kind: .group, flags: flags, version: group.firstVersion, payload: 0..<total,
                    segment: segment)
            ]
        }
        return try planParts(group, room: room)
    }

    /// Too large for a frame: parts, each in a segment of its own, and the group frame with the
    /// rest.
    private func planParts(
        _ group: CommitGroupBuffer, room: Int
    ) throws(StorageError) -> [Plan] {
        var plans: [Plan] = []
        var start = 0
        // Where the group's tree is stands in one frame, the last.
        let limit = group.byteCount - (group.holdsTree ? GroupTree.size : 0)
        // A part's header goes over the end of the part before, so none is shorter than that.
        if room >= 4096 {
            start = min(room, limit) & ~7
            plans.append(
                Plan(kind: .part, flags: 0, version: group.firstVersion, payload: 0..<start))
        }
        do {
            while start < group.byteCount {
                let segment = try take(
                    payload: min(group.byteCount - start, largestPayload), isZeroed: false)
                let capacity = segment.size - overhead(inNewSegment: true)
                var end = min(start + min(capacity, largestPayload) & ~7, group.byteCount)
                let isLast = end == group.byteCount
                if !isLast { end = min(end, limit) }
                var flags = start == 0 ? 0 : FrameHeader.continuesParts
                if isLast, group.holdsTree { flags |= FrameHeader.holdsTree }
                plans.append(
                    Plan(
                        kind: isLast ? .group : .part, flags: flags,
                        version: group.firstVersion, payload: start..<end, segment: segment))
                start = end
            }
        } catch {
            preparer.giveBack(plans.compactMap(\.segment))
            throw error
        }
        return plans
    }

    /// Writes the group, in one frame if it fits. `onBegin` is called when the space is claimed and
    /// the next failure is a failure of the disk.
    mutating func write(
        _ group: CommitGroupBuffer, onBegin: () -> Void
    ) throws(StorageError) {
        let plans = try plan(group)
        onBegin()
        for plan in plans { try write(plan, group) }
        lastVersion = group.lastVersion
        lastSalt = epoch.salt
    }

    /// The end of what is written, to go on reading there.
    var end: LogEnd {
        LogEnd(
            position: position, hash: hash, salt: key?.salt ?? lastSalt,
            segment: active?.index ?? preparer.lastTaken)
    }

    /// Writes a checkpoint's frame and returns where it stands. With `inSmallSegment`, what follows
    /// stands in a segment that is quickly read; with `inNewSegment`, it begins one.
    mutating func writeCheckpoint(
        _ record: CheckpointRecord, inSmallSegment: Bool, inNewSegment: Bool = false,
        onBegin: () -> Void
    ) throws(StorageError) -> Superblock.Checkpoint {
        let buffer = CommitGroupBuffer(capacity: 1 << 10)
        let bytes = AlignedBuffer(capacity: CheckpointRecord.size)
        record.encode(into: bytes.bytes)
        buffer.appendBytes(UnsafeRawBufferPointer(bytes.bytes))
        let total = buffer.byteCount
        var plan = Plan(kind: .checkpoint, flags: 0, version: lastVersion, payload: 0..<total)
        let isLarge = (active?.size ?? 0) > options.segmentSizeMin
        if inNewSegment || inSmallSegment && isLarge {
            preparer.discardSpare()
            plan.segment = try preparer.take(
                minimum: 4096, size: options.segmentSizeMin, isZeroed: true)
        } else if total > roomInActive() {
            plan.segment = try take(payload: total, isZeroed: true)
        }
        onBegin()
        try write(plan, buffer)
        guard let active else { preconditionFailure("A frame was written into no segment") }
        return Superblock.Checkpoint(
            record: record,
            position: LogPosition(
                position.rawValue - UInt64(FrameHeader.size + total + algorithm.overhead)),
            segment: active.index)
    }

    /// Writes a frame without payload if the segment has room for it.
    mutating func writeSeal(_ scratch: CommitGroupBuffer) throws(StorageError) {
        guard key != nil, roomInActive() >= 0 else { return }
        try write(Plan(kind: .seal, flags: 0, version: lastVersion, payload: 0..<0), scratch)
    }

    private mutating func write(
        _ plan: Plan, _ group: CommitGroupBuffer
    ) throws(StorageError) {
        if let segment = plan.segment { try begin(segment) }
        guard let active else { preconditionFailure("A frame was planned without a segment") }
        let startsEpoch = key == nil
        let isFirst = plan.segment != nil
        var front = FrameHeader.size
        if startsEpoch { front += EpochPayload.frameSize }
        if isFirst { front += SegmentHeader.size }
        // The headers go over the bytes before the payload: the front room, or what the frame
        // before has written already. A tag goes over the first bytes of the part behind it.
        let tagSize = algorithm.overhead
        group.reserve(group.byteCount + tagSize, keeping: group.byteCount)
        let rest = group.payload(behind: plan.payload.upperBound, count: tagSize)
        let size = front + plan.payload.count + tagSize
        let start = CommitGroupBuffer.frontRoom + plan.payload.lowerBound - front
        // Unsafe: the front room is larger than all headers together, so this begins within it;
        // room for the tag was reserved.
        let bytes = UnsafeMutableRawBufferPointer(start: group.base + start, count: size)
        let fileOffset = isFirst ? 0 : active.offset(of: position)
        var offset = 0
        if isFirst {
            active.header.encode(into: bytes)
            offset += SegmentHeader.size
        }
        if startsEpoch { encodeEpoch(into: bytes, at: &offset) }
        encodeFrame(plan, into: bytes.slice(offset..<size))
        try active.file.write(UnsafeRawBufferPointer(bytes), at: fileOffset)
        let tag = size - tagSize
        bytes.slice(tag..<tag + rest.count).copyBytes(from: rest)
        if !preparesAhead { notePreparing(size, active.size) }
    }

    /// Begins to make segments ahead once a good part of one was written.
    private mutating func notePreparing(_ count: Int, _ segmentSize: Int) {
        written += count
        guard written > segmentSize / 4 else { return }
        preparesAhead = true
        preparer.prepare(size: grown(from: segmentSize))
    }

    private var algorithm: EncryptionAlgorithm { cipher == nil ? .none : .aes256GCM }

    /// Ends the active segment: what stands in it is durable before its successor's header says so.
    private mutating func begin(_ segment: PreparedSegment) throws(StorageError) {
        if let active, synced < position {
            try active.file.sync()
            synced = position
            syncedHash = hash
        }
        let header = SegmentHeader(
            index: segment.index, database: database, firstPosition: position,
            previousHash: hash, epochSalt: key?.salt ?? .zero, lastVersion: lastVersion,
            algorithm: algorithm)
        active = Active(file: segment.file, header: header, size: segment.size)
        if preparesAhead { preparer.prepare(size: grown(from: segment.size)) }
    }

    private mutating func encodeEpoch(
        into bytes: UnsafeMutableRawBufferPointer, at offset: inout Int
    ) {
        if preparesAhead { preparer.prepare(size: grown(from: active?.size ?? 0)) }
        key = FrameKey(salt: epoch.salt, database: database, cipher: cipher)
        let frame = bytes.slice(offset..<offset + EpochPayload.frameSize)
        epoch.encode(into: frame.slice(FrameHeader.size..<frame.count))
        encodeFrame(
            Plan(kind: .epoch, flags: 0, version: lastVersion, payload: 0..<EpochPayload.size),
            into: frame)
        offset += EpochPayload.frameSize
    }

    /// Stamps and seals the frame whose payload stands behind the header's place in `frame`, and
    /// moves on.
    private mutating func encodeFrame(_ plan: Plan, into frame: UnsafeMutableRawBufferPointer) {
        guard let key, let active else {
            preconditionFailure("A frame was written outside an epoch")
        }
        var header = FrameHeader(
            kind: plan.kind, flags: plan.flags, payloadLength: frame.count - FrameHeader.size,
            version: plan.version, position: position, syncedThrough: synced, previousHash: hash)
        if let cipher = key.cipher {
            header.encodeFields(into: frame)
            cipher.seal(frame, header, in: active.header)
        }
        let payload = UnsafeRawBufferPointer(frame).slice(FrameHeader.size..<frame.count)
        header.payloadChecksum = key.payloadChecksum(payload)
        hash = header.encode(into: frame, key: key)
        position = header.endPosition
    }

    /// Payload bytes that the active segment still takes, less than 0 when not even a header.
    private func roomInActive() -> Int {
        guard let active else { return -1 }
        let room = active.size - active.offset(of: position) - overhead(inNewSegment: false)
        return min(room, largestPayload)
    }

    private func overhead(inNewSegment isNew: Bool) -> Int {
        FrameHeader.size + (key == nil ? EpochPayload.frameSize : 0)
            + (isNew ? SegmentHeader.size : 0) + algorithm.overhead
    }

    private var largestPayload: Int {
        min(
            options.segmentSizeMax - overhead(inNewSegment: true),
            FrameHeader.payloadSizeMax - algorithm.overhead) & ~7
    }

    /// The size of the segment after one of `size`.
    private func grown(from size: Int) -> Int {
        if savesSpace { return options.segmentSizeMin }
        return max(
            options.segmentSizeMin, min(size * 2, options.segmentSizeGrown, options.segmentSizeMax))
    }

    private func take(payload: Int, isZeroed: Bool) throws(StorageError) -> PreparedSegment {
        let needed = payload + overhead(inNewSegment: true)
        let size = max(grown(from: active?.size ?? 0), needed).roundedUpTo8
        do throws(StorageError) {
            return try preparer.take(minimum: needed, size: size, isZeroed: isZeroed)
        } catch {
            // There may be space for a smaller one.
            let least = max(options.segmentSizeMin, needed).roundedUpTo8
            guard case .outOfSpace = error, least < size else { throw error }
            return try preparer.take(minimum: needed, size: least, isZeroed: isZeroed)
        }
    }
}

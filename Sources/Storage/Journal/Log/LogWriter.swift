/// Encodes the frames of the log and writes each with one call. Knows nothing of threads, and syncs
/// a file only where the order of writes on disk requires it.
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
    /// The cipher that frames are sealed with; nil in a plain store.
    let cipher: StoreCipher?
    let options: LogOptions
    let preparer: SegmentPreparer
    let reserve: SpaceReserve
    /// Nil before the first segment of the log, and after a torn end.
    var active: Active?
    /// The position of the next frame, and the hash of the previous one.
    var position: LogPosition
    var hash: FrameHash
    var lastVersion: Version
    /// The durable position, and the hash of the frame that ends there.
    var synced: LogPosition
    var syncedHash: FrameHash
    /// The salt of the last group's epoch.
    var lastSalt: Bits128
    /// Nil until this writer's epoch has begun.
    var key: FrameKey?
    /// The payload of the frame that begins the epoch.
    private(set) var epoch = EpochPayload.fresh()
    /// Whether new segments are as small as possible.
    var savesSpace = false
    /// Whether the next segment is prepared once a quarter of this one is full, by any
    /// process. A process that took the lease over waits until it has written that much itself:
    /// until then it may soon have to release the lease again.
    var preparesAhead = true
    /// Bytes that this writer has written.
    var written = 0
    /// The segment whose successor was requested.
    var preparedFor: SegmentIndex?

    /// One frame to be written.
    private struct Plan {
        var kind: FrameKind
        var flags: UInt8
        var version: Version
        var payload: Range<Int>
        /// The segment to begin with this frame.
        var segment: PreparedSegment?
    }

    /// The identifier of this writer's commits, see ``Journal/life``.
    var life: UInt64 { epoch.salt.low }

    /// Allocates the space for the group. After `.outOfSpace` nothing has to be undone.
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

    /// Splits a group that is too large for one frame into parts, each in a segment of its own, and
    /// a group frame with the remainder.
    private func planParts(
        _ group: CommitGroupBuffer, room: Int
    ) throws(StorageError) -> [Plan] {
        var plans: [Plan] = []
        var start = 0
        // The reference to the group's tree must not be split.
        let limit = group.byteCount - (group.holdsTree ? GroupTree.size : 0)
        // Headers are encoded over the end of the part before, which must not be shorter.
        if room >= DiskBlock.size {
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
            preparer.returnUnused(plans.compactMap(\.segment))
            throw error
        }
        return plans
    }

    /// Writes the group, in one frame if it fits. After `.outOfSpace` nothing was written.
    mutating func write(_ group: CommitGroupBuffer) throws(StorageError) {
        try execute(try plan(group), group)
        lastVersion = group.lastVersion
        lastSalt = epoch.salt
    }

    /// Writes frames. A copy-on-write file system may lack space although it was allocated: then
    /// all of the frames are revoked, and `.outOfSpace` is thrown.
    private mutating func execute(
        _ plans: [Plan], _ group: CommitGroupBuffer
    ) throws(StorageError) {
        let before = (active, position, hash, synced, syncedHash)
        var done = 0
        do {
            for plan in plans {
                try write(plan, group)
                done += 1
            }
        } catch {
            (active, position, hash, synced, syncedHash) = before
            // The failed sync may be of a segment with acknowledged commits: the error must latch.
            if done == 0, case .io(.sync, _, _) = error { throw error }
            guard case .outOfSpace(let path) = error.claimingSpace else { throw error }
            let hasBegun = if case .outOfSpace = error { done > 0 } else { true }
            group.isUsedUp = cipher != nil || done > 0
            do {
                try revoke(plans, hasBegun: hasBegun)
            } catch {
                // The frames may or may not be on disk: the error must latch.
                throw .io(operation: .write, path: path, errno: Platform.noSpace)
            }
            group.hasBegun = false
            throw .outOfSpace(path: path)
        }
    }

    /// Durably erases what was written of some frames, and begins a new epoch: no position is
    /// sealed twice with one key. `hasBegun`: something of the first frame may have been written.
    ///
    /// A frame that was written in part may verify if the missing bytes are zeros.
    private mutating func revoke(_ plans: [Plan], hasBegun: Bool) throws(StorageError) {
        try preparer.revoke(plans.compactMap(\.segment))
        endEpoch()
        guard hasBegun, let active, plans.first?.segment == nil else { return }
        // Includes the epoch frame that may precede the first frame.
        let size = overhead(inNewSegment: false) + (plans.first?.payload.count ?? 0)
        let start = active.offset(of: position)
        let end = min(start + size, active.size)
        do throws(StorageError) {
            try active.file.writeZeros(from: start, to: end)
        } catch {
            // On a copy-on-write file system, zeros need space as well.
            reserve.spend()
            try active.file.writeZerosBlockwise(from: start, to: end)
        }
        try active.file.sync()
    }

    /// The end of what was written, where a reader can continue.
    var end: LogEnd {
        LogEnd(
            position: position, hash: hash, salt: key?.salt ?? lastSalt,
            segment: active?.index ?? preparer.lastTaken)
    }

    /// Writes a checkpoint's frame and returns its location: if `purpose` requires it, at the start
    /// of a new small segment. Replay may then begin there and needs nothing of the log before,
    /// unless there are commits that the record's tree lacks.
    mutating func writeCheckpoint(
        _ record: CheckpointRecord, _ purpose: CheckpointPurpose
    ) throws(StorageError) -> Superblock.Checkpoint {
        var record = record
        var segment: PreparedSegment?
        let size = active?.size ?? 0
        if purpose.endsSegments(of: size, options) {
            preparer.discardSpare()
            segment = try takeSmall(purpose)
        }
        if let segment, purpose.dropsLog, record.version == lastVersion {
            record.replayStart = replayStart(in: segment.index)
        }
        let buffer = CommitGroupBuffer(capacity: 1 << 10)
        let bytes = AlignedBuffer(capacity: CheckpointRecord.size)
        record.encode(into: bytes.bytes)
        buffer.appendBytes(UnsafeRawBufferPointer(bytes.bytes))
        let total = buffer.byteCount
        if segment == nil, total > roomInActive() {
            segment = try take(payload: total, isZeroed: true)
        }
        let plan = Plan(
            kind: .checkpoint, flags: 0, version: lastVersion, payload: 0..<total,
            segment: segment)
        try execute([plan], buffer)
        guard let active else { preconditionFailure("A frame was written into no segment") }
        return Superblock.Checkpoint(
            record: record,
            position: LogPosition(
                position.rawValue - UInt64(FrameHeader.size + total + algorithm.overhead)),
            segment: active.index)
    }

    /// A segment for a checkpoint and what follows it; nil without space, if `purpose` allows the
    /// frame to be written to the active segment instead.
    private func takeSmall(_ purpose: CheckpointPurpose) throws(StorageError) -> PreparedSegment? {
        let size = options.segmentSizeMin
        do throws(StorageError) {
            return try preparer.take(minimum: min(size, DiskBlock.size), size: size, isZeroed: true)
        } catch .outOfSpace {
            guard purpose == .erasure else { return nil }
            return try preparer.take(minimum: DiskBlock.size, size: DiskBlock.size, isZeroed: true)
        }
    }

    /// The end of the log as the place where `segment` and replay begin, with the salt of the last
    /// commit's epoch.
    private mutating func replayStart(in segment: SegmentIndex) -> LogEnd {
        if let key, key.salt != lastSalt { endEpoch() }
        return LogEnd(position: position, hash: hash, salt: lastSalt, segment: segment)
    }

    /// Begins a new epoch, of the same writer, with the next frame.
    private mutating func endEpoch() {
        key = nil
        epoch = epoch.renewed()
    }

    /// Writes a frame without payload if the segment has room for it.
    mutating func writeSeal(_ scratch: CommitGroupBuffer) throws(StorageError) {
        guard key != nil, roomInActive() >= 0 else { return }
        let plan = Plan(kind: .seal, flags: 0, version: lastVersion, payload: 0..<0)
        try execute([plan], scratch)
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
        // Headers are encoded over the bytes before the payload: the front room, or the part
        // before, which was written already. A tag overwrites the next part's begin, restored
        // below.
        let tagSize = algorithm.overhead
        group.reserve(group.byteCount + tagSize, keeping: group.byteCount)
        let rest = group.payload(behind: plan.payload.upperBound, count: tagSize)
        let size = front + plan.payload.count + tagSize
        let start = CommitGroupBuffer.frontRoom + plan.payload.lowerBound - front
        // Unsafe: the front room is larger than all headers together, so the range begins within
        // the buffer; room for the tag was reserved.
        let bytes = UnsafeMutableRawBufferPointer(start: group.base + start, count: size)
        let fileOffset = isFirst ? 0 : active.offset(of: position)
        var offset = 0
        if isFirst {
            active.header.encode(into: bytes)
            offset += SegmentHeader.size
        }
        if startsEpoch { encodeEpoch(into: bytes, at: &offset) }
        encodeFrame(plan, into: bytes.slice(offset..<size))
        group.hasBegun = true
        try active.file.write(UnsafeRawBufferPointer(bytes), at: fileOffset)
        let tag = size - tagSize
        bytes.slice(tag..<tag + rest.count).copyBytes(from: rest)
        written += size
        prepareIfDue(active)
    }

    /// Prepares the next segment once a quarter of this one is full.
    private mutating func prepareIfDue(_ active: Active) {
        guard preparedFor != active.index else { return }
        let filled = active.offset(of: position)
        guard (preparesAhead ? filled : min(filled, written)) > active.size / 4 else { return }
        preparesAhead = true
        preparedFor = active.index
        preparer.prepare(size: grown(from: active.size))
    }

    private var algorithm: EncryptionAlgorithm { cipher == nil ? .none : .aes256GCM }

    /// Ends the active segment, whose contents must be durable before its successor's header.
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
    }

    private mutating func encodeEpoch(
        into bytes: UnsafeMutableRawBufferPointer, at offset: inout Int
    ) {
        key = FrameKey(salt: epoch.salt, database: database, cipher: cipher)
        let frame = bytes.slice(offset..<offset + EpochPayload.frameSize)
        epoch.encode(into: frame.slice(FrameHeader.size..<frame.count))
        encodeFrame(
            Plan(kind: .epoch, flags: 0, version: lastVersion, payload: 0..<EpochPayload.size),
            into: frame)
        offset += EpochPayload.frameSize
    }

    /// Encodes and seals a frame whose payload is already in `frame`, and advances the position.
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

    /// Payload bytes that still fit into the active segment; negative if not even a header does.
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

    /// The size of the segment after one of `size`: small again for a new writer, and growing to
    /// the maximum within a few segments of traffic.
    private func grown(from size: Int) -> Int {
        if written < size / 4 { return options.segmentSizeMin }
        let larger = size <= options.segmentSizeMin ? size * 2 : size * 4
        return max(
            options.segmentSizeMin, min(larger, options.segmentSizeGrown, options.segmentSizeMax))
    }

    private func take(payload: Int, isZeroed: Bool) throws(StorageError) -> PreparedSegment {
        let needed = payload + overhead(inNewSegment: true)
        if savesSpace {
            // With room for the checkpoint's frame, within the maximum size of a segment.
            let roomy = min(DiskBlock.roundedUp(needed + 1024), options.segmentSizeMax)
            let size = max(roomy, needed).roundedUpTo8
            return try preparer.take(minimum: needed, size: size, isZeroed: isZeroed)
        }
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

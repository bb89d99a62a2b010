// Safety: all reading is through `FrameReader` and the checked loads of the log, within the bytes.

/// The readable parts of one segment file: the frames that verify on their own, at any offset.
struct SalvagedSegment {
    let path: String
    /// Its header; nil if that is damaged.
    let header: SegmentHeader?
    let buffer: AlignedBuffer
    let length: Int
    /// Blocks that the disk could not read.
    private(set) var unreadable: [Range<Int>] = []

    /// A frame and its location.
    struct Found {
        let frame: Frame
        let offset: Int
    }

    /// Reads all blocks of the file that the disk can read.
    init(_ path: String, _ fileSystem: any FileSystem) throws(StorageError) {
        self.path = path
        let file = try fileSystem.open(path, .readOnly)
        length = min(try file.size().length, SegmentContents.sizeMax)
        buffer = AlignedBuffer(capacity: length.roundedUpTo8)
        for start in stride(from: 0, to: length, by: DiskBlock.size) {
            let block = start..<min(start + DiskBlock.size, length)
            if Self.canRead(block, of: file, into: buffer) { continue }
            buffer.bytes.slice(block).fillWithZeros()
            unreadable.append(block)
        }
        let bytes = UnsafeRawBufferPointer(buffer.bytes).slice(0..<length)
        if case .valid(let header) = SegmentHeaderReading(bytes) {
            self.header = header
        } else {
            header = nil
        }
    }

    private static func canRead(
        _ block: Range<Int>, of file: any File, into buffer: AlignedBuffer
    ) -> Bool {
        do throws(StorageError) {
            _ = try file.read(into: buffer.bytes.slice(block), at: block.lowerBound)
            return true
        } catch {
            return false
        }
    }

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(buffer.bytes).slice(0..<length)
    }

    /// Whether the file was never written, and has old blocks of another segment, of this database
    /// or another one.
    func isStale(in database: Bits128) -> Bool {
        header.map { $0.index != index || $0.database != database } ?? false
    }

    /// The maximum number of salts: each is tried with every possible frame, and forged bytes could
    /// contain millions of them. An epoch whose first frame verifies does not depend on them.
    static let saltsMax = 1 << 12

    /// Adds salts that may key the frames of this segment: the header's, and that of every possible
    /// epoch frame, even if it does not verify any more.
    func addSalts(to salts: inout Set<Bits128>, _ monitor: ReadingMonitor) throws {
        if let salt = header?.epochSalt, salt != .zero { salts.insert(salt) }
        let bytes = bytes
        var offset = 0
        while offset + EpochPayload.frameSize <= bytes.count, salts.count < Self.saltsMax {
            if offset % DiskBlock.size == 0 { try monitor.check() }
            let isEpoch =
                bytes[offset] == FrameKind.epoch.rawValue
                && bytes.integer(at: offset + 4, as: UInt32.self) == UInt32(EpochPayload.size)
            // There is always one after the header of the first segment.
            if isEpoch || offset == SegmentHeader.size {
                let salt = Bits128(bytes, at: offset + FrameHeader.size)
                if salt != .zero { salts.insert(salt) }
            }
            offset += 8
        }
    }

    /// Searches frames at every 8-byte step; other bytes that are not zero are lost.
    func frames(
        _ reader: FrameReader, _ monitor: ReadingMonitor
    ) throws -> (found: [Found], lost: [Range<Int>]) {
        let bytes = bytes
        let header = sealingHeader(reader)
        var reader = reader
        var found: [Found] = []
        var lost: [Range<Int>] = self.header == nil && length > 0 ? [0..<min(128, length)] : []
        var base: UInt64? = self.header?.firstPosition.rawValue
        var budget = FrameReader.hashingBudget(of: bytes)
        var offset = SegmentHeader.size
        while offset + 8 <= bytes.count {
            try monitor.check()
            let start = UInt64(offset - SegmentHeader.size)
            if bytes[offset] != 0,
                let sealed = try? reader.frame(in: bytes, at: offset, budget: &budget),
                base.map({ sealed.header.position.rawValue == $0 &+ start }) ?? true,
                let frame = sealed.open(in: header, owner: buffer)
            {
                base = frame.header.position.rawValue &- start
                found.append(Found(frame: frame, offset: offset))
                // Frames of one epoch are contiguous.
                reader.resume(with: frame.key)
                offset += frame.header.frameSize
                continue
            }
            if bytes.integer(at: offset, as: UInt64.self) != 0 { lost.extend(offset) }
            offset += 8
        }
        return (found, lost)
    }
}

extension SalvagedSegment {
    /// The index in the file's name.
    var index: SegmentIndex? {
        SegmentIndex(fileName: String(path.suffix(SegmentIndex.first.fileName.count)))
    }

    /// The header that the frames of the segment were sealed with: its own, or if that is damaged,
    /// one derived from the first frame.
    func sealingHeader(_ reader: FrameReader) -> SegmentHeader? {
        if let header { return header }
        guard reader.cipher != nil, let index,
            let frame = try? reader.frame(in: bytes, at: SegmentHeader.size)
        else { return nil }
        let first = frame.header
        let hasCommits = first.kind == .group || first.kind == .part
        return SegmentHeader(
            index: index, database: reader.database, firstPosition: first.position,
            previousHash: first.previousHash,
            epochSalt: first.kind == .epoch ? .zero : frame.key.salt,
            lastVersion: hasCommits ? Version(first.version.rawValue &- 1) : first.version,
            algorithm: .aes256GCM)
    }

    /// The tree in the page files that a frame refers to; nil if there is none.
    ///
    /// The version of a group is that of its last commit, of one in parts that of its first: either
    /// sorts it correctly among others.
    func checkpoint(_ found: Found) -> CheckpointRecord? {
        let (frame, header) = (found.frame, found.frame.header)
        if header.kind == .checkpoint { return CheckpointRecord(frame.payload.bytes) }
        guard header.kind == .group else { return nil }
        let place = place(found.offset)
        let end = frame.end(in: place.segment)
        let group = LogGroup(header, frame.payload, end: end, at: place)
        guard let tree = group.groupTree else { return nil }
        var last = header.version
        if !header.isContinuation {
            var records = GroupRecords(group.commits)
            while let record = try? records.next() { last = record.version }
        }
        return CheckpointRecord(tree, version: last, end: end)
    }

    func place(_ offset: Int) -> FramePlace {
        FramePlace(segment: header?.index ?? .first, path: path, offset: offset)
    }
}

extension [Range<Int>] {
    /// Adds the eight bytes at `offset`, to the last range if they are close to it.
    fileprivate mutating func extend(_ offset: Int) {
        if let last, offset - last.upperBound < 64 {
            self[count - 1] = last.lowerBound..<offset + 8
        } else {
            append(offset..<offset + 8)
        }
    }
}

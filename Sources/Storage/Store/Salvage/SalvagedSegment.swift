// Safety: all reading is through `LogFrame` and the checked loads of the log, within the bytes.

/// What can be read of one segment file: the frames that verify on their own, wherever they stand.
struct SalvagedSegment {
    let path: String
    /// Its header, nil when that is damaged.
    let header: SegmentHeader?
    let buffer: AlignedBuffer
    let length: Int
    /// Blocks that the disk did not give.
    private(set) var unreadable: [Range<Int>] = []

    /// A frame and where it stands.
    struct Found {
        let frame: LogFrame
        let offset: Int
        let payload: FramePayload
    }

    /// Reads as much of the file as the disk gives.
    init(_ path: String, _ fileSystem: any FileSystem) throws(StorageError) {
        self.path = path
        let file = try fileSystem.open(path, .readOnly)
        length = min(try file.size().length, LogScanner.segmentSizeMax)
        buffer = AlignedBuffer(capacity: length.roundedUpTo8)
        for start in stride(from: 0, to: length, by: Self.blockSize) {
            let block = start..<min(start + Self.blockSize, length)
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

    /// Disks report errors by blocks of this size or smaller.
    private static let blockSize = 4096

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(buffer.bytes).slice(0..<length)
    }

    /// Salts that the frames of this segment may be keyed with: the header's, and that of whatever
    /// could be an epoch, also when it does not verify any more.
    func salts() -> [Bits128] {
        var salts: [Bits128] = []
        if let salt = header?.epochSalt, salt != .zero { salts.append(salt) }
        let bytes = bytes
        var offset = 0
        while offset + EpochPayload.frameSize <= bytes.count {
            let isEpoch =
                bytes[offset] == FrameKind.epoch.rawValue
                && bytes.integer(at: offset + 4, as: UInt32.self) == UInt32(EpochPayload.size)
            // Behind the header of the first segment one stands for certain.
            if isEpoch || offset == SegmentHeader.size {
                salts.append(Bits128(bytes, at: offset + FrameHeader.size))
            }
            offset += 8
        }
        return salts.filter { $0 != .zero }
    }

    /// Looks for frames at every 8-byte step; what is not zero and no part of one is lost.
    func frames(
        keys: [FrameKey], database: Bits128, cipher: StoreCipher?
    ) -> (found: [Found], lost: [Range<Int>]) {
        let bytes = bytes
        let header = sealingHeader(keys, database, cipher)
        var found: [Found] = []
        var lost: [Range<Int>] = self.header == nil && length > 0 ? [0..<min(128, length)] : []
        var base: UInt64? = self.header?.firstPosition.rawValue
        var offset = SegmentHeader.size
        var last = keys.first
        while offset + 8 <= bytes.count {
            // Frames of one epoch stand together.
            let ordered = last.map { last in [last] + keys.filter { $0.salt != last.salt } } ?? keys
            let frame =
                (1...6).contains(bytes[offset])
                ? LogFrame(
                    in: bytes, at: offset, keys: ordered, database: database, cipher: cipher) : nil
            let start = UInt64(offset - SegmentHeader.size)
            if let frame, base.map({ frame.header.position.rawValue == $0 &+ start }) ?? true,
                let payload = payload(of: frame, header)
            {
                base = frame.header.position.rawValue &- start
                found.append(Found(frame: frame, offset: offset, payload: payload))
                last = frame.key
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
    /// The header that the frames of the segment were sealed with: its own, or when that is
    /// damaged one made from what the first frame says.
    func sealingHeader(
        _ keys: [FrameKey], _ database: Bits128, _ cipher: StoreCipher?
    ) -> SegmentHeader? {
        if let header { return header }
        let name = String(path.suffix(SegmentIndex.first.fileName.count))
        guard cipher != nil, let index = SegmentIndex(fileName: name),
            let frame = LogFrame(
                in: bytes, at: SegmentHeader.size, keys: keys, database: database, cipher: cipher)
        else { return nil }
        let first = frame.header
        let hasCommits = first.kind == .group || first.kind == .part
        return SegmentHeader(
            index: index, database: database, firstPosition: first.position,
            previousHash: first.previousHash,
            epochSalt: first.kind == .epoch ? .zero : frame.key.salt,
            lastVersion: hasCommits ? Version(first.version.rawValue &- 1) : first.version,
            algorithm: .aes256GCM)
    }

    /// The payload of a frame of this segment, as its writer had it.
    func payload(of frame: LogFrame, _ header: SegmentHeader?) -> FramePayload? {
        guard frame.key.cipher != nil else { return FramePayload(bytes.slice(frame.payloadRange)) }
        return header.flatMap { frame.payload(in: bytes, of: $0) }
    }

    /// The tree in the page files that a frame speaks of, nil when it speaks of none.
    ///
    /// The version of a group is that of its last commit, of one in parts that of its first: either
    /// puts it in the right place among others.
    func checkpoint(_ found: Found) -> CheckpointRecord? {
        let (header, payload) = (found.frame.header, found.payload.bytes)
        switch header.kind {
        case .checkpoint:
            return CheckpointRecord(payload)
        case .group where header.flags & FrameHeader.holdsTree != 0:
            guard let tree = GroupTree(endOf: payload) else { return nil }
            let end = LogEnd(
                position: header.endPosition, hash: found.frame.hash, salt: found.frame.key.salt,
                segment: self.header?.index ?? .first)
            return CheckpointRecord(tree, version: lastVersion(header, payload), end: end)
        default:
            return nil
        }
    }

    private func lastVersion(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) -> Version {
        var last = header.version
        guard header.flags & FrameHeader.continuesParts == 0 else { return last }
        var records = GroupRecords(header.commits(in: payload))
        while let record = try? records.next() { last = record.version }
        return last
    }
}

extension [Range<Int>] {
    /// Adds the eight bytes at `offset`, to the last range when they are close to it.
    fileprivate mutating func extend(_ offset: Int) {
        if let last, offset - last.upperBound < 64 {
            self[count - 1] = last.lowerBound..<offset + 8
        } else {
            append(offset..<offset + 8)
        }
    }
}

import Testing

@testable import Storage

// Safety: arrays and buffers that the tests own, read and written within their counts.

/// The bytes of a segment whose frames are encoded one by one.
struct FrameImage {
    static let database = Bits128(low: 11, high: 12)
    static let salt = Bits128(low: 21, high: 22)

    var segment: SegmentHeader
    let key: FrameKey
    private(set) var bytes: [UInt8]
    /// The offset of each frame.
    private(set) var offsets: [Int] = []
    private(set) var end: LogEnd

    /// A segment that continues an epoch; without a salt, none has begun yet.
    init(_ index: SegmentIndex = .first, salt: Bits128 = salt, cipher: StoreCipher? = nil) {
        self.init(after: LogEnd(position: .zero, hash: .none, salt: salt, segment: index), cipher)
    }

    /// A segment that begins at `start`.
    init(after start: LogEnd, _ cipher: StoreCipher? = nil) {
        segment = SegmentHeader(
            index: start.segment, database: Self.database, firstPosition: start.position,
            previousHash: start.hash, epochSalt: start.salt, lastVersion: .zero)
        key = FrameKey(salt: Self.salt, database: Self.database, cipher: cipher)
        end = start
        bytes = [UInt8](repeating: 0, count: SegmentHeader.size)
        bytes.withUnsafeMutableBytes { segment.encode(into: $0) }
    }

    /// Appends a frame whose payload is a multiple of 8, or of any size with a cipher.
    mutating func append(
        _ kind: FrameKind, flags: UInt8 = 0, _ payload: [UInt8] = [], version: UInt64 = 1
    ) {
        let sealed = payload.count + (key.cipher == nil ? 0 : SecretKey.tagSize)
        var header = FrameHeader(
            kind: kind, flags: flags, payloadLength: sealed, version: Version(version),
            position: end.position, syncedThrough: end.position, previousHash: end.hash)
        let zeros = [UInt8](repeating: 0, count: sealed - payload.count)
        var frame = [UInt8](repeating: 0, count: FrameHeader.size) + payload + zeros
        frame.withUnsafeMutableBytes { frame in
            header.encodeFields(into: frame)
            key.cipher?.seal(frame, header, in: segment)
            let payload = UnsafeRawBufferPointer(frame).slice(FrameHeader.size..<frame.count)
            header.payloadChecksum = key.payloadChecksum(payload)
            end.hash = header.encode(into: frame, key: key)
        }
        offsets.append(bytes.count)
        bytes += frame
        end.position = header.endPosition
        end.salt = key.salt
    }

    /// Appends an epoch frame with ``salt``.
    mutating func appendEpoch() {
        var payload = [UInt8](repeating: 0, count: EpochPayload.size)
        payload.withUnsafeMutableBytes {
            EpochPayload(salt: Self.salt, wallClock: 1, processIdentifier: 1).encode(into: $0)
        }
        append(.epoch, payload, version: 0)
    }

    /// Appends a group of one commit.
    mutating func append(commit length: Int, version: UInt64 = 1) throws {
        append(.group, try Self.payload([TestCommit(version, length: length)]), version: version)
    }

    /// The payload of a group.
    static func payload(_ commits: [TestCommit], _ tree: GroupTree? = nil) throws -> [UInt8] {
        let group = CommitGroupBuffer()
        for commit in commits { try group.append(commit) }
        if let tree { group.append(tree) }
        return Array(UnsafeRawBufferPointer(group.payload))
    }

    /// A reader that begins at the start of the segment.
    func reader(_ salt: Bits128 = salt) -> FrameReader {
        var reader = FrameReader(Self.database, cipher: nil)
        reader.resume(in: salt)
        return reader
    }

    /// All frames, opened.
    func frames() throws -> [Frame] {
        var reader = reader(segment.epochSalt)
        // The payload of a frame is valid after these bytes are released.
        let memory = AlignedBuffer(capacity: bytes.count)
        memory.bytes.copyBytes(from: bytes)
        return try offsets.map { offset in
            let read = UnsafeRawBufferPointer(memory.bytes)
            let frame = try reader.frame(in: read, at: offset)
            reader.resume(with: frame.key)
            let opened = try #require(frame.open(in: segment))
            let payload = AlignedBuffer(capacity: opened.payload.bytes.count)
            payload.bytes.copyMemory(from: opened.payload.bytes)
            return Frame(
                header: opened.header, hash: opened.hash, key: opened.key,
                payload: FramePayload(payload, opened.payload.bytes.count))
        }
    }

    func place(_ offset: Int) -> FramePlace {
        FramePlace(segment: segment.index, path: "\(segment.index)", offset: offset)
    }
}

/// The header of a log segment, little-endian. A segment ends where its successor's header says, so
/// that a torn end need not be truncated.
///
///     offset  bytes  field
///          0      8  magic: 89 "RLMLOG" 0A
///          8      4  format version
///         12      4  index of the segment
///         16     16  UUID of the database
///         32      8  position of the first frame; also the end of the segment before, whose bytes
///                    up to there were synced before this header was written
///         40      8  hash of the last frame of the segment before, 0 in the first segment
///         48     16  salt of the epoch that continues in this segment, 0 if a new one begins
///         64      8  version of the last commit before this segment
///         72      8  flags, zero
///         80      4  encryption: algorithm id, 0 for none
///         84     36  reserved, zero
///        120      8  checksum: XXH64 of the 120 bytes before, seeded with the UUID's first half
///
struct SegmentHeader: Hashable, Sendable {
    static let size = 128
    static let magic: UInt64 = 0x0A47_4F4C_4D4C_5289

    var index: SegmentIndex
    var database: Bits128
    var firstPosition: LogPosition
    var previousHash: FrameHash
    var epochSalt: Bits128
    var lastVersion: Version
    var algorithm = EncryptionAlgorithm.none

    /// The offset of a position of the log in the file; nil before its first one. An impossible
    /// position gets an offset after all bytes.
    func offset(of position: LogPosition) -> Int? {
        position.distance(from: firstPosition).map { Self.size + min($0, Int.max >> 1) }
    }

    func encode(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.slice(0..<Self.size).fillWithZeros()
        bytes.store(Self.magic, at: 0)
        bytes.store(StoreFormat.version, at: 8)
        bytes.store(index.rawValue, at: 12)
        database.store(in: bytes, at: 16)
        bytes.store(firstPosition.rawValue, at: 32)
        bytes.store(previousHash.rawValue, at: 40)
        epochSalt.store(in: bytes, at: 48)
        bytes.store(lastVersion.rawValue, at: 64)
        bytes.store(algorithm.rawValue, at: 80)
        let checked = UnsafeRawBufferPointer(bytes).slice(0..<120)
        bytes.store(XXH64.hash(checked, seed: database.low), at: 120)
    }
}

/// The outcome of reading the first bytes of a segment file.
enum SegmentHeaderReading: Hashable, Sendable {
    case valid(SegmentHeader)
    /// The checksum is valid, but another version of the format has written it.
    case unsupported(format: UInt32)
    /// Too short, zeros or damaged.
    case unusable

    /// Reads the start of a segment's file.
    init(_ file: any File) throws(StorageError) {
        let bytes = AlignedBuffer(capacity: SegmentHeader.size)
        let count = try file.read(into: bytes.bytes, at: 0)
        self.init(UnsafeRawBufferPointer(bytes.bytes).slice(0..<count))
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= SegmentHeader.size, bytes.integer(at: 0) == SegmentHeader.magic else {
            self = .unusable
            return
        }
        let database = Bits128(bytes, at: 16)
        let checksum = XXH64.hash(bytes.slice(0..<120), seed: database.low)
        guard bytes.integer(at: 120) == checksum else {
            self = .unusable
            return
        }
        let format: UInt32 = bytes.integer(at: 8)
        let version = Version(bytes.integer(at: 64, as: UInt64.self))
        guard version <= .max else {
            self = .unusable
            return
        }
        guard format == StoreFormat.version, bytes.slice(72..<80).isZero(from: 0),
            let algorithm = EncryptionAlgorithm(rawValue: bytes.integer(at: 80)),
            bytes.slice(84..<120).isZero(from: 0)
        else {
            self = .unsupported(format: format)
            return
        }
        self = .valid(
            SegmentHeader(
                index: SegmentIndex(bytes.integer(at: 12)), database: database,
                firstPosition: LogPosition(bytes.integer(at: 32)),
                previousHash: FrameHash(bytes.integer(at: 40)),
                epochSalt: Bits128(bytes, at: 48),
                lastVersion: version, algorithm: algorithm))
    }
}

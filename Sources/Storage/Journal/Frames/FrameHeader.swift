/// The kind of a frame. Raw values are stored in files and never reused.
enum FrameKind: UInt8, CaseIterable, Sendable {
    /// The start of an epoch: a salt, the process, the time.
    case epoch = 1
    /// Commits that became durable together.
    case group = 2
    /// A piece of a group that is too large for one frame; the next ones continue it.
    case part = 3
    /// The parts before it will not be continued.
    case abandon = 4
    /// Roots of the trees in the page files.
    case checkpoint = 5
    /// The writer closed the store.
    case seal = 6
}

/// The header of a frame, little-endian; the payload follows, then zeros up to a multiple of 8.
///
///     offset  bytes  field
///          0      1  kind
///          1      1  flags; bit 0: the payload continues the parts before this frame; bit 1, of
///                    a group: the payload ends with a ``GroupTree``
///          2      2  reserved, zero
///          4      4  length of the payload
///          8      8  version of the first commit in it, of a seal and an epoch the last one before
///         16      8  position of this frame in the log
///         24      8  all bytes before this position were synced when the frame was written
///         32      8  hash of the frame before, which is its header checksum
///         40      8  checksum of the payload
///         48      8  checksum of the 48 bytes before
///
/// Both checksums are XXH64 under a key derived from the epoch's salt and the database's UUID, so
/// that bytes of an older writer or of another database never verify. In an encrypted store the
/// payload is sealed (``FrameCipher``) and ends with a tag of 16 bytes; length and checksum are
/// those of the bytes on disk.
struct FrameHeader: Hashable, Sendable {
    static let size = 56
    /// A frame with its header stays under 16 MiB, together with the header of its segment.
    static let payloadSizeMax = (16 << 20) - SegmentHeader.size - size

    static let continuesParts: UInt8 = 1
    /// The page files have the tree that the group makes.
    static let holdsTree: UInt8 = 2
    private static let knownFlags = continuesParts | holdsTree

    var kind: FrameKind
    var flags: UInt8 = 0
    var payloadLength: UInt32
    var version: Version
    var position: LogPosition
    var syncedThrough: LogPosition
    var previousHash: FrameHash
    var payloadChecksum: UInt64 = 0

    /// Bytes of the whole frame with its padding.
    var frameSize: Int { Self.size + Int(payloadLength).roundedUpTo8 }

    var endPosition: LogPosition { position.advanced(by: frameSize) }

    /// Whether the payload continues the parts before this frame.
    var isContinuation: Bool { flags & Self.continuesParts != 0 }

    /// Whether a transaction whose first parts precede this frame may still continue after it.
    var leavesPartsOpen: Bool {
        switch kind {
        case .part: isContinuation
        case .epoch, .checkpoint, .seal: true
        case .group, .abandon: false
        }
    }

    /// Whether this frame is the successor of the one that ended at `position`.
    func continues(_ position: LogPosition, _ hash: FrameHash) -> Bool {
        self.position == position && previousHash == hash
    }

    /// Writes the header and returns its checksum, the hash of the frame.
    func encode(into bytes: UnsafeMutableRawBufferPointer, key: FrameKey) -> FrameHash {
        encodeFields(into: bytes)
        bytes.store(payloadChecksum, at: 40)
        let hash = key.headerHash(UnsafeRawBufferPointer(bytes))
        bytes.store(hash.rawValue, at: 48)
        return hash
    }

    /// Writes the fields before the checksums.
    func encodeFields(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.store(kind.rawValue, at: 0)
        bytes.store(flags, at: 1)
        bytes.store(UInt16(0), at: 2)
        bytes.store(payloadLength, at: 4)
        bytes.store(version.rawValue, at: 8)
        bytes.store(position.rawValue, at: 16)
        bytes.store(syncedThrough.rawValue, at: 24)
        bytes.store(previousHash.rawValue, at: 32)
    }

    /// The header in `bytes`, which hold at least `size` of them; nil when its fields are
    /// impossible. The checksum is for `FrameKey.verifies` to check.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let kind = FrameKind(rawValue: bytes[0]), bytes.integer(at: 2, as: UInt16.self) == 0
        else { return nil }
        self.kind = kind
        flags = bytes[1]
        payloadLength = bytes.integer(at: 4)
        version = Version(bytes.integer(at: 8, as: UInt64.self))
        position = LogPosition(bytes.integer(at: 16))
        syncedThrough = LogPosition(bytes.integer(at: 24))
        previousHash = FrameHash(bytes.integer(at: 32))
        payloadChecksum = bytes.integer(at: 40)
        guard payloadLength <= Self.payloadSizeMax, flags & ~Self.knownFlags == 0,
            version <= .max
        else {
            return nil
        }
    }

    init(
        kind: FrameKind, flags: UInt8 = 0, payloadLength: Int, version: Version,
        position: LogPosition, syncedThrough: LogPosition, previousHash: FrameHash
    ) {
        precondition(payloadLength <= Self.payloadSizeMax, "A frame is over the limit of 16 MiB")
        self.kind = kind
        self.flags = flags
        self.payloadLength = UInt32(payloadLength)
        self.version = version
        self.position = position
        self.syncedThrough = syncedThrough
        self.previousHash = previousHash
    }
}

/// The keys of an epoch: for the checksums of its frames, and for sealing their payloads.
struct FrameKey: Sendable {
    let salt: Bits128
    private let headerSeed: UInt64
    private let payloadSeed: UInt64
    /// Nil in a plain store.
    let cipher: FrameCipher?

    init(salt: Bits128, database: Bits128, cipher: StoreCipher? = nil) {
        self.salt = salt
        headerSeed = salt.low ^ database.low
        payloadSeed = salt.high ^ database.high
        self.cipher = cipher?.frames(salt: salt)
    }

    func headerHash(_ header: UnsafeRawBufferPointer) -> FrameHash {
        FrameHash(XXH64.hash(header.slice(0..<48), seed: headerSeed))
    }

    func payloadChecksum(_ payload: UnsafeRawBufferPointer) -> UInt64 {
        XXH64.hash(payload, seed: payloadSeed)
    }

    /// The hash of the frame whose header begins `bytes` when that header verifies.
    func verifiedHash(_ bytes: UnsafeRawBufferPointer) -> FrameHash? {
        let hash = headerHash(bytes)
        return hash.rawValue == bytes.integer(at: 48) ? hash : nil
    }
}

/// The payload of an epoch frame, little-endian. Its frame is keyed with its own salt.
///
///     offset  bytes  field
///          0     16  salt
///         16      8  nanoseconds since 1970
///         24      4  process identifier
///         28      4  reserved, zero
///         32     16  zero; in an encrypted store the tag, which only authenticates
///
struct EpochPayload: Hashable, Sendable {
    static let size = 48
    static let frameSize = FrameHeader.size + size
    static let tagOffset = 32

    var salt: Bits128
    var wallClock: UInt64
    var processIdentifier: UInt32

    /// A fresh epoch of this process.
    static func fresh() -> EpochPayload {
        EpochPayload(
            salt: .random(), wallClock: Platform.wallClock,
            processIdentifier: Platform.processIdentifier)
    }

    /// Another epoch of the same writer, whose identifier is one half of the salt.
    func renewed() -> EpochPayload {
        var epoch = Self.fresh()
        epoch.salt = Bits128(low: salt.low, high: epoch.salt.high)
        return epoch
    }

    func encode(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.slice(0..<Self.size).fillWithZeros()
        salt.store(in: bytes, at: 0)
        bytes.store(wallClock, at: 16)
        bytes.store(processIdentifier, at: 24)
    }

    /// The payload in `bytes`, which hold at least `size` of them.
    init(_ bytes: UnsafeRawBufferPointer) {
        salt = Bits128(bytes, at: 0)
        wallClock = bytes.integer(at: 16)
        processIdentifier = bytes.integer(at: 24)
    }

    init(salt: Bits128, wallClock: UInt64, processIdentifier: UInt32) {
        self.salt = salt
        self.wallClock = wallClock
        self.processIdentifier = processIdentifier
    }
}

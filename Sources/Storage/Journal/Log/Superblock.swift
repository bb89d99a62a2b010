/// What is known about a store before its log is read. The log is authoritative: a lost superblock
/// is rebuilt from the segments.
///
/// The file has four slots of 4096 bytes: generation g is stored twice, in slot 2 * (g % 2) and the
/// next one, so that neither a torn write nor one bad sector loses it. A slot is, little-endian:
///
///     offset  bytes  field
///          0      8  magic: 89 "REALM" 0D 0A
///          8      4  format version
///         12      4  reserved, zero
///         16      8  generation, counted from 1
///         24      8  features a reader must know, a bit each
///         32     16  UUID of the database
///         48      8  position of the latest checkpoint's frame, all ones when there is none
///         56      4  segment of that frame, zero when there is none
///         60      4  encryption: algorithm id, 0 for none
///         64     32  encryption: HMAC-SHA256 of the 288 bytes, with zeros here
///         96     96  reserved, zero
///        192     96  the latest checkpoint (``CheckpointRecord``), zeros when there is none
///        288      8  checksum: XXH64 of the 288 bytes before
///
package struct Superblock: Hashable, Sendable {
    static let slotSize = 4096
    static let fileSize = 4 * slotSize
    static let contentSize = 296
    static let checkedSize = 288
    static let recordOffset = 192
    static let magic: UInt64 = 0x0A0D_4D4C_4145_5289

    /// The features that this library knows.
    static let knownFeatures: UInt64 = 0

    /// So that there is always a next generation.
    fileprivate static let generationMax: UInt64 = 1 << 62

    var generation: UInt64
    /// The UUID of the database.
    package var database: Bits128
    var checkpoint: Checkpoint?
    var algorithm = EncryptionAlgorithm.none
    /// Whether the file has both copies of it, as far as is known.
    var hasBothCopies = true
    /// Whether the file has slots that do not verify, perhaps of a newer generation.
    var hasDamagedSlots = false
    /// The authentication code as it was read; nil in a plain store.
    fileprivate var code: [UInt8]?

    /// The latest checkpoint, and the location of its frame in the log.
    struct Checkpoint: Hashable, Sendable {
        var record: CheckpointRecord
        var position: LogPosition
        var segment: SegmentIndex

        /// Where its frame ends.
        func end(_ algorithm: EncryptionAlgorithm) -> LogPosition {
            position.advanced(
                by: FrameHeader.size + CheckpointRecord.size + algorithm.overhead)
        }
    }

    /// The first superblock of a new store.
    init(database: Bits128, algorithm: EncryptionAlgorithm = .none) {
        generation = 1
        self.database = database
        self.algorithm = algorithm
    }

    /// The offset of the two copies of this generation in the file.
    var offset: Int { Int(generation % 2) * 2 * Self.slotSize }

    /// Writes both copies into `bytes`, which hold two slots. `cipher` is that of an encrypted
    /// store.
    func encode(into bytes: UnsafeMutableRawBufferPointer, cipher: StoreCipher? = nil) {
        bytes.fillWithZeros()
        let code = cipher.map { makeCode($0) }
        for copy in 0..<2 {
            let slot = bytes.slice(copy * Self.slotSize..<(copy + 1) * Self.slotSize)
            encodeFields(into: slot)
            if let code { slot.slice(Self.codeRange).copyBytes(from: code) }
            let checked = UnsafeRawBufferPointer(slot).slice(0..<Self.checkedSize)
            slot.store(XXH64.hash(checked), at: Self.checkedSize)
        }
    }

    /// Writes all fields but the checksum and the authentication code.
    private func encodeFields(into slot: UnsafeMutableRawBufferPointer) {
        slot.store(Self.magic, at: 0)
        slot.store(StoreFormat.version, at: 8)
        slot.store(generation, at: 16)
        slot.store(Self.knownFeatures, at: 24)
        database.store(in: slot, at: 32)
        slot.store(checkpoint?.position.rawValue ?? .max, at: 48)
        slot.store(checkpoint?.segment.rawValue ?? 0, at: 56)
        slot.store(algorithm.rawValue, at: 60)
        checkpoint?.record.encode(
            into: slot.slice(Self.recordOffset..<Self.recordOffset + CheckpointRecord.size))
    }

    private func makeCode(_ cipher: StoreCipher) -> [UInt8] {
        let fields = AlignedBuffer(capacity: Self.checkedSize)
        encodeFields(into: fields.bytes)
        return cipher.authenticationCode(
            ofSuperblock: UnsafeRawBufferPointer(fields.bytes).slice(0..<Self.checkedSize))
    }

    /// Whether a superblock that was read was written with the store's key.
    func isAuthentic(_ cipher: StoreCipher?) -> Bool {
        cipher.map { code == makeCode($0) } ?? true
    }

    fileprivate static let codeRange = 64..<96

    /// Whether a superblock that was read has the same contents as another.
    func isCopy(of other: Superblock) -> Bool {
        generation == other.generation && database == other.database
            && checkpoint == other.checkpoint && algorithm == other.algorithm
    }
}

/// The outcome of reading a superblock file.
enum SuperblockReading: Hashable, Sendable {
    /// The newest generation with a copy that verifies.
    case valid(Superblock)
    /// Only zeros, or torn during creation: the store may still have a log.
    case lost
    /// Written by another version of the format.
    case unsupported(format: UInt32)
    /// Bytes that this library never writes.
    case foreign

    init(_ bytes: UnsafeRawBufferPointer) {
        var newest: Superblock?
        var refusal: SuperblockReading?
        var hasMagic = false
        var hasDamage = false
        for start in stride(from: 0, to: bytes.count, by: Superblock.slotSize) {
            guard bytes.count - start >= Superblock.contentSize else { break }
            let slot = bytes.slice(start..<start + Superblock.contentSize)
            guard slot.integer(at: 0) == Superblock.magic else {
                hasDamage = hasDamage || !slot.isZero(from: 0)
                continue
            }
            hasMagic = true
            let checksum = XXH64.hash(slot.slice(0..<Superblock.checkedSize))
            guard checksum == slot.integer(at: Superblock.checkedSize) else {
                hasDamage = true
                continue
            }
            if let reason = Self.refusal(slot) {
                refusal = reason
                continue
            }
            guard Self.isPossible(slot) else {
                hasDamage = true
                continue
            }
            let superblock = Superblock(verified: slot)
            if superblock == newest { newest?.hasBothCopies = true }
            if superblock.generation > newest?.generation ?? 0 { newest = superblock }
        }
        if let refusal {
            self = refusal
        } else if var newest {
            newest.hasDamagedSlots = hasDamage
            self = .valid(newest)
        } else {
            self = hasMagic || bytes.isZero(from: 0) ? .lost : .foreign
        }
    }

    /// Whether its numbers are within what a writer can ever have reached.
    private static func isPossible(_ slot: UnsafeRawBufferPointer) -> Bool {
        let generation: UInt64 = slot.integer(at: 16)
        if generation > Superblock.generationMax { return false }
        let position: UInt64 = slot.integer(at: 48)
        let replayStart: UInt64 = slot.integer(at: Superblock.recordOffset + 8)
        let limit = LogPosition.max.rawValue
        return (position <= limit || position == .max) && replayStart <= limit
    }

    private static func refusal(_ slot: UnsafeRawBufferPointer) -> SuperblockReading? {
        let format: UInt32 = slot.integer(at: 8)
        let features: UInt64 = slot.integer(at: 24)
        if format != StoreFormat.version || features & ~Superblock.knownFeatures != 0 {
            return .unsupported(format: format)
        }
        let algorithm = EncryptionAlgorithm(rawValue: slot.integer(at: 60))
        return algorithm == nil ? .unsupported(format: format) : nil
    }
}

extension Superblock {
    fileprivate init(verified slot: UnsafeRawBufferPointer) {
        generation = slot.integer(at: 16)
        database = Bits128(slot, at: 32)
        algorithm = EncryptionAlgorithm(rawValue: slot.integer(at: 60)) ?? .none
        hasBothCopies = false
        if algorithm != .none { code = Array(slot[Superblock.codeRange]) }
        let position: UInt64 = slot.integer(at: 48)
        let segment: UInt32 = slot.integer(at: 56)
        guard position != .max, segment != 0,
            let record = CheckpointRecord(
                slot.slice(Superblock.recordOffset..<Superblock.checkedSize))
        else { return }
        checkpoint = Superblock.Checkpoint(
            record: record, position: LogPosition(position), segment: SegmentIndex(segment))
    }
}

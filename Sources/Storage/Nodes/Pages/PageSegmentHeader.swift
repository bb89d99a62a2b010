/// The header of a page segment, little-endian. Nodes follow, 8-byte aligned, in the order in which
/// they were written: children precede their parents.
///
///     offset  bytes  field
///          0      8  magic: 89 "RLMPAG" 0A
///          8      4  format version
///         12      4  index of the segment
///         16     16  UUID of the database
///         32     16  salt that the hashes of its nodes are keyed with
///         48      4  encryption: algorithm id, 0 for none
///         52      4  reserved, zero
///         56      8  checksum: XXH64 of the 56 bytes before, seeded with the UUID's first half
///
struct PageSegmentHeader: Hashable, Sendable {
    static let size = 64
    static let magic: UInt64 = 0x0A47_4150_4D4C_5289
    fileprivate static let saltOffset = 32

    var index: PageIndex
    var database: Bits128
    var salt: Bits128
    var algorithm = EncryptionAlgorithm.none

    func encode(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.slice(0..<Self.size).fillWithZeros()
        bytes.store(Self.magic, at: 0)
        bytes.store(StoreFormat.version, at: 8)
        bytes.store(index.rawValue, at: 12)
        database.store(in: bytes, at: 16)
        salt.store(in: bytes, at: Self.saltOffset)
        bytes.store(algorithm.rawValue, at: 48)
        let checked = UnsafeRawBufferPointer(bytes).slice(0..<56)
        bytes.store(XXH64.hash(checked, seed: database.low), at: 56)
    }

    /// The header in `bytes`, nil if there is none that verifies.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.size, bytes.integer(at: 0) == Self.magic,
            bytes.integer(at: 8) == StoreFormat.version,
            let algorithm = EncryptionAlgorithm(rawValue: bytes.integer(at: 48))
        else { return nil }
        self.algorithm = algorithm
        database = Bits128(bytes, at: 16)
        guard bytes.integer(at: 56) == XXH64.hash(bytes.slice(0..<56), seed: database.low) else {
            return nil
        }
        index = PageIndex(bytes.integer(at: 12))
        salt = Bits128(bytes, at: Self.saltOffset)
    }

    init(
        index: PageIndex, database: Bits128, salt: Bits128,
        algorithm: EncryptionAlgorithm = .none
    ) {
        self.index = index
        self.database = database
        self.salt = salt
        self.algorithm = algorithm
    }
}

extension PageStore {
    /// Throws `.corrupted` unless the headers of segments verify on disk: of a file that is open,
    /// the header was only read when it was opened.
    func requireHeaders(of indexes: [PageIndex]) throws(StorageError) {
        for index in indexes { _ = try salt(of: try file(index).file, index) }
    }

    /// The salt in the header of a segment's file.
    func salt(of file: any File, _ index: PageIndex) throws(StorageError) -> Bits128 {
        let size = PageSegmentHeader.size
        let buffer = AlignedBuffer(capacity: size)
        defer { withExtendedLifetime(buffer) {} }
        let count = try file.read(into: buffer.bytes, at: 0)
        let bytes = UnsafeRawBufferPointer(buffer.bytes).slice(0..<min(count, size))
        if let header = PageSegmentHeader(bytes), header.index == index,
            header.database == database, header.algorithm == algorithm
        {
            return header.salt
        }
        guard readsDamagedHeaders, bytes.count == size else {
            throw .corrupted(
                segment: path(index), offset: 0, reason: "its header does not verify")
        }
        return Bits128(bytes, at: PageSegmentHeader.saltOffset)
    }
}

extension PageIndex {
    static let first = PageIndex(1)

    /// `0000000001.pages` and so on.
    var fileName: String { NumberedFileName.make(rawValue, ".pages") }

    /// The index in a file name, or nil when it is no page segment's name.
    init?(fileName: String) {
        guard let number = NumberedFileName.number(in: fileName, ".pages") else { return nil }
        self.init(number)
    }
}

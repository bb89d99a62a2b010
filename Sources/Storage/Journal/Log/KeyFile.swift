/// The data key of an encrypted store, wrapped with the user's key, in a file of its own, which
/// only a change of the key replaces. The file has two identical slots of 4096 bytes. A slot is,
/// little-endian:
///
///     offset  bytes  field
///          0      8  magic: 89 "RLMKEY" 0A
///          8      4  format version
///         12      4  algorithm id
///         16     16  UUID of the database
///         32     32  salt of the wrapping key, random
///         64     32  key check
///         96     48  the wrapped data key: 32 bytes and the tag
///        144      8  checksum: XXH64 of the 144 bytes before
///
/// The wrapping key and the key check are HKDF-SHA256 of the user's key with the UUID and the salt
/// as its salt. The data key is sealed with the 96 bytes before it authenticated.
struct KeyFile: Hashable, Sendable {
    static let slotSize = 4096
    static let fileSize = 2 * slotSize
    static let magic: UInt64 = 0x0A59_454B_4D4C_5289

    private static let clearSize = 96
    private static let checkedSize = clearSize + SecretKey.size + SecretKey.tagSize
    static let contentSize = checkedSize + 8

    let database: Bits128
    let salt: [UInt8]
    let check: [UInt8]
    let wrapped: [UInt8]
}

extension KeyFile {
    /// Wraps the data key of `cipher` with `user`.
    init(_ cipher: StoreCipher, for user: UserKey) throws(StorageError) {
        database = cipher.database
        salt = Bits128.random().bytes + Bits128.random().bytes
        check = try Self.check(user, salt, cipher.database)
        let slot = AlignedBuffer(capacity: Self.contentSize)
        Self.encodeClear(database, salt, check, into: slot.bytes)
        let key = slot.bytes.slice(Self.clearSize..<Self.checkedSize)
        key.copyBytes(from: cipher.dataKey.bytes)
        try Self.wrappingKey(user, salt, database).seal(
            key, nonce: Self.nonce,
            authenticating: UnsafeRawBufferPointer(slot.bytes).slice(0..<Self.clearSize))
        wrapped = Array(key)
    }

    /// The cipher of the store at `path`, from the data key that `user` unwraps.
    func open(_ user: UserKey, path: String) throws(StorageError) -> StoreCipher {
        guard try Self.check(user, salt, database) == check else { throw .wrongKey(path: path) }
        let slot = AlignedBuffer(capacity: Self.contentSize)
        encode(into: slot.bytes)
        let plain = AlignedBuffer(capacity: SecretKey.size)
        let bytes = UnsafeRawBufferPointer(slot.bytes)
        let isRight = try Self.wrappingKey(user, salt, database).open(
            bytes.slice(Self.clearSize..<Self.clearSize + SecretKey.size),
            tag: bytes.slice(Self.clearSize + SecretKey.size..<Self.checkedSize),
            nonce: Self.nonce, authenticating: bytes.slice(0..<Self.clearSize),
            into: plain.bytes.slice(0..<SecretKey.size))
        guard isRight else {
            throw .corrupted(
                segment: path, offset: Self.clearSize, reason: "the wrapped key was tampered with")
        }
        return StoreCipher(
            dataKey: try SecretKey(UnsafeRawBufferPointer(plain.bytes).slice(0..<SecretKey.size)),
            database: database)
    }

    /// The cipher of a store of whose key file, with `bytes`, no slot verifies; nil if the data key
    /// is lost. What one slot lacks may be in the other: the tag of the wrapped key covers all
    /// fields.
    static func salvage(
        _ bytes: [UInt8], _ user: UserKey, database: Bits128
    ) throws(StorageError) -> StoreCipher? {
        let slots = stride(from: 0, to: bytes.count, by: slotSize)
            .filter { bytes.count - $0 >= checkedSize }
            .map { Array(bytes[$0..<$0 + checkedSize]) }
        for first in slots {
            let salt = Array(first[32..<64])
            let check = try Self.check(user, salt, database)
            for second in slots {
                let wrapped = Array(second[clearSize..<checkedSize])
                let key = KeyFile(database: database, salt: salt, check: check, wrapped: wrapped)
                if let cipher = try? key.open(user, path: "") { return cipher }
            }
        }
        return nil
    }

    // Each salt is drawn for one wrapping, so each wrapping key seals once.
    private static let nonce = SealNonce(stream: .wrappedKey, counter: 0)

    private static func wrappingKey(
        _ user: UserKey, _ salt: [UInt8], _ database: Bits128
    ) throws(StorageError) -> SecretKey {
        try SecretKey(user, salt: database.bytes + salt, purpose: "RealmActors wrapping key")
    }

    private static func check(
        _ user: UserKey, _ salt: [UInt8], _ database: Bits128
    ) throws(StorageError) -> [UInt8] {
        try SecretKey(user, salt: database.bytes + salt, purpose: "RealmActors key check").bytes
    }
}

// Unsafe: fixed fields of slots, which have room for them; readers check the count first.
extension KeyFile {
    /// Writes one slot into `bytes`.
    private func encode(into bytes: UnsafeMutableRawBufferPointer) {
        Self.encodeClear(database, salt, check, into: bytes)
        bytes.slice(Self.clearSize..<Self.checkedSize).copyBytes(from: wrapped)
        let checked = UnsafeRawBufferPointer(bytes).slice(0..<Self.checkedSize)
        bytes.store(XXH64.hash(checked), at: Self.checkedSize)
    }

    private static func encodeClear(
        _ database: Bits128, _ salt: [UInt8], _ check: [UInt8],
        into bytes: UnsafeMutableRawBufferPointer
    ) {
        bytes.store(magic, at: 0)
        bytes.store(StoreFormat.version, at: 8)
        bytes.store(EncryptionAlgorithm.aes256GCM.rawValue, at: 12)
        database.store(in: bytes, at: 16)
        bytes.slice(32..<64).copyBytes(from: salt)
        bytes.slice(64..<clearSize).copyBytes(from: check)
    }

    /// Writes both slots into `bytes`, which hold the file.
    func encodeFile(into bytes: UnsafeMutableRawBufferPointer) {
        for start in stride(from: 0, to: Self.fileSize, by: Self.slotSize) {
            encode(into: bytes.slice(start..<start + Self.slotSize))
        }
    }

    /// The first slot that verifies of a file with `bytes`; nil when none does.
    init?(_ bytes: [UInt8]) {
        for start in stride(from: 0, to: bytes.count, by: Self.slotSize) {
            guard let key = KeyFile(bytes, slotAt: start) else { continue }
            self = key
            return
        }
        return nil
    }

    /// The slot at `start` of a file with `bytes`; nil when it does not verify.
    init?(_ bytes: [UInt8], slotAt start: Int) {
        guard bytes.count - start >= Self.contentSize else { return nil }
        let key = bytes.withUnsafeBytes { bytes -> KeyFile? in
            let slot = bytes.slice(start..<start + Self.contentSize)
            guard slot.integer(at: 0) == Self.magic,
                slot.integer(at: 8) == StoreFormat.version,
                slot.integer(at: 12) == EncryptionAlgorithm.aes256GCM.rawValue,
                slot.integer(at: Self.checkedSize)
                    == XXH64.hash(slot.slice(0..<Self.checkedSize))
            else { return nil }
            return KeyFile(
                database: Bits128(slot, at: 16), salt: Array(slot[32..<64]),
                check: Array(slot[64..<Self.clearSize]),
                wrapped: Array(slot[Self.clearSize..<Self.checkedSize]))
        }
        guard let key else { return nil }
        self = key
    }
}

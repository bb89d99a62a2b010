// Safety: loads and stores are within the header, for which the bytes are checked to have room
// before; every buffer is lent for the call in which it is used.

extension SharedEntry {
    private static let magic: UInt32 = 0x4553_4152

    /// The header up to the checksums, which is authenticated with a sealed payload.
    private static let authenticatedSize = 136

    /// Encodes the entry for its slot. Sealing is randomized: to repeat an append, use the same
    /// bytes.
    package func encoded(_ cipher: SharedLogCipher?) -> [UInt8] {
        let overhead = cipher == nil ? 0 : SharedLogCipher.overhead
        let length = payload.count + overhead
        var bytes = [UInt8](repeating: 0, count: Self.headerSize + length)
        bytes.withUnsafeMutableBytes { bytes in
            let salt = cipher == nil ? Bits128.zero : .random()
            encodeFields(into: bytes, salt: salt, isSealed: cipher != nil, length: length)
            let body = bytes.slice(Self.headerSize..<bytes.count)
            payload.withUnsafeBytes { body.copyMemory(from: $0) }
            cipher?.seal(
                body, .entry(slot), salt: salt,
                authenticating: UnsafeRawBufferPointer(bytes.slice(0..<Self.authenticatedSize)))
            bytes.store(XXH64.hash(UnsafeRawBufferPointer(body)), at: 136)
            let header = UnsafeRawBufferPointer(bytes.slice(0..<144))
            bytes.store(XXH64.hash(header), at: 144)
        }
        return bytes
    }

    private func encodeFields(
        into bytes: UnsafeMutableRawBufferPointer, salt: Bits128, isSealed: Bool, length: Int
    ) {
        bytes.store(Self.magic, at: 0)
        bytes.store(Self.format, at: 4)
        bytes.store(kind.rawValue, at: 6)
        bytes.store(isSealed ? SharedLogCipher.sealedFlag : 0, at: 7)
        realm.store(in: bytes, at: 8)
        bytes.store(slot.rawValue, at: 24)
        bytes.store(epoch, at: 32)
        host.store(in: bytes, at: 40)
        lastWriter.store(in: bytes, at: 56)
        id.store(in: bytes, at: 72)
        bytes.store(firstVersion, at: 88)
        bytes.store(lastVersion, at: 96)
        bytes.store(previousHash.rawValue, at: 104)
        salt.store(in: bytes, at: 112)
        bytes.store(UInt64(length), at: 128)
    }

    /// Decodes an entry. The caller checks that it belongs into its slot, after the previous entry.
    package init(
        decoding bytes: [UInt8], _ cipher: SharedLogCipher?
    ) throws(SharedEntryError) {
        self = try bytes.decoded { (bytes) throws(SharedEntryError) in
            try Self.decode(bytes, cipher)
        }
    }

    /// Decodes the header of an entry that begins with `bytes`, without its payload, which may be
    /// sealed.
    package init(headerOf bytes: [UInt8]) throws(SharedEntryError) {
        self = try bytes.decoded { (bytes) throws(SharedEntryError) in
            try Self.decodeHeader(bytes)
        }
    }

    private static func decode(
        _ bytes: UnsafeRawBufferPointer, _ cipher: SharedLogCipher?
    ) throws(SharedEntryError) -> SharedEntry {
        var entry = try decodeHeader(bytes)
        let body = bytes.slice(headerSize..<bytes.count)
        guard bytes.integer(at: 128, as: UInt64.self) == UInt64(body.count) else {
            throw .malformed("a payload of \(body.count) bytes")
        }
        guard XXH64.hash(body) == bytes.integer(at: 136) else { throw .wrongChecksum }
        entry.payload = try SharedLogCipher.plain(
            body, flags: bytes[7], .entry(entry.slot), salt: Bits128(bytes, at: 112),
            authenticating: bytes.slice(0..<authenticatedSize), cipher)
        guard entry.kind != .epoch || entry.payload.isEmpty else {
            throw .malformed("a payload of an epoch")
        }
        return entry
    }

    private static func decodeHeader(
        _ bytes: UnsafeRawBufferPointer
    ) throws(SharedEntryError) -> SharedEntry {
        guard bytes.count >= headerSize else { throw .malformed("\(bytes.count) bytes") }
        guard bytes.integer(at: 0) == magic else { throw .malformed("other bytes at its begin") }
        let found = bytes.integer(at: 4, as: UInt16.self)
        guard found == format else { throw .otherFormat(found) }
        guard XXH64.hash(bytes.slice(0..<144)) == bytes.integer(at: 144) else {
            throw .wrongChecksum
        }
        guard let kind = Kind(rawValue: bytes[6]) else { throw .malformed("kind \(bytes[6])") }
        return SharedEntry(
            kind: kind, realm: Bits128(bytes, at: 8), slot: LogSlot(bytes.integer(at: 24)),
            epoch: bytes.integer(at: 32), host: Bits128(bytes, at: 40),
            lastWriter: Bits128(bytes, at: 56), id: Bits128(bytes, at: 72),
            firstVersion: bytes.integer(at: 88), lastVersion: bytes.integer(at: 96),
            previousHash: SharedEntryHash(bytes.integer(at: 104)))
    }
}

extension [UInt8] {
    /// The result of `decode` for the bytes of an entry or of a part of an image.
    func decoded<Value>(
        _ decode: (UnsafeRawBufferPointer) throws(SharedEntryError) -> Value
    ) throws(SharedEntryError) -> Value {
        let decoded = withUnsafeBytes { bytes in
            Result { () throws(SharedEntryError) in try decode(bytes) }
        }
        return try decoded.get()
    }
}

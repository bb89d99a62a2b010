// Safety: loads and stores are within the header, for which the bytes are checked to have room
// before; every buffer is lent for the call in which it is used.

/// A part of an image, as an engine stores it.
///
/// It is little-endian: a header, and then the contents to the end.
///
///     offset  bytes  field
///          0      4  "RASI"
///          4      2  format, 1
///          6      1  zero
///          7      1  flags; bit 0: the contents are sealed
///          8     16  identifier of the realm
///         24      8  slot of the image
///         32      8  number of the part, from 0 on
///         40     16  salt of the sealing; zero without one
///         56      8  checksum of all other bytes: XXH64 of the contents as stored here, whose
///                    seed is that of the 56 bytes before
///
package struct SharedImagePart: Sendable, Hashable {
    package static let headerSize = 64
    private static let magic: UInt32 = 0x4953_4152

    /// The identifier of the realm.
    package var realm: Bits128
    /// The slot of the image.
    package var slot: LogSlot
    package var number: UInt64
    package var contents: [UInt8]

    package init(realm: Bits128, slot: LogSlot, number: UInt64, contents: [UInt8]) {
        self.realm = realm
        self.slot = slot
        self.number = number
        self.contents = contents
    }

    /// The realm field of a part, before anything is verified; nil if the bytes are too few.
    package static func realm(of bytes: [UInt8]) -> Bits128? {
        guard bytes.count >= headerSize else { return nil }
        return bytes.withUnsafeBytes { Bits128($0, at: 8) }
    }

    /// How many bytes are added to the contents.
    package static func overhead(_ cipher: SharedLogCipher?) -> Int {
        headerSize + (cipher == nil ? 0 : SharedLogCipher.overhead)
    }

    package func encoded(_ cipher: SharedLogCipher?) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: contents.count + Self.overhead(cipher))
        bytes.withUnsafeMutableBytes { bytes in
            let salt = cipher == nil ? Bits128.zero : .random()
            bytes.store(Self.magic, at: 0)
            bytes.store(SharedEntry.format, at: 4)
            bytes.store(cipher == nil ? 0 : SharedLogCipher.sealedFlag, at: 7)
            realm.store(in: bytes, at: 8)
            bytes.store(slot.rawValue, at: 24)
            bytes.store(number, at: 32)
            salt.store(in: bytes, at: 40)
            let header = UnsafeRawBufferPointer(bytes.slice(0..<56))
            let body = bytes.slice(Self.headerSize..<bytes.count)
            contents.withUnsafeBytes { body.copyMemory(from: $0) }
            cipher?.seal(body, .image(slot), salt: salt, authenticating: header)
            bytes.store(Self.checksum(UnsafeRawBufferPointer(bytes)), at: 56)
        }
        return bytes
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        XXH64.hash(
            bytes.slice(headerSize..<bytes.count), seed: XXH64.hash(bytes.slice(0..<56)))
    }

    /// Decodes a part. The caller checks that it is the requested one.
    package init(
        decoding bytes: [UInt8], _ cipher: SharedLogCipher?
    ) throws(SharedEntryError) {
        self = try bytes.decoded { (bytes) throws(SharedEntryError) in
            try Self.decode(bytes, cipher)
        }
    }

    private static func decode(
        _ bytes: UnsafeRawBufferPointer, _ cipher: SharedLogCipher?
    ) throws(SharedEntryError) -> SharedImagePart {
        guard bytes.count >= headerSize else { throw .malformed("\(bytes.count) bytes") }
        guard bytes.integer(at: 0) == magic else { throw .malformed("other bytes at its begin") }
        let found = bytes.integer(at: 4, as: UInt16.self)
        guard found == SharedEntry.format else { throw .otherFormat(found) }
        guard checksum(bytes) == bytes.integer(at: 56) else { throw .wrongChecksum }
        guard bytes[6] == 0 else { throw .malformed("kind \(bytes[6])") }
        var part = SharedImagePart(
            realm: Bits128(bytes, at: 8), slot: LogSlot(bytes.integer(at: 24)),
            number: bytes.integer(at: 32), contents: [])
        part.contents = try SharedLogCipher.plain(
            bytes.slice(headerSize..<bytes.count), flags: bytes[7], .image(part.slot),
            salt: Bits128(bytes, at: 40), authenticating: bytes.slice(0..<56), cipher)
        return part
    }
}

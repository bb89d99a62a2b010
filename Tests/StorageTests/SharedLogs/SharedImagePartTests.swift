import StorageHarness
import Testing

@testable import Storage

/// The encoding of the parts of images, plain and sealed.
@Suite struct SharedImagePartTests {
    /// Without a key, and with one if there is a cipher.
    static let keys: [UserKey?] = SecretKey.isAvailable ? [nil, .first] : [nil]

    private static func cipher(_ key: UserKey?) throws -> SharedLogCipher? {
        try key.map { key in try SharedLogCipher(key, realm: .zero) }
    }

    private static func part(_ contents: [UInt8] = Array("the contents".utf8)) -> SharedImagePart {
        SharedImagePart(
            realm: Bits128(low: 1, high: 2), slot: LogSlot(3), number: 4, contents: contents)
    }

    private static func reason(_ bytes: [UInt8], _ cipher: SharedLogCipher?) -> SharedEntryError? {
        do throws(SharedEntryError) {
            _ = try SharedImagePart(decoding: bytes, cipher)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: keys)
    func whatIsEncodedIsDecoded(_ key: UserKey?) throws {
        let cipher = try Self.cipher(key)
        for contents in [[], [7], [UInt8](repeating: 9, count: 1 << 20)] {
            let part = Self.part(contents)
            let bytes = part.encoded(cipher)
            #expect(bytes.count == contents.count + SharedImagePart.overhead(cipher))
            #expect(try SharedImagePart(decoding: bytes, cipher) == part)
        }
    }

    @Test(arguments: keys)
    func everyFlippedBitIsRefused(_ key: UserKey?) throws {
        let cipher = try Self.cipher(key)
        let bytes = Self.part().encoded(cipher)
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(Self.reason(changed, cipher) != nil, "bit \(bit)")
        }
        for count in 0..<bytes.count {
            #expect(Self.reason(Array(bytes.prefix(count)), cipher) != nil, "\(count) bytes")
        }
    }

    @Test(.enabled(if: SecretKey.isAvailable))
    func keysMustBeTheSame() throws {
        let cipher = try Self.cipher(.first)
        let sealed = Self.part().encoded(cipher)
        #expect(Self.reason(sealed, nil) == .sealed)
        #expect(Self.reason(Self.part().encoded(nil), cipher) == .notSealed)
        #expect(try Self.reason(sealed, Self.cipher(UserKey.first?.other)) == .notAuthentic)
    }

    /// Somebody without the key corrects the checksum.
    @Test(.enabled(if: SecretKey.isAvailable))
    func everyForgedByteIsRefused() throws {
        let cipher = try Self.cipher(.first)
        let bytes = Self.part().encoded(cipher)
        for offset in bytes.indices where !(56..<64).contains(offset) {
            var forged = bytes
            forged[offset] ^= 1
            // Unsafe: the checksum lies within the header.
            forged.withUnsafeMutableBytes { bytes in
                let seed = XXH64.hash(UnsafeRawBufferPointer(bytes.slice(0..<56)))
                let body = UnsafeRawBufferPointer(bytes.slice(64..<bytes.count))
                bytes.store(XXH64.hash(body, seed: seed), at: 56)
            }
            #expect(Self.reason(forged, cipher) != nil, "byte \(offset)")
        }
    }
}

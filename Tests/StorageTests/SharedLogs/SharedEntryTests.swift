import StorageHarness
import Testing

@testable import Storage

/// The encoding of entries, plain and sealed.
@Suite struct SharedEntryTests {
    static func entry(
        _ kind: SharedEntry.Kind = .group, payload: [UInt8] = Array("a group".utf8)
    ) -> SharedEntry {
        SharedEntry(
            kind: kind, realm: Bits128(low: 1, high: 2), slot: LogSlot(9), epoch: 3,
            host: Bits128(low: 4, high: 5), lastWriter: Bits128(low: 6, high: 7),
            firstVersion: 11, lastVersion: 12, previousHash: SharedEntryHash(13), payload: payload)
    }

    static func cipher(_ key: UserKey? = .first) throws -> SharedLogCipher {
        try SharedLogCipher(#require(key), realm: Bits128(low: 1, high: 2))
    }

    static func reason(_ bytes: [UInt8], _ cipher: SharedLogCipher? = nil) -> SharedEntryError? {
        do throws(SharedEntryError) {
            _ = try SharedEntry(decoding: bytes, cipher)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: SharedEntry.Kind.allCases)
    func whatIsEncodedIsDecoded(_ kind: SharedEntry.Kind) throws {
        let payload = kind == .epoch ? [] : (0..<100_000).map { UInt8($0 % 251) }
        let entry = Self.entry(kind, payload: payload)
        let bytes = entry.encoded(nil)
        #expect(bytes.count == SharedEntry.headerSize + payload.count)
        #expect(try SharedEntry(decoding: bytes, nil) == entry)
    }

    @Test func theAppendingHostIsTheLastWriterUnlessAnotherIsNamed() {
        let host = Bits128(low: 4, high: 5)
        let entry = SharedEntry(
            kind: .group, realm: .zero, slot: .first, epoch: 0, host: host, firstVersion: 0,
            lastVersion: 0, previousHash: .none)
        #expect(entry.lastWriter == host)
        #expect(Self.entry().id != Self.entry().id)
    }

    @Test func everyFlippedBitIsRefused() {
        let bytes = Self.entry().encoded(nil)
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(Self.reason(changed) != nil, "bit \(bit)")
        }
    }

    @Test func everyOtherLengthIsRefused() {
        let bytes = Self.entry().encoded(nil)
        for count in 0..<bytes.count {
            #expect(Self.reason(Array(bytes.prefix(count))) != nil, "\(count) bytes")
        }
        #expect(Self.reason(bytes + [0]) != nil)
    }

    /// Headers with valid checksums and invalid fields.
    @Test func reasonsAreTold() {
        let bytes = Self.entry().encoded(nil)
        #expect(Self.reason([]) == .malformed("0 bytes"))
        #expect(Self.reason(Self.forged(bytes, 0, 7)) == .malformed("other bytes at its begin"))
        #expect(Self.reason(Self.forged(bytes, 4, 2)) == .otherFormat(2))
        #expect(Self.reason(Self.forged(bytes, 6, 99)) == .malformed("kind 99"))
        #expect(Self.reason(Self.forged(bytes, 7, 2)) == .malformed("flags 2"))
        #expect(Self.reason(Self.forged(bytes, 7, 1)) == .sealed)
        #expect(Self.reason(Self.forged(bytes, 128, 200)) == .malformed("a payload of 7 bytes"))
        #expect(Self.reason(Self.forged(bytes, 135, 255)) == .malformed("a payload of 7 bytes"))
        #expect(Self.reason(Self.forged(bytes, 136, 0)) == .wrongChecksum)
        let epoch = Self.forged(bytes, 6, SharedEntry.Kind.epoch.rawValue)
        #expect(Self.reason(epoch) == .malformed("a payload of an epoch"))
        var damaged = bytes
        damaged[SharedEntry.headerSize] ^= 1
        #expect(Self.reason(damaged) == .wrongChecksum)
    }

    /// The bytes with another one at `offset`, and a valid checksum of the header.
    static func forged(_ bytes: [UInt8], _ offset: Int, _ value: UInt8) -> [UInt8] {
        var bytes = bytes
        bytes[offset] = value
        // Unsafe: within the header.
        bytes.withUnsafeMutableBytes { bytes in
            bytes.store(XXH64.hash(UnsafeRawBufferPointer(bytes.slice(0..<144))), at: 144)
        }
        return bytes
    }

    @Test func aHeaderNeedsNoPayload() throws {
        var entry = Self.entry()
        let header = Array(entry.encoded(nil).prefix(SharedEntry.headerSize))
        entry.payload = []
        #expect(try SharedEntry(headerOf: header) == entry)
        for bit in 0..<header.count * 8 {
            var changed = header
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: SharedEntryError.self, "bit \(bit)") {
                try SharedEntry(headerOf: changed)
            }
        }
    }

    @Test func theHashIsThatOfAllBytes() {
        let bytes = Self.entry().encoded(nil)
        let hash = SharedEntryHash(of: bytes)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(SharedEntryHash(of: changed) != hash, "byte \(index)")
        }
    }
}

/// Entries of an encrypted realm.
@Suite(.enabled(if: SecretKey.isAvailable)) struct SealedSharedEntryTests {
    private typealias Plain = SharedEntryTests

    @Test(arguments: SharedEntry.Kind.allCases)
    func whatIsSealedIsOpened(_ kind: SharedEntry.Kind) throws {
        let cipher = try Plain.cipher()
        let secret = Array("a secret that is long enough to be found".utf8)
        let entry = Plain.entry(kind, payload: kind == .epoch ? [] : secret)
        let bytes = entry.encoded(cipher)
        #expect(try SharedEntry(decoding: bytes, cipher) == entry)
        #expect(bytes.firstRange(of: secret) == nil)
        #expect(entry.encoded(cipher) != bytes, "every sealing has its own salt")
    }

    @Test func everyFlippedBitIsRefused() throws {
        let cipher = try Plain.cipher()
        let bytes = Plain.entry().encoded(cipher)
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(Plain.reason(changed, cipher) != nil, "bit \(bit)")
        }
    }

    /// Somebody without the key corrects the checksums.
    @Test func everyForgedByteIsRefused() throws {
        let cipher = try Plain.cipher()
        let bytes = Plain.entry().encoded(cipher)
        for offset in 0..<128 {
            let forged = Plain.forged(bytes, offset, bytes[offset] ^ 1)
            #expect(Plain.reason(forged, cipher) != nil, "byte \(offset)")
        }
        for offset in SharedEntry.headerSize..<bytes.count {
            var forged = bytes
            forged[offset] ^= 1
            // Unsafe: the checksum of the payload lies within the header.
            forged.withUnsafeMutableBytes { forged in
                let payload = forged.slice(SharedEntry.headerSize..<forged.count)
                forged.store(XXH64.hash(UnsafeRawBufferPointer(payload)), at: 136)
            }
            forged = Plain.forged(forged, 0, forged[0])
            #expect(Plain.reason(forged, cipher) == .notAuthentic, "byte \(offset)")
        }
    }

    @Test func keysMustBeTheSame() throws {
        let cipher = try Plain.cipher()
        let sealed = Plain.entry().encoded(cipher)
        #expect(Plain.reason(sealed) == .sealed)
        #expect(Plain.reason(Plain.entry().encoded(nil), cipher) == .notSealed)
        #expect(try Plain.reason(sealed, Plain.cipher(UserKey.first?.other)) == .notAuthentic)
        let elsewhere = try SharedLogCipher(#require(.first), realm: .zero)
        #expect(Plain.reason(sealed, elsewhere) == .notAuthentic)
    }
}

@Suite(.enabled(if: !SecretKey.isAvailable)) struct SharedLogCipherUnavailableTests {
    @Test func thereIsNone() throws {
        #expect(throws: StorageError.encryptionUnavailable) { try SharedEntryTests.cipher() }
    }
}

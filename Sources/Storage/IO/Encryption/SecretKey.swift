// The cryptography of stores; only this file depends on its libraries: CryptoKit where the system
// has it, and swift-crypto elsewhere, if the package trait `Encryption` is enabled. This package
// implements no cryptography itself. (`RealmFileCipher` decrypts Realm files, with their older
// ciphers.)

import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#elseif Encryption
    import Crypto
#endif

/// A key of 256 bits that seals with AES-GCM, and that other keys are derived from.
///
/// Without a cryptographic library there are no keys, and creating one throws.
struct SecretKey: Sendable {
    static let size = 32
    /// Bytes of the tag after the sealed bytes.
    static let tagSize = 16

    #if canImport(CryptoKit) || Encryption
        private let key: SymmetricKey

        /// Whether stores can be encrypted.
        static let isAvailable = true
    #else
        private let key: Never

        /// Whether stores can be encrypted.
        static let isAvailable = false
    #endif
}

/// The nonce of a sealing, which must be unique for its key.
struct SealNonce: Hashable, Sendable {
    /// What is sealed.
    enum Stream: UInt32, Sendable {
        case wrappedKey = 1
        case frames = 2
        case nodes = 3
        case sharedEntries = 4
        case sharedImages = 5
    }

    let stream: Stream
    let counter: UInt64
}

#if canImport(CryptoKit) || Encryption
    // Unsafe: buffers are lent by callers for the duration of a call; the library returns copies,
    // which are copied into buffers that were checked to have room.
    extension SecretKey {
        /// A key from the system's generator.
        static func random() throws(StorageError) -> SecretKey {
            SecretKey(key: SymmetricKey(size: .bits256))
        }

        /// The key that these 32 bytes are.
        init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
            precondition(bytes.count == Self.size)
            key = SymmetricKey(data: bytes)
        }

        /// A key derived from the user's key with HKDF-SHA256.
        init(_ user: UserKey, salt: [UInt8], purpose: String) throws(StorageError) {
            key = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: user.bytes), salt: salt,
                info: Array(purpose.utf8), outputByteCount: Self.size)
        }

        /// A key derived from this one with HKDF-SHA256.
        func derived(salt: Bits128, purpose: String, database: Bits128) -> SecretKey {
            SecretKey(
                key: HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: key, salt: salt.bytes,
                    info: Array(purpose.utf8) + database.bytes, outputByteCount: Self.size))
        }

        /// The 32 bytes, to be wrapped.
        var bytes: [UInt8] { key.withUnsafeBytes { Array($0) } }

        /// HMAC-SHA256 of `bytes`: 32 bytes.
        func authenticationCode(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
            Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
        }

        /// Seals all of `bytes` but the last 16 in place; the tag is written there.
        func seal(
            _ bytes: UnsafeMutableRawBufferPointer, nonce: SealNonce,
            authenticating context: UnsafeRawBufferPointer
        ) {
            let plain = UnsafeRawBufferPointer(bytes).slice(0..<bytes.count - Self.tagSize)
            do {
                let box = try AES.GCM.seal(
                    plain, using: key, nonce: try nonce.encoded(), authenticating: context)
                box.ciphertext.copyBytes(to: bytes)
                box.tag.copyBytes(to: bytes.slice(plain.count..<bytes.count))
            } catch {
                // The library refuses keys and nonces of other sizes than these have.
                preconditionFailure("Sealing \(plain.count) bytes has failed: \(error)")
            }
        }

        /// Opens sealed bytes into `plain`; false if they were not sealed with this key, nonce and
        /// context.
        func open(
            _ sealed: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer, nonce: SealNonce,
            authenticating context: UnsafeRawBufferPointer,
            into plain: UnsafeMutableRawBufferPointer
        ) -> Bool {
            precondition(plain.count == sealed.count)
            do {
                let box = try AES.GCM.SealedBox(
                    nonce: try nonce.encoded(), ciphertext: sealed, tag: tag)
                try AES.GCM.open(box, using: key, authenticating: context).copyBytes(to: plain)
                return true
            } catch {
                return false
            }
        }
    }

    extension SealNonce {
        /// The 12 bytes: stream and counter, little-endian.
        fileprivate func encoded() throws -> AES.GCM.Nonce {
            // Unsafe: twelve bytes in three words.
            try withUnsafeTemporaryAllocation(byteCount: 12, alignment: 8) { bytes in
                bytes.store(counter, at: 0)
                bytes.store(stream.rawValue, at: 8)
                return try AES.GCM.Nonce(data: UnsafeRawBufferPointer(bytes))
            }
        }
    }
#else
    // Never called, since the type has no values.
    extension SecretKey {
        static func random() throws(StorageError) -> SecretKey { throw .encryptionUnavailable }

        init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
            throw .encryptionUnavailable
        }

        init(_ user: UserKey, salt: [UInt8], purpose: String) throws(StorageError) {
            throw .encryptionUnavailable
        }

        func derived(salt: Bits128, purpose: String, database: Bits128) -> SecretKey {
            switch key {}
        }

        var bytes: [UInt8] { switch key {} }

        func authenticationCode(of bytes: UnsafeRawBufferPointer) -> [UInt8] { switch key {} }

        func seal(
            _ bytes: UnsafeMutableRawBufferPointer, nonce: SealNonce,
            authenticating context: UnsafeRawBufferPointer
        ) {
            switch key {}
        }

        func open(
            _ sealed: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer, nonce: SealNonce,
            authenticating context: UnsafeRawBufferPointer,
            into plain: UnsafeMutableRawBufferPointer
        ) -> Bool {
            switch key {}
        }
    }
#endif

extension Bits128 {
    /// The 16 bytes, as in files.
    var bytes: [UInt8] {
        [low, high].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
    }
}

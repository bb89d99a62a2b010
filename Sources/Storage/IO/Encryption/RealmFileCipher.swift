// The ciphers of encrypted Realm files; only this file depends on their libraries: CommonCrypto
// where the system has it, and swift-crypto elsewhere, if the package trait `Encryption` is
// enabled. Nothing is ever encrypted with them here.

import Foundation

#if canImport(CommonCrypto)
    import CommonCrypto
#elseif Encryption
    import Crypto
    import CryptoExtras
#endif

/// Decrypts the pages of a `.realm` file: AES-256-CBC without padding, authenticated with
/// HMAC-SHA-224 of the ciphertext.
struct RealmFileCipher: Sendable {
    static let keySize = 64
    static let digestSize = 28

    private let encryptionKey: [UInt8]
    private let digestKey: [UInt8]

    #if canImport(CommonCrypto) || Encryption
        /// Whether encrypted files can be read.
        static let isAvailable = true
    #else
        /// Whether encrypted files can be read.
        static let isAvailable = false
    #endif

    /// Nil when the key is not 64 bytes.
    init?(key: [UInt8]) {
        guard key.count == Self.keySize else { return nil }
        encryptionKey = Array(key[..<32])
        digestKey = Array(key[32...])
    }

    /// Compares in constant time.
    static func isEqual(_ left: [UInt8], _ right: ArraySlice<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

#if canImport(CommonCrypto)
    extension RealmFileCipher {
        /// HMAC-SHA-224.
        func digest(of bytes: [UInt8]) -> [UInt8] {
            var digest = [UInt8](repeating: 0, count: Self.digestSize)
            CCHmac(
                CCHmacAlgorithm(kCCHmacAlgSHA224), digestKey, digestKey.count, bytes, bytes.count,
                &digest)
            return digest
        }

        /// AES-256-CBC of whole blocks; nil when they are not.
        func decrypt(_ bytes: [UInt8], vector: [UInt8]) -> [UInt8]? {
            var plain = [UInt8](repeating: 0, count: bytes.count)
            var count = 0
            let status = CCCrypt(
                CCOperation(kCCDecrypt), CCAlgorithm(kCCAlgorithmAES), CCOptions(0), encryptionKey,
                encryptionKey.count, vector, bytes, bytes.count, &plain, plain.count, &count)
            return status == CCCryptorStatus(kCCSuccess) && count == plain.count ? plain : nil
        }
    }
#else
    extension RealmFileCipher {
        /// HMAC-SHA-224, which swift-crypto does not have.
        func digest(of bytes: [UInt8]) -> [UInt8] {
            SHA2.authenticationCode(.sha224, of: bytes, key: digestKey)
        }

        /// AES-256-CBC of whole blocks; nil when they are not.
        func decrypt(_ bytes: [UInt8], vector: [UInt8]) -> [UInt8]? {
            #if Encryption
                let plain = try? AES._CBC.decrypt(
                    bytes, using: SymmetricKey(data: encryptionKey), iv: .init(ivBytes: vector),
                    noPadding: true)
                return plain.map { Array($0) }
            #else
                return nil
            #endif
        }
    }
#endif

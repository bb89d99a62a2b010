/// The encryption of a store. Raw values are stored in files and never reused.
package enum EncryptionAlgorithm: UInt32, Sendable {
    /// Not at all.
    case none = 0
    /// AES-256-GCM with keys by HKDF-SHA256: frames of the log and nodes of the page files are
    /// sealed one by one.
    case aes256GCM = 1

    /// Whether this build can encrypt.
    package static var isAvailable: Bool { SecretKey.isAvailable }

    /// Bytes that sealing adds: the tag.
    package var overhead: Int { self == .none ? 0 : SecretKey.tagSize }
}

// Safety: buffers are lent by callers for the duration of a call; what is opened is copied into an
// array of its own, whose count is that of the sealed bytes without the tag.

/// Seals what an encrypted realm has in a shared log, with keys made from the user's key: all
/// hosts have that, and none has the key of another one's files.
///
/// Every sealing has a key of its own, made from a random salt beside what is sealed, so that hosts
/// need to agree on no numbers. The slot is the nonce.
package struct SharedLogCipher: Sendable {
    /// Bytes that sealing adds.
    package static let overhead = SecretKey.tagSize

    private let key: SecretKey
    private let realm: Bits128

    /// - Throws: that this build cannot encrypt.
    package init(_ user: UserKey, realm: Bits128) throws(StorageError) {
        key = try SecretKey(user, salt: realm.bytes, purpose: "RealmActors shared log")
        self.realm = realm
    }

    /// What is sealed.
    enum Content {
        case entry(LogSlot)
        /// A part of the image of a slot.
        case image(LogSlot)

        fileprivate var nonce: SealNonce {
            switch self {
            case .entry(let slot): SealNonce(stream: .sharedEntries, counter: slot.rawValue)
            case .image(let slot): SealNonce(stream: .sharedImages, counter: slot.rawValue)
            }
        }
    }

    /// Seals all of `bytes` but the last ``overhead``, where the tag comes.
    func seal(
        _ bytes: UnsafeMutableRawBufferPointer, _ content: Content, salt: Bits128,
        authenticating context: UnsafeRawBufferPointer
    ) {
        sealingKey(salt).seal(bytes, nonce: content.nonce, authenticating: context)
    }

    /// What was sealed; nil when it is not that.
    func open(
        _ bytes: UnsafeRawBufferPointer, _ content: Content, salt: Bits128,
        authenticating context: UnsafeRawBufferPointer
    ) -> [UInt8]? {
        let count = bytes.count - Self.overhead
        guard count >= 0 else { return nil }
        var plain = [UInt8](repeating: 0, count: count)
        let isRight = plain.withUnsafeMutableBytes { plain in
            sealingKey(salt).open(
                bytes.slice(0..<count), tag: bytes.slice(count..<bytes.count),
                nonce: content.nonce, authenticating: context, into: plain)
        }
        return isRight ? plain : nil
    }

    private func sealingKey(_ salt: Bits128) -> SecretKey {
        key.derived(salt: salt, purpose: "RealmActors shared entry", database: realm)
    }
}

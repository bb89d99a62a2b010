// Safety: buffers are lent by callers for the duration of a call; what is opened is copied into an
// array of its own, whose count is that of the sealed bytes without the tag.

/// Seals the entries and images of an encrypted realm in a shared log, with keys derived from the
/// user's key, which all hosts have. The data key of each host's files is its own.
///
/// Each entry and each part of an image is sealed with its own key, derived with a random salt that
/// is stored beside it, so that hosts need not coordinate nonces. The slot is the nonce.
package struct SharedLogCipher: Sendable {
    /// Bytes that sealing adds.
    package static let overhead = SecretKey.tagSize
    /// The flag in the header of sealed contents.
    static let sealedFlag: UInt8 = 1

    private let key: SecretKey
    private let realm: Bits128

    /// - Throws: that this build cannot encrypt.
    package init(_ user: UserKey, realm: Bits128) throws(StorageError) {
        key = try SecretKey(user, salt: realm.bytes, purpose: "RealmActors shared log")
        self.realm = realm
    }

    /// The kinds of sealed contents.
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

    /// Seals all of `bytes` but the last ``overhead``, where the tag is written.
    func seal(
        _ bytes: UnsafeMutableRawBufferPointer, _ content: Content, salt: Bits128,
        authenticating context: UnsafeRawBufferPointer
    ) {
        sealingKey(salt).seal(bytes, nonce: content.nonce, authenticating: context)
    }

    /// Opens sealed bytes; nil if they are not authentic.
    private func open(
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

    /// The contents of an entry or of a part of an image before they were sealed, if they were.
    /// `flags` and `salt` are those of the header, `stored` are the contents after it.
    static func plain(
        _ stored: UnsafeRawBufferPointer, flags: UInt8, _ content: Content, salt: Bits128,
        authenticating context: UnsafeRawBufferPointer, _ cipher: SharedLogCipher?
    ) throws(SharedEntryError) -> [UInt8] {
        switch (flags, cipher) {
        case (0, nil): return Array(stored)
        case (0, _): throw .notSealed
        case (sealedFlag, nil): throw .sealed
        case (sealedFlag, let cipher?):
            let plain = cipher.open(stored, content, salt: salt, authenticating: context)
            guard let plain else { throw .notAuthentic }
            return plain
        case (let other, _): throw .malformed("flags \(other)")
        }
    }

    private func sealingKey(_ salt: Bits128) -> SecretKey {
        key.derived(salt: salt, purpose: "RealmActors shared entry", database: realm)
    }
}

import Storage

/// The 64 bytes that an encrypted realm is opened with.
///
///     let key = EncryptionKey.random()
///     keychain.store(key.bytes)
///     let realm = try await Realm.open(.init(path: "diary.realm", encryptionKey: key))
///
/// Who loses the key loses the realm: nothing opens it without. Descriptions and reflection of
/// a key show none of its bytes, and no error does.
public struct EncryptionKey: Sendable, Hashable {
    /// How many bytes a key has.
    public static let byteCount = 64

    let userKey: UserKey

    /// A key of given bytes.
    ///
    /// All of them should be random: they are not stretched, as a password would have to be.
    ///
    /// - Throws: ``RealmError/invalidEncryptionKey(byteCount:)`` when there are more or less than
    ///   64.
    public init(_ bytes: some Sequence<UInt8>) throws(RealmError) {
        let bytes = Array(bytes)
        guard let key = UserKey(bytes) else {
            throw RealmError.invalidEncryptionKey(byteCount: bytes.count)
        }
        userKey = key
    }

    private init(_ key: UserKey) { userKey = key }

    /// A new key from the random generator of the system.
    public static func random() -> EncryptionKey { EncryptionKey(.random()) }

    /// The key itself, to be kept in a safe place.
    public var bytes: [UInt8] { userKey.bytes }
}

extension EncryptionKey: CustomStringConvertible, CustomReflectable {
    /// Says what it is, and nothing of what it holds.
    public var description: String { "an encryption key of \(Self.byteCount) bytes" }

    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

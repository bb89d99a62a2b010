import Storage

/// The 64-byte key of an encrypted realm.
///
///     let key = EncryptionKey.random()
///     keychain.store(key.bytes)
///     let realm = try await Realm.open(.init(path: "diary.realm", encryptionKey: key))
///
/// A realm cannot be opened without its key: a lost key means a lost realm. Descriptions,
/// reflection and errors show none of its bytes.
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
    /// A fixed text without the bytes.
    public var description: String { "an encryption key of \(Self.byteCount) bytes" }

    /// A mirror without children, so that reflection shows no bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

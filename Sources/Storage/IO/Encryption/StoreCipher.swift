/// The cipher of an open encrypted store: the data key, from which the keys of epochs and of
/// writers of nodes are derived. Plain stores have none; everything else is the same for both.
package struct StoreCipher: Sendable {
    let dataKey: SecretKey
    let database: Bits128

    /// The key of the nodes that the writer with this salt writes.
    func nodeKey(salt: Bits128) -> SecretKey {
        dataKey.derived(salt: salt, purpose: "RealmActors nodes", database: database)
    }

    // Unsafe: lent by the caller.
    /// The authentication code of a superblock's slot, which proves that it was written with the
    /// store's key: 32 bytes.
    func authenticationCode(ofSuperblock bytes: UnsafeRawBufferPointer) -> [UInt8] {
        dataKey.derived(salt: .zero, purpose: "RealmActors superblock", database: database)
            .authenticationCode(of: bytes)
    }
}

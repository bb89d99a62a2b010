/// What an open encrypted store seals with: the data key, from which the keys of epochs and
/// writers of nodes are derived. Plain stores have none; everything else is the same for both.
package struct StoreCipher: Sendable {
    let dataKey: SecretKey
    let database: Bits128

    /// The key of the nodes that the writer with this salt writes.
    func nodeKey(salt: Bits128) -> SecretKey {
        dataKey.derived(salt: salt, purpose: "RealmActors nodes", database: database)
    }

    // Unsafe: lent by the caller.
    /// What proves that a slot of the superblock is the store's own: 32 bytes.
    func authenticationCode(ofSuperblock bytes: UnsafeRawBufferPointer) -> [UInt8] {
        dataKey.derived(salt: .zero, purpose: "RealmActors superblock", database: database)
            .authenticationCode(of: bytes)
    }
}

package import Storage

/// Stores of the harness get another key now and then, from one of two. After a crash in the middle
/// of that, either may be the one that opens the store.
extension StoreOpening {
    /// Opens the store with the key of `options`, or the other one, which is then in them.
    package mutating func openWithEitherKey(
        account: NodeAccount, schema: (StoreSchema) throws -> StoreSchema
    ) throws -> Opened {
        do {
            return try open(account: account, schema: schema)
        } catch StorageError.wrongKey where options.encryptionKey != nil {
            options.encryptionKey = options.encryptionKey?.other
            return try open(account: account, schema: schema)
        }
    }
}

extension UserKey {
    /// The key that stores of the harness begin with.
    package static var first: UserKey? { UserKey((0..<64).map { $0 }) }

    /// The other of two keys.
    package var other: UserKey? { UserKey(bytes.map { ~$0 }) }
}

extension TransactionEngine {
    /// Wraps the data key with another user key. Blocks on the disk: not for the cooperative pool.
    package func rekey(to user: UserKey) throws(StorageError) {
        guard let log = segments else { throw .notEncrypted(path: "A store in memory") }
        try log.rekey(to: user)
    }

    /// What is needed to open the same database again, and no other; nil in memory.
    package var knownDatabase: KnownDatabase? { segments?.knownDatabase }
}

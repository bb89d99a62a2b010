extension TransactionEngine {
    /// Copies the files of the store, or what has changed since the backup in `directory`, see
    /// ``StoreBackup``. Blocks on the disk: not for the cooperative pool.
    package func backUp(
        to fileSystem: any FileSystem, directory: String, monitor: ReadingMonitor
    ) throws -> StoreBackup.Outcome {
        guard let log = segments else {
            throw StorageError.invalid(
                "A realm in memory has no files to copy. Use writeCopy for a copy on disk.")
        }
        let checkpointer = checkpoints?.checkpointer
        // Closes files that were removed meanwhile and kept open for the backup.
        defer { checkpointer?.closeRetired(tree.account) }
        return try StoreBackup(
            of: log, checkpointer, to: fileSystem, directory: directory, monitor: monitor
        ).write()
    }
}

extension TransactionEngine {
    /// Copies the files of the store, or what is new of them since the backup in `directory`, see
    /// ``StoreBackup``. Blocks on the disk: not for the cooperative pool.
    package func backUp(
        to fileSystem: any FileSystem, directory: String, monitor: ReadingMonitor
    ) throws -> StoreBackup.Outcome {
        guard let log = segments else {
            throw StorageError.invalid(
                "A realm in memory has no files to copy. Use writeCopy for a copy on disk.")
        }
        let checkpointer = checkpoints?.checkpointer
        // What was removed meanwhile was open for it.
        defer { checkpointer?.closeRetired(tree.account) }
        return try StoreBackup(
            of: log, checkpointer, to: fileSystem, directory: directory, monitor: monitor
        ).write()
    }
}

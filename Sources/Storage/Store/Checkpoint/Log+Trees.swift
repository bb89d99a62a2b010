extension Log {
    /// Whether the page files have the root and the contents record of a checkpoint's tree, which
    /// are written last, and all segments that the tree uses.
    static func holdsTree(
        of record: CheckpointRecord, _ store: StoreDirectory, _ database: Bits128
    ) throws(StorageError) -> Bool {
        let pages = PageStore(
            fileSystem: store.fileSystem, directory: store.pagesPath, database: database,
            cipher: store.cipher)
        let account = NodeAccount()
        account.pages = pages
        do throws(StorageError) {
            let (_, described) = try StoreOpening.load(record, from: pages, account)
            try pages.openAll(described.segments)
            return true
        } catch .corrupted {
            return false
        }
    }
}

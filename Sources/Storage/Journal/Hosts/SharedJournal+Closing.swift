/// The end of a journal, and what is durable of its local copy.
extension SharedJournal {
    package func sync() throws(StorageError) { try local.sync() }

    package func close() throws(StorageError) {
        realm.log.close()
        if failure == nil { try? recordCursor() }
        try local.close()
    }
}

/// What a journal takes from its local copy, and the end of both.
extension SharedJournal {
    package var end: LogEnd? { local.end }
    package var life: UInt64 { local.life }
    package var lastLife: UInt64 { local.lastLife }
    package var failure: StorageError? { local.failure }
    package var isWriting: Bool { local.isWriting }
    package var isOnSharedLog: Bool { true }
    package var segments: Log? { local }
    package func fail(_ error: StorageError) { local.fail(error) }

    package func sync() throws(StorageError) { try local.sync() }

    package func close() throws(StorageError) {
        realm.log.close()
        if failure == nil { try? recordCursor() }
        try local.close()
    }
}

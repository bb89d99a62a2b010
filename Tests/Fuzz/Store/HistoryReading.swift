/// Reads the history of a store from its log, as those do who follow its commits.
enum HistoryReading {
    static func read(_ log: Log) throws {
        guard let end = log.end else { return }
        do throws(HistoryError) {
            let headers = try HistoryError.translating { () throws(StorageError) in
                try HistorySegments(log.store, database: log.database, end: end.segment).headers
            }
            guard let first = headers.first else { return }
            var reader = HistoryReader(
                log.store, database: log.database, from: LogEnd(beginOf: first))
            var schema = StoreSchema()
            var window = LogWindow(size: LogWindow.large)
            while try reader.readGroup(
                upTo: end, in: &window,
                { (record) throws(HistoryError) in
                    guard let commit = Self.commit(record, schema) else { throw .noLog }
                    schema = commit.schema ?? schema
                    Self.check(commit)
                })
            {}
        } catch {
            // Damage that was noticed.
        }
    }

    private static func commit(_ record: CommitView, _ schema: StoreSchema) -> LoggedCommit? {
        try? CommitRecord.history(record.payload, version: record.version, schema: schema)
    }

    /// There are as many values as rows, or none.
    private static func check(_ commit: LoggedCommit) {
        for entry in commit.classes {
            let created = entry.created.reduce(0) { $0 + $1.count }
            precondition(entry.createdValues.count == (commit.hasValues ? created : 0))
            let deleted = entry.deleted.reduce(0) { $0 + $1.count }
            precondition(entry.deletedValues.count == (commit.hasOldValues ? deleted : 0))
            for touched in entry.touched where !touched.oldValues.isEmpty {
                precondition(touched.oldValues.count == touched.values.count)
            }
        }
    }
}

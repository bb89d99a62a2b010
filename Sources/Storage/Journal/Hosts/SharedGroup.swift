/// Commits that a host has appended to a shared log, to become durable together.
struct SharedGroup: Sendable, Hashable {
    let firstVersion: Version
    let lastVersion: Version
    /// What the payload of a group's frame would be.
    let payload: [UInt8]

    /// Calls `body` with each commit.
    func forEachCommit(
        _ body: (CommitView) throws(StorageError) -> Void
    ) throws(StorageError) {
        // Unsafe: lent to the records, which end before this call.
        let result = payload.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in
                var records = GroupRecords(bytes)
                while let commit = try next(of: &records) { try body(commit) }
            }
        }
        try result.get()
    }

    private func next(of records: inout GroupRecords) throws(StorageError) -> CommitView? {
        do {
            return try records.next()
        } catch {
            throw .sharedLogDiverged(reason: "the commits up to \(lastVersion) are malformed")
        }
    }
}

/// Commits that a host appends to a shared log, to become durable together.
struct SharedGroup: Sendable, Hashable {
    /// The host that has appended it.
    let host: Bits128
    let firstVersion: Version
    let lastVersion: Version
    /// The commit records, as in the payload of a group's frame.
    let payload: [UInt8]
    /// The identifier of its append; zero before that.
    var id = Bits128.zero

    /// Calls `body` with each commit.
    func forEachCommit(
        _ body: (CommitView) throws(StorageError) -> Void
    ) throws(StorageError) {
        // Unsafe: lent to the records, which end before this call.
        let result = payload.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in
                var records = GroupRecords(bytes)
                var last: Version?
                while let commit = try next(of: &records) {
                    guard last.map({ commit.version > $0 }) ?? (commit.version == firstVersion)
                    else { throw malformed }
                    last = commit.version
                    try body(commit)
                }
                if last != lastVersion { throw malformed }
            }
        }
        try result.get()
    }

    /// The latest time of its commits, in seconds since 1970; nil if they have none.
    func latestTime() throws(StorageError) -> Double? {
        var latest: Double?
        try forEachCommit { (commit) throws(StorageError) in
            guard let time = CommitRecord.time(of: commit.payload) else { return }
            latest = max(latest ?? time, time)
        }
        return latest
    }

    private func next(of records: inout GroupRecords) throws(StorageError) -> CommitView? {
        do {
            return try records.next()
        } catch {
            throw malformed
        }
    }

    private var malformed: StorageError {
        .sharedLogDiverged(reason: "the commits up to version \(lastVersion) are malformed")
    }
}

extension SharedGroup {
    /// A copy of the commits of a buffer, for an append by `host`.
    init(_ group: CommitGroupBuffer, of host: Bits128) {
        self.init(
            host: host, firstVersion: group.firstVersion, lastVersion: group.lastVersion,
            // Unsafe: copied within this call, in which nobody changes the buffer.
            payload: Array(UnsafeRawBufferPointer(group.payload)))
    }
}

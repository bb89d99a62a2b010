/// Commits that became durable together, with all their parts.
struct LogGroup {
    private let header: FrameHeader
    private let payload: FramePayload
    /// Where its last frame ends.
    let end: LogEnd
    /// Where its last frame begins.
    let place: FramePlace

    init(_ header: FrameHeader, _ payload: FramePayload, end: LogEnd, at place: FramePlace) {
        self.header = header
        self.payload = payload
        self.end = end
        self.place = place
    }

    // Unsafe: valid as long as this value and the frame that completed it.
    var commits: UnsafeRawBufferPointer {
        guard holdsTree else { return payload.bytes }
        return payload.bytes.slice(0..<max(payload.bytes.count - GroupTree.size, 0))
    }

    private var holdsTree: Bool { header.flags & FrameHeader.holdsTree != 0 }

    /// The reference to the tree of a page commit.
    var groupTree: GroupTree? { holdsTree ? GroupTree(endOf: payload.bytes) : nil }

    /// Whether a page commit lacks the reference to its tree.
    var lacksTree: Bool { holdsTree && groupTree == nil }

    /// The tree of a page commit, which replaces applying the commits; nil for other groups.
    func tree() throws(StorageError) -> CheckpointRecord? {
        if lacksTree { throw damage("the tree of a commit group is missing") }
        guard let tree = groupTree else { return nil }
        var last = header.version
        try forEachCommit { (commit) throws(StorageError) in last = commit.version }
        return CheckpointRecord(tree, version: last, end: end)
    }

    /// Calls `body` with each commit.
    func forEachCommit(
        _ body: (CommitView) throws(StorageError) -> Void
    ) throws(StorageError) {
        var records = GroupRecords(commits)
        while let commit = try next(of: &records) { try body(commit) }
    }

    /// Calls `body` with each commit; a `RecordError` that it throws becomes `.corrupted`.
    func replay(_ body: (CommitView) throws -> Void) throws {
        var records = GroupRecords(commits)
        while let commit = try next(of: &records) {
            do {
                try body(commit)
            } catch let error as RecordError {
                throw damage(error, in: commit)
            }
        }
    }

    /// The next commit; throws `.corrupted` for a malformed one.
    func next(of records: inout GroupRecords) throws(StorageError) -> CommitView? {
        do {
            return try records.next()
        } catch {
            throw damage("the commits in a group are malformed")
        }
    }

    func damage(_ reason: String) -> StorageError { place.damage(reason) }

    /// The error for damage in a commit, with its location in the file; if the group is spread over
    /// several files, that of the frame that completes it.
    func damage(_ error: RecordError, in commit: CommitView) -> StorageError {
        let offset =
            header.isContinuation ? place.offset : place.offset + FrameHeader.size + commit.offset
        return .corrupted(
            segment: place.path, offset: offset,
            reason: "commit \(commit.version): \(error.reason)")
    }
}

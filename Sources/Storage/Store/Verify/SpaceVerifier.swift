/// Checks the account of what the page files hold: for each segment, the bytes that the newest
/// checkpoint's tree uses of it, which decide what compaction empties and which files are removed.
struct SpaceVerifier {
    let checkpointer: Checkpointer
    let account: NodeAccount

    /// Walks the tree on disk: every node that can have children is read. O(clusters).
    /// Throws what the disk reports, and `CancellationError`.
    func verify(_ tally: inout VerificationTally) throws {
        try tally.advance(0)
        // Files that were removed during the walk were kept open for it.
        defer { checkpointer.closeRetired(account) }
        do {
            try compare(&tally)
        } catch {
            // What ends the walk when it is cancelled is no error of the disk.
            try tally.advance(0)
            throw error
        }
        try tally.advance(0)
    }

    private func compare(_ tally: inout VerificationTally) throws(StorageError) {
        guard let (contents, hold) = pin(), let root = contents.root else { return }
        defer { withExtendedLifetime(hold) {} }
        var walk = DeadNodes(pages: checkpointer.pages, account: account)
        do throws(StorageError) {
            try walk.count(below: root, except: []) { () throws(StorageError) in
                if tally.isCancelled { throw .invalid("The verification was cancelled.") }
            }
        } catch .corrupted(let segment, let offset, let reason) {
            // For lack of descriptors, a file may not have been open when another process got the
            // writer lease, and removed it.
            guard checkpointer.pages.canReopen else { return }
            return tally.note(.space, .init(file: segment, offset: offset), reason)
        }
        let indexes = Set(contents.segments.keys).union(walk.bytes.keys)
        for index in indexes.sorted() {
            let used = walk.bytes[index] ?? 0
            let segment = contents.segments[index]
            let place = StoreProblem.Place(file: checkpointer.pages.path(index), offset: 0)
            if segment?.live ?? 0 != used {
                tally.note(
                    .space, place,
                    "the checkpoint says that \(segment?.live ?? 0) bytes of it are in use, its"
                        + " tree uses \(used)")
            }
            if let segment, segment.live > segment.length {
                tally.note(
                    .space, place,
                    "\(segment.live) bytes are in use of the \(segment.length) that it has")
            }
        }
    }

    /// The account of the newest checkpoint, and what keeps its segments readable: others are
    /// written during the walk, which takes as long as the store is large, and may remove them. Nil
    /// while another process writes.
    private func pin() -> (contents: Checkpointer.Contents, hold: PageHold)? {
        // Nothing is removed before all of it is held.
        checkpointer.exclusively { () -> (contents: Checkpointer.Contents, hold: PageHold)? in
            guard checkpointer.pages.canReopen else { return nil }
            let contents = checkpointer.contents
            return (contents, PageHold(checkpointer.pages, Array(contents.segments.keys)))
        }
    }
}

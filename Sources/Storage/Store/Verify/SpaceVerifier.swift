/// Checks the account of what the page files hold: for each segment, the bytes that the newest
/// checkpoint's tree uses of it, which decide what compaction empties and which files are removed.
struct SpaceVerifier {
    let checkpointer: Checkpointer
    let account: NodeAccount

    /// Walks the tree on disk: every node that can have children is read. O(clusters).
    /// Throws what the disk reports, and `CancellationError`.
    func verify(_ tally: inout VerificationTally) throws {
        try tally.advance(0)
        do {
            // No checkpoint changes the account or removes a file meanwhile.
            try checkpointer.exclusively { () throws(StorageError) in try compare(&tally) }
        } catch {
            // What ends the walk when it is cancelled is no error of the disk.
            try tally.advance(0)
            throw error
        }
        try tally.advance(0)
    }

    private func compare(_ tally: inout VerificationTally) throws(StorageError) {
        let contents = checkpointer.contents
        guard let root = contents.root else { return }
        var walk = DeadNodes(pages: checkpointer.pages, account: account)
        do throws(StorageError) {
            try walk.count(below: root, except: []) { () throws(StorageError) in
                // Checkpoints wait meanwhile, and who closes the store.
                if tally.isCancelled { throw .invalid("The verification was cancelled.") }
            }
        } catch .corrupted(let segment, let offset, let reason) {
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
}

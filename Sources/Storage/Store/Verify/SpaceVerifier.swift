/// Checks the accounting of the page files: for each segment, the bytes that the newest
/// checkpoint's tree uses, which determine what compaction empties and which files are removed.
struct SpaceVerifier {
    let checkpointer: Checkpointer
    let account: NodeAccount

    /// Walks the tree on disk. Every node is read, since the nodes of the version that was verified
    /// before may have been in memory; after problems with that, only those that can have children.
    /// Throws errors of the disk, and `CancellationError`.
    func verify(_ tally: inout VerificationTally) throws {
        try tally.advance(0)
        // Closes files that were removed during the walk and kept open for it.
        defer { checkpointer.closeRetired(account) }
        do {
            try compare(&tally)
        } catch {
            // A cancellation of the walk is not an error of the disk.
            try tally.advance(0)
            throw error
        }
        try tally.advance(0)
    }

    private func compare(_ tally: inout VerificationTally) throws(StorageError) {
        guard let (contents, hold) = pin(), let root = contents.root else { return }
        defer { withExtendedLifetime(hold) {} }
        var walk = DeadNodes(pages: checkpointer.pages, account: account)
        let isIntact = tally.problemCount == 0
        do throws(StorageError) {
            try walk.count(below: root, except: [], readsAll: isIntact) {
                () throws(StorageError) in
                if tally.isCancelled { throw .invalid("The verification was cancelled.") }
            }
            try checkpointer.pages.requireHeaders(of: walk.bytes.keys.sorted())
            if let place = contents.contents {
                try checkpointer.pages.load(place, account: .passUnretained(account)).release()
            }
        } catch .corrupted(let segment, let offset, let reason) {
            // For lack of descriptors, a file may not have been open when another process acquired
            // the writer lease and removed it.
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
                    "the checkpoint records \(segment?.live ?? 0) bytes of it in use, and its"
                        + " tree uses \(used)")
            }
            if let segment, segment.live > segment.length {
                tally.note(
                    .space, place,
                    "the \(segment.live) bytes in use exceed its length of \(segment.length)")
            }
        }
    }

    /// The accounting of the newest checkpoint, with a hold of its segments: checkpoints that are
    /// written during the walk, which takes O(size of the store), may remove them. Nil while
    /// another process is the writer.
    private func pin() -> (contents: Checkpointer.Contents, hold: PageHold)? {
        // Excludes removals until everything is held.
        checkpointer.exclusively { () -> (contents: Checkpointer.Contents, hold: PageHold)? in
            guard checkpointer.pages.canReopen else { return nil }
            let contents = checkpointer.contents
            return (contents, PageHold(checkpointer.pages, Array(contents.segments.keys)))
        }
    }
}

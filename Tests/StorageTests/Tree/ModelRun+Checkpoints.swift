import StorageHarness
import Testing

@testable import Storage

/// The checkpoints and compactions of a run with page files.
extension ModelRun {
    /// Writes the tree to the page files, and sometimes continues with the tree in them.
    mutating func checkpoint() throws {
        guard let checkpointer, let tree, random(2) == 0 else { return }
        if random(4) == 0 { try relocate(tree, checkpointer) }
        let captured = tree.capture(version: version)
        var root: NodePlace?
        try checkpointer.exclusively { () throws(StorageError) in
            let written = try checkpointer.write(captured)
            root = written.root
            // Changes after the capture of the version are not written.
            tree.writer(S.item, tree.createRow(S.item))?.setInt(S.number, -1)
            checkpointer.install(written)
            try checkpointer.removeUnused(capture: captured.capture, account: account)
        }
        tree.reset(to: captured)
        try checkLiveBytes(checkpointer)
        if random(2) == 0, let root {
            let unmanaged = Unmanaged.passUnretained(account)
            self.tree = WorkingTree(
                SnapshotRoot(
                    root: try checkpointer.pages.load(root, account: unmanaged),
                    version: version, schema: S.schema, account: account))
            check(self.tree!.view, rows, "the tree from the pages")
        }
        #expect(account.failure == nil)
    }

    /// Empties some page segments and checks that the next checkpoint leaves nothing in them.
    mutating func relocate(_ tree: WorkingTree, _ checkpointer: Checkpointer) throws {
        let contents = checkpointer.contents
        let indexes = contents.segments.keys.sorted()
        guard contents.root != nil, let victim = indexes.randomElement(using: &generator) else {
            return
        }
        // A plan is made from a published version, and executed after the tree has changed.
        let captured = tree.capture(version: version)
        var plan = try CompactionPlan(captured, victims: [victim])
        checkpointer.retireTail(in: [victim])
        while !plan.isDone { tree.relocate(&plan, limit: 1 + random(5)) }
        check(tree.view, rows, "the tree that was moved")
        let moved = tree.capture(version: version)
        try checkpointer.exclusively { () throws(StorageError) in
            let written = try checkpointer.write(moved)
            checkpointer.install(written)
            try checkpointer.removeUnused(capture: moved.capture, account: account)
        }
        let live = checkpointer.contents.segments[victim]?.live ?? 0
        #expect(live == 0, "\(victim) keeps \(live) bytes")
    }

    /// Compares the accounting of live bytes with a walk over the whole tree.
    func checkLiveBytes(_ checkpointer: Checkpointer) throws {
        let contents = checkpointer.contents
        var all = DeadNodes(pages: checkpointer.pages, account: account)
        try all.count(below: contents.root!, except: [])
        for (index, segment) in contents.segments.entries {
            #expect(all.bytes[index, default: 0] == segment.live, "segment \(index) at \(version)")
        }
    }
}

import Testing

@testable import Storage

/// Children that are evicted because the page files have them.
@Suite struct DetachTests {
    private func opened(_ disk: any FileSystem, _ account: NodeAccount) throws
        -> StoreOpening.Opened
    {
        var opening = StoreOpening(fileSystem: disk, directory: "store.realm")
        opening.options.preparesInBackground = false
        return try opening.open(account: account) { _ in EngineHarness.schema }
    }

    @Test func aCleanChildIsReadAgainAndADirtyOneStays() throws {
        let account = NodeAccount()
        let opened = try opened(MemoryFileSystem(), account)
        let tree = opened.tree
        for number in 0..<600 {
            let key = tree.createRow(EngineHarness.item)
            tree.set(.int(Int64(number)), EngineHarness.item, key, ColumnID(0))
        }
        _ = tree.takeDelta()
        let snapshot = tree.capture(version: Version(9))
        let before = account.nodeCount

        let copy = snapshot.root.clone()
        defer { copy.release() }
        let slot = copy.slot(StoreRoot.slotsOffset, 0)
        #expect(!slot.detach(), "The page files do not have it yet")

        let checkpointer = opened.checkpointer
        let written = try checkpointer.write(snapshot)
        checkpointer.install(written)
        #expect(slot.detach())
        #expect(slot.resident == nil && !slot.isEmpty && slot.place != nil)
        #expect(!slot.detach(), "It is not in memory any more")
        // The snapshot still has it.
        #expect(account.nodeCount == before + 1)
        #expect(snapshot.view.classView(EngineHarness.item).count == 600)

        let root = try #require(slot.node)
        #expect(ClassRoot(node: root).rowCount == 600)
        #expect(account.failure == nil)
        try opened.log.close()
    }
}

extension Slot {
    /// Evicts the child if the page files have it unchanged; false if they do not, or if it is not
    /// in memory.
    fileprivate func detach() -> Bool {
        guard let place = resident?.place else { return false }
        detach(at: place)
        return true
    }
}

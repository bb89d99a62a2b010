import Dispatch
import Synchronization
import Testing

@testable import Storage

/// Page files in which branches share their children: a few nodes represent more elements than
/// anyone can enumerate.
@Suite struct SharedNodeTests {
    /// A file in which the first list has branches of `height`, each with sixteen references to one
    /// child.
    private func pages(_ height: Int) throws -> CraftedPages {
        var pages = try CraftedPages.sound()
        // The list of the first row, whose first leaf is full.
        let root = pages.child(pages.cell(CraftedPages.list)) + Chunk.dataOffset
        let leaf = try #require(
            pages.place(pages.child(root) + SequenceBranch.slotsOffset))
        #expect(leaf.kind == .chunk)
        let tower = pages.appendTower(above: leaf, elements: 256, height: height)
        pages.lead(root, to: tower)
        pages.fix()
        return pages
    }

    @Test func verificationFindsSharedNodes() throws {
        let snapshot = try pages(3).load(NodeAccount())
        let problems = HostileReading.verify(snapshot)
        #expect(problems.contains { $0.kind == .node && $0.reason == NodeVisits.reason })
    }

    @Test func copiesAreRefused() throws {
        let account = NodeAccount()
        let snapshot = try pages(3).load(account)
        let disk = MemoryFileSystem()
        try disk.createDirectory("p")
        let copied = PageStore(fileSystem: disk, directory: "p", database: .zero)
        let checkpointer = Checkpointer(pages: copied, contents: Checkpointer.Contents())
        #expect(throws: StorageError.self) {
            try checkpointer.exclusively { () throws(StorageError) in
                _ = try checkpointer.writeCopy(of: snapshot) { _ in }
            }
        }
    }

    @Test func accountsAndCompactionsAreRefused() throws {
        let account = NodeAccount()
        let crafted = try pages(3)
        let snapshot = try crafted.load(account)
        let store = try #require(account.pages)
        #expect(throws: StorageError.self) {
            var nodes = DeadNodes(pages: store, account: account)
            try nodes.count(below: crafted.root, except: [])
        }
        #expect(throws: StorageError.self) {
            _ = try CompactionPlan(snapshot, victims: [PageIndex(9)])
        }
    }

    /// A chain of branches without an end, which share nothing: a recursive walk exhausted the
    /// stack.
    @Test func compactionsOfTreesWithoutABottomAreRefused() throws {
        var pages = try CraftedPages.sound()
        let root = pages.child(pages.cell(CraftedPages.list)) + Chunk.dataOffset
        let leaf = try #require(
            pages.place(pages.child(root) + SequenceBranch.slotsOffset))
        pages.lead(root, to: pages.appendChain(above: leaf, elements: 256, length: 8_000))
        pages.fix()
        let crafted = pages
        let outcome = Mutex<Result<Void, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        // Enough for the deepest tree, even if a sanitizer enlarges each frame.
        let isRunning = Platform.runOnThread(stackSize: 1 << 20) {
            let result = Result<Void, any Error> {
                let snapshot = try crafted.load(NodeAccount())
                _ = try CompactionPlan(snapshot, victims: [PageIndex(9)])
            }
            outcome.withLock { $0 = result }
            done.signal()
        }
        try #require(isRunning)
        done.wait()
        let result = try #require(outcome.withLock { $0 })
        #expect {
            try result.get()
        } throws: { error in
            if case .corrupted? = error as? StorageError { true } else { false }
        }
    }

    @Test func salvageSkipsSharedNodes() throws {
        let snapshot = try pages(3).load(NodeAccount())
        let view = snapshot.view.classView(CraftedPages.item)
        let visits = NodeVisits(snapshot.account.pages)
        let schema = view.classSchema.columns
        let cluster = try #require(view.attach(RowKey(0))).cluster
        #expect(!cluster.canRead(CraftedPages.list, schema[CraftedPages.list], visits))
        #expect(cluster.canRead(CraftedPages.title, schema[CraftedPages.title], visits))
    }

    /// A branch that counts more elements than the files have bytes for is refused when it is read.
    @Test(arguments: [4, 8, 12])
    func listsLongerThanTheFilesReadAsNothing(height: Int) throws {
        let account = NodeAccount()
        let snapshot = try pages(height).load(account)
        let view = snapshot.view.classView(CraftedPages.item)
        let row = try #require(view.attach(RowKey(0)))
        let list = row.cluster.sequence(
            CraftedPages.list, row.slot, view.classSchema.columns[CraftedPages.list])
        var count = 0
        list.forEach { _ in count += 1 }
        #expect(count == 0 && account.failure != nil)
        #expect(!HostileReading.verify(snapshot).isEmpty)
    }
}

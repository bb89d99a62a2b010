import Foundation
import Testing

@testable import Storage

// Safety: the tests write into nodes of a tree that only they have, at offsets within them.

/// Every kind of damage to the tree is found where it was planted.
@Suite struct StoreVerifierTests {
    typealias S = ModelSchema

    @Test func aSoundTreeHasNoProblems() throws {
        // Enough for branches of two levels.
        let rows = 5000
        let sound = DamagedTree(rows: rows)
        let verifier = StoreVerifier(sound.tree.capture(version: Version(1)), isShared: false)
        try verifier.verify()
        #expect(verifier.problems == [])
        let counts = verifier.counts
        #expect(counts.rows == rows + rows / 100)
        #expect(counts.nodes == sound.account.nodeCount)
        #expect(counts.nodeBytes == sound.account.byteCount)
        #expect(counts.links > 2000 && counts.elements > 1000 && counts.indexEntries > 20_000)
        #expect(try sound.verify(isShared: true).isEmpty)
    }

    @Test func anEmptyTreeHasNoProblems() throws {
        let tree = WorkingTree(schema: S.schema, account: NodeAccount())
        let verifier = StoreVerifier(tree.capture(version: .zero), isShared: false)
        try verifier.verify()
        #expect(verifier.problems == [] && verifier.counts.rows == 0)
    }

    @Test func deletedRowsLeaveNoProblems() throws {
        let damaged = DamagedTree()
        damaged.tree.delete(
            S.item, (0..<DamagedTree.rows).filter { $0 % 7 != 0 }.map { RowKey(Int64($0)) })
        #expect(try damaged.verify().isEmpty)
        damaged.tree.delete(S.item, (0..<DamagedTree.rows).map { RowKey(Int64($0)) })
        #expect(try damaged.verify().isEmpty)
    }

    @Test func nodesThatDoNotMeetTheirDemand() throws {
        let damaged = DamagedTree()
        let branch = damaged.lowBranch.node
        let cluster = damaged.cluster().node
        for (what, node) in [
            ("class", damaged.items.node), ("branch", branch), ("cluster", cluster),
            ("chunk", damaged.chunk(S.number).node), ("leaf", damaged.firstLeaf(S.number).node),
            ("list", damaged.container(S.children, row: 1)),
            ("map", damaged.container(S.extras)),
        ] {
            try damaged.expect(.node, "kind of \(what)", in: node) {
                node.raw.storeBytes(of: 77, toByteOffset: 4, as: UInt8.self)
            }
            try damaged.expect(.node, "other kind of \(what)", in: node) {
                node.raw.storeBytes(
                    of: NodeKind.blob.rawValue, toByteOffset: 4, as: UInt8.self)
            }
            try damaged.expect(.node, "size of \(what)", in: node) {
                node.raw.storeBytes(of: 30, toByteOffset: 8, as: UInt32.self)
            }
        }
        for node in [branch, damaged.container(S.children, row: 1), damaged.index(S.title)] {
            try damaged.expect(.node, "children", in: node) { node.count = 17 }
            try damaged.expect(.node, "no children", in: node) { node.count = 0 }
            try damaged.expect(.node, "level", in: node) { node.level = 9 }
        }
        try damaged.expect(.node, "missing child", in: branch) {
            branch.raw.storeBytes(of: 0, toByteOffset: ClusterBranch.slotsOffset, as: Int.self)
        }
        try damaged.expect(.node, "slots", in: cluster) {
            Cluster(node: cluster).slotCount = 300
        }
        try damaged.expect(.node, "columns", in: cluster) {
            cluster.raw.storeBytes(of: 12, toByteOffset: 36, as: UInt16.self)
        }
        try damaged.expect(.node, "height of a class", in: damaged.items.node) {
            damaged.items.node.level = 2
        }
    }

    @Test func countsThatAreWrong() throws {
        let damaged = DamagedTree()
        let branch = damaged.lowBranch
        try damaged.expect(.count, "rows below a branch", in: branch.node) {
            branch.setRows(1, 255)
        }
        try damaged.expect(.count, "rows of a class", in: damaged.items.node) {
            damaged.items.treeRows += 1
        }
        let cluster = damaged.cluster()
        try damaged.expect(.node, "live rows", in: cluster.node) { cluster.liveCount -= 1 }
        try damaged.expect(.node, "a live bit", in: cluster.node) { cluster.setLive(5, false) }
        try damaged.expect(.node, "live behind the end", in: cluster.node) {
            cluster.slotCount = 200
        }
        let list = SequenceBranch(node: damaged.container(S.children, row: 1))
        try damaged.expect(.node, "elements of a list", in: list.node) {
            list.setElements(0, 3)
        }
        let index = IndexBranch(node: damaged.index(S.title))
        try damaged.expect(.node, "entries of an index", in: index.node) {
            index.node.raw.storeBytes(of: 9, toByteOffset: 280, as: Int.self)
        }
        let map = damaged.container(S.extras)
        let keys = Chunk(node: map.slot(MapRoot.slotsOffset, 0).node!)
        try damaged.expect(.node, "keys of a map", in: keys.node) { keys.used = 2 }
    }

    @Test func orderThatIsBroken() throws {
        let damaged = DamagedTree()
        let branch = damaged.lowBranch
        try damaged.expect(.order, "keys of a branch", in: branch.node) {
            branch.node.raw.storeBytes(
                of: 0, toByteOffset: ClusterBranch.keysOffset + 8, as: Int64.self)
        }
        let cluster = damaged.cluster()
        try damaged.expect(.node, "first key", in: cluster.node) {
            cluster.node.raw.storeBytes(of: 17, toByteOffset: 24, as: Int64.self)
        }
        try damaged.expect(.order, "next key", in: damaged.items.node) {
            damaged.items.nextKey = 899
        }
        let set = Chunk(node: damaged.container(S.tags))
        try damaged.expect(.order, "a set", in: set.node) {
            set.stringView(0).raw.storeBytes(of: 0x7A, toByteOffset: 4, as: UInt8.self)
        }
        try damaged.expect(.order, "a set with a value twice", in: set.node) {
            set.stringView(0).raw.storeBytes(of: 0x62, toByteOffset: 4, as: UInt8.self)
        }
        let map = damaged.container(S.extras)
        let keys = Chunk(node: map.slot(MapRoot.slotsOffset, 0).node!)
        try damaged.expect(.order, "keys of a map", in: keys.node) {
            keys.stringView(0).raw.storeBytes(of: 0x7A, toByteOffset: 4, as: UInt8.self)
        }
        let leaf = damaged.firstLeaf(S.title)
        try damaged.expect(.order, "an index", in: leaf.node) {
            let (first, second) = (leaf.entry(3), leaf.entry(4))
            leaf.store(3, second)
            leaf.store(4, first)
        }
        let backlinks = damaged.firstLeaf(S.friend)
        try damaged.expect(.order, "backlinks", in: backlinks.node) {
            let (first, second) = (backlinks.entry(3), backlinks.entry(4))
            backlinks.store(3, second)
            backlinks.store(4, first)
        }
    }

    @Test func chunksThatDoNotFit() throws {
        let damaged = DamagedTree()
        for column in [S.number, S.title, S.score, S.children] {
            let chunk = damaged.chunk(column, of: 0)
            try damaged.expect(.node, "form", in: chunk.node) { chunk.node.flags ^= 3 }
            try damaged.expect(.node, "width", in: chunk.node) { chunk.node.level = 3 }
            try damaged.expect(.node, "used", in: chunk.node) { chunk.used = 255 }
            try damaged.expect(.node, "capacity", in: chunk.node) {
                chunk.node.raw.storeBytes(of: 255, toByteOffset: 36, as: UInt32.self)
            }
            try damaged.expect(.node, "beyond the capacity", in: chunk.node) {
                chunk.used = 100_000
            }
        }
        let texts = damaged.chunk(S.title)
        try damaged.expect(.node, "heap", in: texts.node) {
            texts.heapUsed = texts.heapCapacity + 1
        }
    }

    @Test func textsThatAreDamaged() throws {
        let damaged = DamagedTree()
        let texts = damaged.chunk(S.title)
        // The first row of the cluster has number 512, so titles are short in slot 3, in the heap
        // in slot 0, and long in slots 1 and 2.
        let lengths = (0..<10).map { texts.stringView($0).length }
        let heap = lengths.firstIndex { (13...255).contains($0) }!
        let long = lengths.firstIndex { $0 > 255 }!
        let view = texts.stringView(heap)
        try damaged.expect(.node, "outside the heap", in: texts.node) {
            view.raw.storeBytes(of: 1 << 20, toByteOffset: 8, as: UInt32.self)
        }
        try damaged.expect(.node, "over the end of the heap", in: texts.node) {
            view.raw.storeBytes(
                of: UInt32(texts.heapUsed - 5), toByteOffset: 8, as: UInt32.self)
        }
        try damaged.expect(.value, "not its beginning", in: texts.node) {
            view.raw.storeBytes(of: 0, toByteOffset: 4, as: UInt32.self)
        }
        try damaged.expect(.value, "not UTF-8", in: texts.node) {
            let offset = Int(view.raw.load(fromByteOffset: 8, as: UInt32.self))
            texts.heap.storeBytes(of: 0xFF, toByteOffset: offset + 9, as: UInt8.self)
        }
        try damaged.expect(.node, "a long text cut off", in: texts.node) {
            texts.stringView(long).raw.storeBytes(of: 5000, as: UInt32.self)
        }
        try damaged.expect(.node, "no long text", in: texts.node) {
            texts.stringView(long).blobSlot(heap: UnsafeRawPointer(texts.heap)).put(nil)
        }
        try damaged.expect(.node, "a long text without flag", in: texts.node) {
            texts.node.flags &= 0xFF
        }
        let tags = Chunk(node: damaged.container(S.tags))
        try damaged.expect(.value, "bytes behind a short text", in: tags.node) {
            tags.stringView(2).raw.storeBytes(of: 1, toByteOffset: 12, as: UInt8.self)
        }
        let map = damaged.container(S.extras)
        let values = Chunk(node: map.slot(MapRoot.slotsOffset, 1).node!)
        try damaged.expect(.value, "a mixed value", in: values.node) {
            values.stringView(0).raw.storeBytes(of: 99, toByteOffset: 4, as: UInt8.self)
        }
    }

    @Test func bitsThatMustNotBe() throws {
        let damaged = DamagedTree(rows: 1000)
        let newest = damaged.items.newestCluster!
        #expect(newest.slotCount < 250)
        try damaged.expect(.value, "null bits behind the end", in: newest.node) {
            newest.setBit(S.score, 255, false)
        }
        try damaged.expect(.value, "booleans behind the end", in: newest.node) {
            newest.setBit(S.isActive, 255, true)
        }
        try damaged.expect(.value, "bits of a plain column", in: newest.node) {
            newest.setBit(S.number, 0, true)
        }
    }
}

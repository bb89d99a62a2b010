import Foundation
import Testing

@testable import Storage

/// Clusters whose rows were mostly deleted: rewritten, merged, read, written and replayed.
@Suite struct SparseClusterTests {
    typealias S = ModelSchema

    private func makeTree(_ rows: Int, _ account: NodeAccount = NodeAccount()) -> WorkingTree {
        let tree = WorkingTree(schema: S.schema, account: account)
        for number in 0..<rows {
            let row = tree.writer(S.item, tree.createRow(S.item))
            row?.setInt(S.number, Int64(number) * 1000)
            row?.setString(S.title, DamagedTree.title(number))
            if number % 2 == 0 { row?.setDouble(S.score, Double(number)) }
            if number % 3 == 0 { row?.setBool(S.isActive, true) }
            if number % 5 == 0 { row?.setString(S.note, "note \(number)") }
        }
        return tree
    }

    private func clusters(_ tree: WorkingTree) -> [Cluster] {
        var iterator = tree.view.classView(S.item).makeClusterIterator()
        var all: [Cluster] = []
        while let cluster = iterator.next() { all.append(cluster) }
        return all
    }

    private func check(_ tree: WorkingTree, _ rows: [Int]) throws {
        let view = tree.view.classView(S.item)
        #expect(view.count == rows.count)
        for (position, number) in rows.enumerated() {
            let key = RowKey(Int64(number))
            #expect(view.key(at: position) == key && view.position(of: key) == position)
            let row = try #require(view.attach(key))
            #expect(row.cluster.int(S.number, row.slot) == Int64(number) * 1000)
            #expect(row.cluster.string(S.title, row.slot) == DamagedTree.title(number))
            #expect(row.cluster.isNull(S.score, row.slot) == (number % 2 != 0))
            #expect(row.cluster.bool(S.isActive, row.slot) == (number % 3 == 0))
            #expect(row.cluster.isNull(S.note, row.slot) == (number % 5 != 0))
        }
        let verifier = StoreVerifier(tree.capture(version: Version(1)), isShared: false)
        try verifier.verify()
        #expect(verifier.problems == [])
    }

    @Test func deadSlotsAreRemovedAboveHalf() throws {
        let tree = makeTree(1000)
        tree.delete(S.item, (256..<256 + 128).map { RowKey(Int64($0)) })
        #expect(clusters(tree)[1].slotCount == 256 && clusters(tree)[1].offsets == nil)
        tree.delete(S.item, [RowKey(500)])
        #expect(clusters(tree)[1].slotCount == 127 && clusters(tree)[1].offsets != nil)
        try check(tree, Array(0..<256) + Array(384..<500) + Array(501..<1000))
    }

    @Test func neighboursAreMerged() throws {
        let tree = makeTree(2560)
        let kept = (0..<2560).filter { $0 % 16 == 5 }
        tree.delete(S.item, (0..<2560).filter { $0 % 16 != 5 }.map { RowKey(Int64($0)) })
        let counts = clusters(tree).map(\.slotCount)
        // Nine clusters of 16 rows each fit into one; the newest cluster is not part of the tree.
        #expect(counts == [144, 256], "\(counts)")
        try check(tree, kept)
    }

    @Test func theNewestClusterIsRewrittenWhenItIsSealed() throws {
        let account = NodeAccount()
        do {
            let tree = makeTree(256, account)
            tree.delete(S.item, (0..<250).map { RowKey(Int64($0)) })
            #expect(clusters(tree)[0].slotCount == 256)
            let before = tree.generation
            tree.createRow(S.item)
            #expect(tree.generation > before)
            #expect(clusters(tree).map(\.slotCount) == [6, 1])
        }
        #expect(account.nodeCount == 0)
    }

    @Test func snapshotsNeverChange() throws {
        let tree = makeTree(600)
        let before = tree.capture(version: Version(1))
        tree.delete(S.item, (0..<600).filter { $0 % 4 != 0 }.map { RowKey(Int64($0)) })
        for number in stride(from: 0, to: 600, by: 8) {
            tree.writer(S.item, RowKey(Int64(number)))?.setString(S.title, "changed")
        }
        let view = before.view.classView(S.item)
        #expect(view.count == 600)
        for number in 0..<600 {
            let row = try #require(view.attach(RowKey(Int64(number))))
            #expect(row.cluster.string(S.title, row.slot) == DamagedTree.title(number))
        }
        let changed = tree.view.classView(S.item)
        for number in stride(from: 0, to: 600, by: 4) {
            let row = try #require(changed.attach(RowKey(Int64(number))))
            let title = number % 8 == 0 ? "changed" : DamagedTree.title(number)
            #expect(row.cluster.string(S.title, row.slot) == title)
        }
    }

    @Test func sparseRowsAreWrittenAndReplayed() throws {
        let tree = makeTree(1500)
        let replica = makeTree(1500)
        for tree in [tree, replica] {
            tree.delete(S.item, (0..<1500).filter { $0 % 5 != 0 }.map { RowKey(Int64($0)) })
            _ = tree.takeDelta()
        }
        for number in stride(from: 0, to: 1500, by: 10) {
            let row = tree.writer(S.item, RowKey(Int64(number)))
            row?.setInt(S.number, -Int64(number) - 1)
            row?.setLink(S.friend, RowKey(Int64(number + 5)))
            row?.setUUID(S.uuid, UUID())
        }
        tree.delete(S.item, (0..<150).map { RowKey(Int64($0 * 10 + 5)) })
        let delta = tree.takeDelta()
        let group = CommitGroupBuffer()
        try group.append(version: Version(2)) { (writer) throws(StorageError) in
            CommitRecord.encode(
                delta, of: tree, author: nil, schema: nil, time: 0, into: &writer)
        }
        var records = GroupRecords(UnsafeRawBufferPointer(group.payload))
        while let record = try records.next() {
            try CommitRecord.apply(record.payload, to: replica)
        }
        for tree in [tree, replica] {
            let view = tree.view.classView(S.item)
            #expect(view.count == 150)
            for number in stride(from: 0, to: 1500, by: 10) {
                let row = try #require(view.attach(RowKey(Int64(number))))
                #expect(row.cluster.int(S.number, row.slot) == -Int64(number) - 1)
                #expect(row.cluster.link(S.friend, row.slot) == nil)
            }
            let verifier = StoreVerifier(tree.capture(version: Version(2)), isShared: false)
            try verifier.verify()
            #expect(verifier.problems == [])
        }
    }

    @Test func keysFarApartAreNotMerged() throws {
        let tree = WorkingTree(schema: S.schema, account: NodeAccount())
        let state = tree.states[0]
        for start in [Int64(0), 1 << 33, 1 << 34] {
            for offset in Int64(0)..<10 { tree.create(state, RowKey(start + offset)) }
        }
        for start in [Int64(0), Int64(1) << 33] {
            tree.delete(S.item, (Int64(0)..<8).map { RowKey(start + $0) })
        }
        #expect(clusters(tree).map(\.slotCount) == [2, 2, 10])
        #expect(tree.view.classView(S.item).attach(RowKey((1 << 33) + 9)) != nil)
    }
}

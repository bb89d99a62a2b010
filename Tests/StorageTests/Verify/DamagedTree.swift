import Foundation
import Testing

@testable import Storage

// Safety: the tests write into nodes of a tree that only they have, at offsets within them.

/// A tree with every kind of column, into which damage is planted, and the results of
/// verifications.
struct DamagedTree {
    typealias S = ModelSchema
    let account = NodeAccount()
    let tree: WorkingTree
    /// Enough rows for a tree of clusters besides the newest cluster.
    static let rows = 900

    init(rows: Int = Self.rows) {
        tree = WorkingTree(schema: S.schema, account: account)
        for number in 0..<rows {
            let key = tree.createRow(S.item)
            let row = tree.writer(S.item, key)
            row?.setInt(S.number, Int64(number) * 3)
            row?.setString(S.title, Self.title(number))
            if number % 2 == 0 { row?.setString(S.note, "note \(number % 40)") }
            if number % 3 == 0 { row?.setDouble(S.score, Double(number)) }
            if number % 4 == 0 { row?.setLink(S.friend, RowKey(Int64(number / 2))) }
        }
        for number in stride(from: 0, to: rows, by: 100) { fillContainers(number) }
        fill(list: 700, of: rows)
        tree.flushPending()
    }

    static func title(_ number: Int) -> String {
        let length = [3, 12, 13, 200, 300][number % 5]
        return "title \(number) " + String(repeating: "x", count: length)
    }

    private func fillContainers(_ number: Int) {
        let key = RowKey(Int64(number))
        for tag in ["b", "a", "c"] {
            _ = tree.setInsert(.string(tag), S.item, key, ColumnID(S.tags))
        }
        for index in 0..<3 {
            tree.mapSet(.int(Int64(index)), forKey: "k\(index)", S.item, key, ColumnID(S.extras))
            tree.listAppend(
                contentsOf: [.link(RowKey(Int64(index)))], S.item, key, ColumnID(S.children))
        }
        let part = tree.createRow(S.part)
        tree.writer(S.item, key)?.setLink(S.owned, part)
    }

    private func fill(list count: Int, of rows: Int) {
        let links = (0..<count).map { StoredValue.link(RowKey(Int64($0 % rows))) }
        tree.listAppend(contentsOf: links, S.item, RowKey(1), ColumnID(S.children))
    }

    var items: ClassRoot {
        let root = tree.flushedView.root
        return ClassRoot(node: root.slot(StoreRoot.slotsOffset, 0).node!)
    }

    /// The lowest branch of the tree of clusters.
    var lowBranch: ClusterBranch {
        var node = items.tree.node!
        while node.level > 1 { node = ClusterBranch(node: node).slot(0).node! }
        return ClusterBranch(node: node)
    }

    func cluster(_ index: Int = 2) -> Cluster { Cluster(node: lowBranch.slot(index).node!) }

    func chunk(_ column: Int, of index: Int = 2) -> Chunk {
        Chunk(node: cluster(index).cell(column).node!)
    }

    func index(_ column: Int) -> Node { items.index(column).node! }

    func firstLeaf(_ column: Int) -> IndexLeaf {
        var node = index(column)
        while node.kind == .indexBranch { node = IndexBranch(node: node).slot(0).node! }
        return IndexLeaf(node: node)
    }

    /// The container of a row with elements.
    func container(_ column: Int, row: Int = 0) -> Node {
        let place = tree.locate(S.item, RowKey(Int64(row)))!
        return place.cluster.container(column, place.slot, S.schema[S.item].columns[column])!
    }

    func verify(isShared: Bool = false) throws -> [StoreProblem] {
        let verifier = StoreVerifier(tree.capture(version: Version(1)), isShared: isShared)
        try verifier.verify()
        return verifier.problems
    }

    /// Plants damage, expects a problem of the kind, repairs the damage, and expects none.
    func expect(
        _ kind: StoreProblem.Kind, _ what: Comment, at location: SourceLocation = #_sourceLocation,
        in node: Node, _ damage: () -> Void
    ) throws {
        let saved = [UInt8](UnsafeRawBufferPointer(start: node.raw + 4, count: node.size - 4))
        damage()
        let problems = try verify()
        #expect(
            problems.contains { $0.kind == kind }, "\(what): \(problems)",
            sourceLocation: location)
        saved.withUnsafeBytes {
            (node.raw + 4).copyMemory(from: $0.baseAddress!, byteCount: $0.count)
        }
        #expect(try verify().isEmpty, what, sourceLocation: location)
    }
}

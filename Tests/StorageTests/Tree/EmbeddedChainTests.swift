import Testing

@testable import Storage

/// Chains of embedded objects of any length. Each one used a stack frame, so a long chain
/// overflowed the stack.
@Suite struct EmbeddedChainTests {
    private static let holder = ClassID(0)
    private static let part = ClassID(1)
    private static let link = ColumnID(0)

    private static func schema(isEmbedded: Bool) -> StoreSchema {
        StoreSchema(classes: [
            ClassSchema(
                name: "Holder", columns: [ColumnSchema(name: "first", kind: .link, target: part)]),
            ClassSchema(
                name: "Part", isEmbedded: isEmbedded,
                columns: [ColumnSchema(name: "next", kind: .link, target: part)]),
        ])
    }

    private static func tree(isEmbedded: Bool) -> WorkingTree {
        WorkingTree(schema: schema(isEmbedded: isEmbedded), account: NodeAccount())
    }

    /// Creates parts, each of which links to the next; returns the first and the last.
    private static func chain(
        _ count: Int, in tree: WorkingTree
    ) -> (first: RowKey, last: RowKey) {
        let last = tree.createRow(part)
        var first = last
        for _ in 1..<count {
            let before = tree.createRow(part)
            tree.set(.link(first), part, before, link)
            first = before
        }
        return (first, last)
    }

    private static func owner(of first: RowKey, in tree: WorkingTree) -> RowKey {
        let row = tree.createRow(holder)
        tree.set(.link(first), holder, row, link)
        return row
    }

    @Test func aLongChainIsDeletedWithItsHolder() {
        let tree = Self.tree(isEmbedded: true)
        let holder = Self.owner(of: Self.chain(20_000, in: tree).first, in: tree)
        tree.delete(Self.holder, [holder])
        #expect(tree.count(Self.holder) == 0)
        #expect(tree.count(Self.part) == 0)
    }

    @Test func aLongChainIsCopiedForASecondParent() throws {
        let tree = Self.tree(isEmbedded: false)
        let first = Self.chain(10_000, in: tree).first
        let holders = (0..<2).map { _ in Self.owner(of: first, in: tree) }
        #expect(try tree.enforceSingleParent(Self.part, first, Self.schema(isEmbedded: true)))
        #expect(tree.count(Self.part) == 20_000)
        // Each holder has its own part.
        let column = tree.schema[Self.holder].columns[0]
        let heads = holders.map { tree.contents(Self.holder, $0, Self.link, column) }
        #expect(heads.contains(.value(.link(first))) && heads[0] != heads[1])
        tree.delete(Self.part, [first])
        #expect(tree.count(Self.part) == 19_999)
    }

    /// The copy would be infinite.
    @Test func aPartOfItselfIsNotCopied() {
        let tree = Self.tree(isEmbedded: false)
        let (first, last) = Self.chain(3, in: tree)
        tree.set(.link(first), Self.part, last, Self.link)
        _ = Self.owner(of: first, in: tree)
        #expect(throws: StorageError.self) {
            try tree.enforceSingleParent(Self.part, first, Self.schema(isEmbedded: true))
        }
    }
}

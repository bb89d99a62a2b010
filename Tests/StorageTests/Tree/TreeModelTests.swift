import Foundation
import StorageHarness
import Testing

@testable import Storage

/// The tree, compared with dictionaries, under random operations.
@Suite struct TreeModelTests {
    @Test(arguments: testSeeds(6, debug: 2))
    func randomOperationsAgreeWithAModel(_ seed: UInt64) throws {
        var run = ModelRun(seed: seed)
        for _ in 0..<30 { try run.transaction() }
        run.finish("SEED=\(seed)")
    }

    @Test(arguments: testSeeds(8, debug: 3))
    func treesAreWrittenAndReadBack(_ seed: UInt64) throws {
        var run = try ModelRun(seed: seed, pagesOn: MemoryFileSystem())
        for _ in 0..<30 {
            try run.transaction()
            try run.checkpoint()
        }
        run.finish("SEED=\(seed)")
    }

    @Test(arguments: testSeeds(4, debug: 2))
    func treesAreRewoundOverCommits(_ seed: UInt64) throws {
        var run =
            seed % 2 == 0
            ? ModelRun(seed: seed) : try ModelRun(seed: seed, pagesOn: MemoryFileSystem())
        for _ in 0..<14 {
            try run.transaction()
            try run.checkpoint()
            try run.rewind()
        }
        run.finish("SEED=\(seed)")
    }

    @Test func aLargeClassIsCountedAndFound() {
        let account = NodeAccount()
        do {
            let tree = WorkingTree(schema: ModelSchema.schema, account: account)
            for number in 0..<70_000 {
                let key = tree.createRow(ModelSchema.item)
                let row = tree.writer(ModelSchema.item, key)
                row?.setInt(ModelSchema.number, Int64(number))
                row?.setString(ModelSchema.title, "title number \((number &* 7919) % 70_000)")
            }
            let view = tree.view.classView(ModelSchema.item)
            #expect(view.count == 70_000)
            for number in stride(from: 0, to: 70_000, by: 331) {
                #expect(view.find(.int(Int64(number))) == RowKey(Int64(number)))
                #expect(view.key(at: number) == RowKey(Int64(number)))
                #expect(view.position(of: RowKey(Int64(number))) == number)
                let title = "title number \((number &* 7919) % 70_000)"
                #expect(
                    view.rows(ColumnID(ModelSchema.title), equalTo: .string(title))
                        == [RowKey(Int64(number))])
            }
            tree.delete(ModelSchema.item, (0..<70_000).filter { $0 % 3 != 0 }.map { RowKey($0) })
            let rest = tree.view.classView(ModelSchema.item)
            #expect(rest.count == 23_334)
            #expect(rest.key(at: 1000) == RowKey(3000))
            #expect(rest.find(.int(4)) == nil)
            #expect(rest.find(.int(6)) == RowKey(6))
        }
        #expect(account.nodeCount == 0)
        #expect(account.byteCount == 0)
    }
}

import StorageHarness
import Testing

@testable import Storage

/// Stores that are larger than their memory budget.
@Suite struct MemoryBudgetTests {
    private static let item = EngineHarness.item
    private static let count: Int64 = 60_000

    private struct Store {
        let files: MemoryFileSystem
        let engine: TransactionEngine

        init(
            _ files: MemoryFileSystem, budget: Int = .max, path: String = "store.realm",
            schema: StoreSchema = EngineHarness.schema
        ) throws {
            self.files = files
            var opening = StoreOpening(fileSystem: files, directory: path)
            opening.options.preparesInBackground = false
            let account = NodeAccount()
            account.memoryBudget = budget
            let opened = try opening.open(account: account) { _ in schema }
            engine = TransactionEngine(opened)
        }

        var resident: Int { engine.tree.account.byteCount }

        func change(_ body: (WorkingTree) -> Void) throws {
            try engine.beginBody()
            body(engine.tree)
            engine.endBody(try engine.encodeCommit(author: nil, time: 0), waiter: .nobody)
        }

        /// The sum of all numbers and of the lengths of all texts.
        func scan() -> Int64 {
            let root = engine.latest
            return withExtendedLifetime(root) {
                var sum: Int64 = 0
                var clusters = root.view.classView(MemoryBudgetTests.item).makeClusterIterator()
                while let cluster = clusters.next() {
                    for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                        sum += cluster.int(0, slot) + Int64(cluster.string(2, slot).utf8.count)
                    }
                }
                return sum
            }
        }

        func close() async {
            await engine.close()
        }
    }

    /// A closed store of ``count`` rows, and a quarter of its size.
    private static func filled() async throws -> (files: MemoryFileSystem, budget: Int) {
        let files = MemoryFileSystem()
        let store = try Store(files)
        try store.change { tree in
            for number in 0..<count {
                let key = tree.createRow(item)
                tree.set(.int(number), item, key, ColumnID(0))
                tree.set(.int(number % 100), item, key, ColumnID(1))
                let text = "text number \(number) of \(count)"
                tree.set(.string(text), item, key, ColumnID(2))
            }
        }
        try store.engine.checkpoint()
        let budget = store.engine.liveBytes / 4
        await store.close()
        return (files, budget)
    }

    @Test func scanningStaysWithinIt() async throws {
        let (files, budget) = try await Self.filled()
        let unbounded = try Store(files)
        let expected = unbounded.scan()
        #expect(unbounded.resident > 2 * budget, "The budget has to matter")
        await unbounded.close()

        let store = try Store(files, budget: budget)
        for _ in 0..<3 {
            #expect(store.scan() == expected)
            #expect(store.resident <= budget)
        }
        let items = store.engine.latest.view.classView(Self.item)
        for number in stride(from: Int64(0), to: 100, by: 7) {
            let rows = items.rows(ColumnID(1), equalTo: .int(number))
            #expect(rows.map(\.rawValue) == Array(stride(from: number, to: Self.count, by: 100)))
        }
        #expect(store.resident <= budget)
        await store.close()
    }

    /// Reading an index of texts with equal prefixes from its end attached the clusters of all
    /// rows, regardless of the budget.
    @Test func descendingAttachesNoRows() async throws {
        var classes = EngineHarness.schema.classes
        classes[0].columns[2].index = .values
        let schema = StoreSchema(classes: classes)
        let files = MemoryFileSystem()
        let full = try Store(files, schema: schema)
        try full.change { tree in
            for number in 0..<Int64(2_000) {
                let key = tree.createRow(Self.item)
                tree.set(.int(number), Self.item, key, ColumnID(0))
                tree.set(.string("text number \(number)"), Self.item, key, ColumnID(2))
            }
        }
        try full.engine.checkpoint()
        await full.close()

        let store = try Store(files, budget: 1, schema: schema)
        let items = store.engine.latest.view.classView(Self.item)
        var rows: [Int64] = []
        items.range(ColumnID(2), from: .start, to: .end).forEachDescending { row in
            rows.append(row.rawValue)
            return rows.count < 12
        }
        #expect(rows == [999, 998, 997, 996, 995, 994, 993, 992, 991, 990, 99, 989])
        #expect(rows.allSatisfy { !items.root.hasResidentCluster(for: $0) })
        await store.close()
    }

    @Test func verifyingAndCopyingStayWithinIt() async throws {
        let (files, budget) = try await Self.filled()
        let store = try Store(files, budget: budget)
        let expected = store.scan()
        #expect(try store.engine.verify(ReadingMonitor()).problems == [])
        #expect(store.resident <= budget)
        try StoreCopy(of: store.engine.latest, to: files, directory: "copy.realm").write()
        #expect(store.resident <= budget)
        await store.close()

        let copy = try Store(files, path: "copy.realm")
        #expect(copy.scan() == expected)
        #expect(try copy.engine.verify(ReadingMonitor()).problems == [])
        await copy.close()
    }

    @Test func updatingEverythingStaysNearIt() async throws {
        let (files, budget) = try await Self.filled()
        let store = try Store(files, budget: budget)
        let before = store.scan()
        for first in stride(from: 0, to: Self.count, by: 100) {
            try store.change { tree in
                for key in first..<first + 100 {
                    tree.set(.int(key + 1), Self.item, RowKey(key), ColumnID(0))
                }
            }
            if store.engine.isShortOfMemory {
                try store.engine.checkpoint()
                try store.engine.evictStored()
            }
            #expect(store.resident <= budget / 10 * 13)
        }
        #expect(store.scan() == before + Self.count)
        #expect(store.resident <= budget / 10 * 13)
        #expect(try store.engine.verify(ReadingMonitor()).problems == [])
        await store.close()
    }

    /// The process ended when the writer visited such a cluster.
    @Test func aClusterWithAnExcessiveClaimIsCounted() {
        let account = NodeAccount()
        let columns = (0..<40).map { ColumnSchema(name: "column \($0)", kind: .int) }
        let cluster = Cluster.make(
            firstKey: 0, schema: ClassSchema(name: "Item", columns: columns),
            account: .passUnretained(account))
        let place = NodePlace(
            address: PageAddress(segment: .first, offset: 64),
            length: UInt32(PageSegment.lengthMax - 64), hash: 0, kind: .chunk, hasSlots: false)
        for column in columns.indices {
            cluster.cell(column).store(place)
            cluster.cell(column).attach(to: .passUnretained(account))
        }
        account.budget.bytes = 1 << 30
        account.budget.charge(cluster.node)
        #expect(account.budget.isShort(0))
        cluster.node.release()
        #expect(!account.budget.isShort(0))
    }

    /// Nodes that a held version shares with the tree stay readable after the writer has evicted
    /// them.
    @Test func heldVersionsKeepEvictedNodes() async throws {
        let (files, budget) = try await Self.filled()
        let store = try Store(files, budget: budget)
        let held = store.engine.latest
        let items = held.view.classView(Self.item)
        for round in 0..<20 {
            try store.change { tree in
                for key in stride(from: Int64(round), to: Self.count, by: 20) {
                    tree.set(.int(-key - 1), Self.item, RowKey(key), ColumnID(0))
                }
            }
            try store.engine.checkpoint()
            store.engine.tree.trim(.max)
            try store.engine.evictStored()
            for key in stride(from: Int64(round), to: Self.count, by: 977) {
                var number: Int64?
                if let row = items.locate(RowKey(key)) { number = row.cluster.int(0, row.slot) }
                #expect(number == key)
            }
        }
        #expect(store.scan() < 0)
        withExtendedLifetime(held) {}
        await store.close()
    }
}

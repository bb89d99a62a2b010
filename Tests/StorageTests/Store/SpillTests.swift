import StorageHarness
import Testing

@testable import Storage

/// Transactions that write full clusters while they run.
@Suite struct SpillTests {
    private static let path = "store.realm"
    private static let item = EngineHarness.item

    private struct Store {
        let engine: TransactionEngine
        let checkpointer: Checkpointer
        let account = NodeAccount()

        /// `budget` is the memory budget of nodes.
        init(
            _ disk: any FileSystem, budget: Int, inBackground: Bool = false,
            schema: StoreSchema = EngineHarness.schema
        ) throws {
            var opening = StoreOpening(fileSystem: disk, directory: path)
            opening.options = .small
            opening.options.preparesInBackground = inBackground
            opening.options.pageCommitBytes = 3_000
            opening.options.spillBytes = 30_000
            account.budget.bytes = budget
            let opened = try opening.open(account: account) { _ in schema }
            checkpointer = opened.checkpointer
            engine = TransactionEngine(opened, appendsInPlace: !inBackground)
        }

        func add(_ numbers: Range<Int>) {
            for number in numbers {
                let row = engine.tree.writer(item, engine.tree.createRow(item))
                row?.setInt(0, Int64(number))
                row?.setInt(1, Int64(number % 10))
                row?.setString(2, "text \(number)")
            }
        }

        func commit() async throws {
            let commit = try engine.encodeCommit(author: nil, time: 0)
            try await engine.end(commit)
        }

        func write(_ body: () -> Void) async throws {
            try engine.beginBody()
            body()
            try await commit()
        }

        /// The number and the text of every row.
        var rows: [Int64: String] {
            let root = engine.latest
            var rows: [Int64: String] = [:]
            var clusters = root.view.classView(item).makeClusterIterator()
            while let cluster = clusters.next() {
                for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                    rows[cluster.int(0, slot)] = cluster.string(2, slot)
                }
            }
            return rows
        }

        /// Verifies the whole store, and its accounting.
        func requireSound() throws {
            let outcome = try engine.verify(ReadingMonitor())
            #expect(outcome.problems == [])
            #expect(engine.failure == nil)
            let contents = checkpointer.contents
            guard let root = contents.root else { return }
            var used = DeadNodes(pages: checkpointer.pages, account: account)
            try used.count(below: root, except: [])
            let live = contents.segments.values.filter { $0.live > 0 }
            #expect(
                Dictionary(uniqueKeysWithValues: live.map { ($0.index, $0.live) }) == used.bytes)
        }

        func close() async {
            await engine.close()
        }
    }

    private static func expected(_ numbers: Range<Int>) -> [Int64: String] {
        Dictionary(uniqueKeysWithValues: numbers.map { (Int64($0), "text \($0)") })
    }

    @Test(arguments: [Int.max, 100_000], [true, false])
    func whatWasSpilledIsCommitted(budget: Int, inBackground: Bool) async throws {
        let disk = MemoryFileSystem()
        var rows = Self.expected(0..<300)
        do {
            let store = try Store(disk, budget: budget, inBackground: inBackground)
            try await store.write { store.add(0..<300) }
            try store.engine.beginBody()
            store.add(300..<20_000)
            #expect(store.engine.tree.spill != nil)
            if budget < .max { #expect(store.account.byteCount < 700_000) }
            try await store.commit()
            rows = Self.expected(0..<20_000)
            #expect(store.rows == rows)
            try store.requireSound()
        }
        let store = try Store(disk, budget: budget, inBackground: inBackground)
        #expect(store.rows == rows)
        try store.requireSound()
        try store.engine.checkpoint()
        try store.requireSound()
        await store.close()
    }

    /// Evicted rows are read, changed and deleted by the same transaction and by the next one of
    /// its group.
    @Test(arguments: [Int.max, 100_000])
    func whatWasSpilledIsChanged(budget: Int) async throws {
        let disk = MemoryFileSystem()
        var rows = Self.expected(0..<12_000)
        do {
            let store = try Store(disk, budget: budget)
            let tree = store.engine.tree
            try await store.write { store.add(0..<1_000) }
            try store.engine.checkpoint()
            try store.engine.beginBody()
            for key in stride(from: Int64(3), to: 1_000, by: 50) {
                tree.set(.string("old"), Self.item, RowKey(key), ColumnID(2))
                rows[key] = "old"
            }
            store.add(1_000..<9_000)
            for key in stride(from: Int64(3), to: 8_000, by: 700) {
                tree.set(.string("new"), Self.item, RowKey(key), ColumnID(2))
                rows[key] = "new"
            }
            let deleted = (2_000..<2_900).map { Int64($0) }
            tree.delete(Self.item, deleted.map { RowKey($0) })
            for key in deleted { rows[key] = nil }
            store.add(9_000..<10_000)
            _ = try store.engine.encodeCommit(author: nil, time: 0)
            tree.set(.string("next"), Self.item, RowKey(5_000), ColumnID(2))
            rows[5_000] = "next"
            _ = try store.engine.encodeCommit(author: nil, time: 0)
            store.add(20_000..<25_000)
            tree.set(.string("never"), Self.item, RowKey(5_100), ColumnID(2))
            store.engine.rollBack()
            store.add(10_000..<12_000)
            try await store.commit()
            #expect(store.rows == rows)
            try store.requireSound()
        }
        let store = try Store(disk, budget: budget)
        #expect(store.rows == rows)
        try store.requireSound()
        await store.close()
    }

    @Test(arguments: [Int.max, 100_000])
    func anUndoneTransactionLeavesNothing(budget: Int) async throws {
        let disk = MemoryFileSystem()
        let store = try Store(disk, budget: budget)
        try await store.write { store.add(0..<1_000) }
        try store.engine.checkpoint()
        let before = try disk.list(Self.path + "/pages").sorted()
        let nodes = store.account.nodeCount
        try store.engine.beginBody()
        store.add(1_000..<9_000)
        let frozen = store.engine.tree.capture(version: Version(77))
        store.engine.rollBack()
        store.engine.endBody(nil, waiter: .nobody)
        #expect(try disk.list(Self.path + "/pages").sorted() == before)
        try await store.write { store.add(1_000..<1_010) }
        try store.engine.checkpoint()
        // A frozen version of it remains readable.
        try withExtendedLifetime(frozen) {
            #expect(frozen.view.classView(Self.item).count == 9_000)
            let row = try #require(frozen.view.classView(Self.item).attach(RowKey(4_000)))
            #expect(row.cluster.string(2, row.slot) == "text 4000")
        }
        #expect(store.rows == Self.expected(0..<1_010) && store.account.nodeCount > nodes)
        try store.requireSound()
        // All rows that it created, and nothing else.
        try store.engine.beginBody()
        store.add(1_010..<9_000)
        let keys = store.engine.tree.view.classView(Self.item)
        let deleted = (1_010..<9_000).map { keys.key(at: $0) }
        store.engine.tree.delete(Self.item, deleted)
        try await store.commit()
        #expect(store.rows == Self.expected(0..<1_010))
        try await store.write { store.add(9_000..<9_010) }
        #expect(store.rows.count == 1_020)
        try store.requireSound()
        await store.close()
    }

    /// Up to 256 rows stayed in memory with all of their values, whatever the budget.
    @Test func longValuesOfTheNewestRowsAreEvicted() async throws {
        let disk = MemoryFileSystem()
        var rows: [Int64: String] = [:]
        do {
            let store = try Store(disk, budget: 500_000)
            let tree = store.engine.tree
            try store.engine.beginBody()
            for number in Int64(0)..<150 {
                let text = String(repeating: "\(number % 10)", count: 40_000)
                let row = tree.writer(Self.item, tree.createRow(Self.item))
                row?.setInt(0, number)
                row?.setString(2, text)
                rows[number] = text
            }
            #expect(store.account.byteCount < 1_000_000)
            tree.set(.string("new"), Self.item, RowKey(3), ColumnID(2))
            rows[3] = "new"
            tree.delete(Self.item, [RowKey(4)])
            rows[4] = nil
            try await store.commit()
            #expect(store.rows == rows)
            try store.requireSound()
        }
        let store = try Store(disk, budget: 500_000)
        #expect(store.rows == rows)
        try store.requireSound()
        await store.close()
    }

    @Test func longValuesOfAnUndoneTransactionLeaveNothing() async throws {
        let disk = MemoryFileSystem()
        let store = try Store(disk, budget: 500_000)
        let tree = store.engine.tree
        try await store.write { store.add(0..<10) }
        try store.engine.checkpoint()
        let before = try disk.list(Self.path + "/pages").sorted()
        try store.engine.beginBody()
        for number in 10..<60 {
            let row = tree.writer(Self.item, tree.createRow(Self.item))
            row?.setInt(0, Int64(number))
            row?.setString(2, String(repeating: "\(number % 10)", count: 40_000))
        }
        #expect(store.account.byteCount < 1_000_000)
        let frozen = tree.capture(version: Version(77))
        tree.set(.string("new"), Self.item, RowKey(12), ColumnID(2))
        store.engine.rollBack()
        store.engine.endBody(nil, waiter: .nobody)
        #expect(try disk.list(Self.path + "/pages").sorted() == before)
        // A frozen version of it remains readable.
        try withExtendedLifetime(frozen) {
            let row = try #require(frozen.view.classView(Self.item).attach(RowKey(12)))
            #expect(row.cluster.string(2, row.slot) == String(repeating: "2", count: 40_000))
        }
        #expect(store.rows == Self.expected(0..<10))
        try await store.write { store.add(10..<20) }
        try store.engine.checkpoint()
        #expect(store.rows == Self.expected(0..<20))
        try store.requireSound()
        await store.close()
    }

    private static let lists = StoreSchema(classes: [
        ClassSchema(
            name: "Item",
            columns: [ColumnSchema(name: "list", kind: .string, container: .list)])
    ])

    /// The same for values in lists, also in a cluster that becomes full later.
    @Test func longListsOfTheNewestRowsAreEvicted() async throws {
        let disk = MemoryFileSystem()
        let text = StoredValue.string(String(repeating: "x", count: 300))
        var counts: [Int] = []
        func check(_ store: Store) throws {
            var found: [Int] = []
            var clusters = store.engine.latest.view.classView(Self.item).makeClusterIterator()
            while let cluster = clusters.next() {
                for slot in 0..<cluster.slotCount {
                    let list = cluster.sequence(0, slot, Self.lists[Self.item].columns[0])
                    #expect(list[list.count - 1] == text)
                    found.append(list.count)
                }
            }
            #expect(found == counts)
            try store.requireSound()
        }
        do {
            let store = try Store(disk, budget: 500_000, schema: Self.lists)
            let tree = store.engine.tree
            try store.engine.beginBody()
            for number in 0..<280 {
                let row = tree.createRow(Self.item)
                counts.append(number % 4 == 0 ? 300 : 30)
                let elements = Array(repeating: text, count: counts[number])
                tree.listAppend(contentsOf: elements, Self.item, row, ColumnID(0))
            }
            #expect(store.account.byteCount < 1_000_000)
            for number in [4, 5, 279] {
                tree.listInsert(text, at: 7, Self.item, RowKey(Int64(number)), ColumnID(0))
                counts[number] += 1
            }
            try await store.commit()
            try check(store)
        }
        let store = try Store(disk, budget: 500_000, schema: Self.lists)
        try check(store)
        await store.close()
    }

    @Test func aDiskThatFailsRefusesIt() async throws {
        for kind in [SimulatedDisk.Fault.Kind.noSpace, .inputOutput, .failedSync] {
            for call in 1..<14 {
                let disk = SimulatedDisk()
                let store = try Store(disk, budget: 100_000)
                try await store.write { store.add(0..<1_000) }
                disk.resetCalls()
                disk.inject(.init(kind, call: call, isLasting: kind == .noSpace))
                do {
                    try await store.write { store.add(1_000..<9_000) }
                    #expect(store.rows.count == 9_000)
                } catch let error as StorageError {
                    let isKnown =
                        switch error {
                        case .outOfSpace, .durabilityLost: true
                        default: false
                        }
                    #expect(store.rows.count == 1_000)
                    if case .outOfSpace = error { #expect(store.engine.failure == nil) }
                    let count = try Self.reopened(disk, seed: UInt64(call)).rows.count
                    #expect(count == 1_000 || count == 9_000 && !isKnown)
                    continue
                }
                #expect(try Self.reopened(disk, seed: UInt64(call)).rows.count == 9_000)
            }
        }
    }

    private static func reopened(_ disk: SimulatedDisk, seed: UInt64) throws -> Store {
        disk.resetCalls()
        let store = try Store(disk.crashImage(seed: seed, .random), budget: .max)
        try store.requireSound()
        return store
    }
}

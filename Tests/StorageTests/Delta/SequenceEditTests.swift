import StorageHarness
import Testing

@testable import Storage

// Safety: the bytes of a record are those of a group that the test retains.

/// The edits of lists, sets and maps in a transaction.
@Suite struct SequenceEditTests {
    private static let item = ClassID(0)
    private static let (list, set, map) = (ColumnID(0), ColumnID(1), ColumnID(2))
    private static let schema = StoreSchema(classes: [
        ClassSchema(
            name: "Item",
            columns: [
                ColumnSchema(name: "list", kind: .int, container: .list),
                ColumnSchema(name: "set", kind: .int, container: .set),
                ColumnSchema(name: "map", kind: .int, container: .map),
            ])
    ])

    /// An element of a list, and its original index.
    private struct Element {
        let old: Int?
        var isModified = false
    }

    /// The edit that turns `count` elements into `elements`.
    private func edit(of count: Int, to elements: [Element]) -> SequenceEdit {
        let kept = Set(elements.compactMap(\.old))
        return SequenceEdit(
            deletions: (0..<count).filter { !kept.contains($0) },
            insertions: elements.indices.filter { elements[$0].old == nil },
            modifications: elements.indices.filter { elements[$0].isModified })
    }

    /// Removing elements one by one took quadratic time: minutes, if many objects were deleted that
    /// were in one list.
    @Test func batchRemovalEqualsSingleRemovals() {
        let count = 60
        for seed in testSeeds(100) {
            var random = SeededGenerator(seed: seed)
            var elements = (0..<count).map { Element(old: $0) }
            var edit = SequenceEdit()
            for _ in 0..<40 {
                let place = random.next(below: elements.count)
                switch random.next(below: 3) {
                case 0:
                    elements.insert(Element(old: nil), at: place)
                    edit.insert(at: place)
                case 1:
                    elements[place].isModified = elements[place].old != nil
                    edit.set(at: place)
                default:
                    elements.remove(at: place)
                    edit.remove(at: place)
                }
            }
            #expect(edit == self.edit(of: count, to: elements), "SEED=\(seed)")
            let removed = elements.indices.filter { _ in !random.oneIn(3) }
            edit.remove(at: removed)
            for place in removed.reversed() { elements.remove(at: place) }
            #expect(edit == self.edit(of: count, to: elements), "SEED=\(seed)")
        }
    }

    /// Edits at one end of a long list took quadratic time: minutes for hundreds of thousands of
    /// `removeLast()` or `insert(_:at: 0)` in one write.
    @Test func editsAtTheEndsTakeConstantTime() {
        let count = 100_000
        var edit = SequenceEdit()
        for last in (0..<count).reversed() { edit.remove(at: last) }
        let all = Array(0..<count)
        #expect(edit == SequenceEdit(deletions: all, insertions: [], modifications: []))
        for _ in 0..<count { edit.insert(at: 0) }
        #expect(edit == SequenceEdit(deletions: all, insertions: all, modifications: []))
        for _ in 0..<count { edit.remove(at: 0) }
        #expect(edit == SequenceEdit(deletions: all, insertions: [], modifications: []))
    }

    @Test func batchSettingEqualsSingleSettings() {
        for seed in testSeeds(100) {
            var random = SeededGenerator(seed: seed)
            var singly = SequenceEdit()
            for _ in 0..<20 {
                let place = random.next(below: 60)
                if random.oneIn(2) { singly.insert(at: place) } else { singly.set(at: place) }
            }
            var atOnce = singly
            let count = random.next(below: 50)
            let places = (0..<count).map { _ in random.next(below: 60) }.sorted()
            for place in places { singly.set(at: place) }
            atOnce.set(at: places)
            #expect(atOnce == singly, "SEED=\(seed)")
        }
    }

    /// Reordering a long list took quadratic time.
    @Test func aLongListIsPutInAnyOrder() {
        let count = 40_000
        let tree = WorkingTree(schema: Self.schema, account: NodeAccount())
        let row = tree.createRow(Self.item)
        let values = (0..<count).map { StoredValue.int(Int64($0)) }
        tree.listAppend(contentsOf: values, Self.item, row, Self.list)
        _ = tree.takeDelta()
        // Each exchange is far from the previous one.
        let pairs = (0..<count / 4).map { ($0 * 7_919 % (count / 4) * 2, count - 1 - $0 * 2) }
        tree.listSwap(pairs, Self.item, row, Self.list)
        let edit = tree.takeDelta().classes[0]?.edits[SequenceID(key: row, column: Self.list)]
        let changed = Set(pairs.flatMap { [$0, $1] }).sorted()
        #expect(edit == SequenceEdit(deletions: [], insertions: [], modifications: changed))
    }

    /// Each deleted row searched the edits of all lists: minutes for tens of thousands of both.
    @Test func manyRowsWhoseListsWereEditedAreDeleted() {
        let count = 10_000
        let tree = WorkingTree(schema: Self.schema, account: NodeAccount())
        let rows = (0..<count).map { _ in tree.createRow(Self.item) }
        _ = tree.takeDelta()
        for row in rows { tree.listInsert(.int(1), at: 0, Self.item, row, Self.list) }
        tree.delete(Self.item, Array(rows.dropFirst()))
        let marks = tree.takeDelta().classes[0]
        #expect(marks?.edits.keys.map(\.key) == [rows[0]])
        #expect(marks?.touchedRows(0) == [rows[0]])
    }

    private func change(
        _ tree: WorkingTree, _ row: RowKey, _ count: inout Int, _ random: inout SeededGenerator
    ) {
        let number = random.next(below: 40)
        let value = StoredValue.int(Int64(number))
        switch random.next(below: 7) {
        case 0:
            let place = random.next(below: count + 1)
            tree.listInsert(value, at: place, Self.item, row, Self.list)
            count += 1
        case 1: tree.listSet(value, at: number % count, Self.item, row, Self.list)
        case 2 where count > 1:
            tree.listRemove(at: number % count, Self.item, row, Self.list)
            count -= 1
        case 3: _ = tree.setInsert(value, Self.item, row, Self.set)
        case 4: _ = tree.setRemove(value, Self.item, row, Self.set)
        case 5: tree.mapSet(value, forKey: "\(number % 20)", Self.item, row, Self.map)
        default: _ = tree.mapRemove(forKey: "\(number % 20)", Self.item, row, Self.map)
        }
    }

    /// A replay recorded only the removed elements: followers of another process were not notified
    /// of elements that it had added or replaced.
    @Test func aReplayRecordsTheEditsOfTheCommit() throws {
        for seed in testSeeds(40) {
            var random = SeededGenerator(seed: seed)
            let tree = WorkingTree(schema: Self.schema, account: NodeAccount())
            let row = tree.createRow(Self.item)
            var count = 20
            let values = (0..<count).map { StoredValue.int(Int64($0)) }
            tree.listAppend(contentsOf: values, Self.item, row, Self.list)
            for value in values { _ = tree.setInsert(value, Self.item, row, Self.set) }
            for (number, value) in values.enumerated() where number < 10 {
                tree.mapSet(value, forKey: "\(number)", Self.item, row, Self.map)
            }
            _ = tree.takeDelta()
            let replica = WorkingTree(tree.capture(version: Version(1)))
            for _ in 0..<1 + random.next(below: 30) { change(tree, row, &count, &random) }
            let delta = tree.takeDelta()
            let group = CommitGroupBuffer()
            defer { withExtendedLifetime(group) {} }
            try group.append(version: Version(2)) { (writer) throws(StorageError) in
                CommitRecord.encode(
                    delta, of: tree, author: nil, schema: nil, time: 1, into: &writer)
            }
            var records = GroupRecords(UnsafeRawBufferPointer(group.payload))
            while let record = try records.next() {
                try CommitRecord.apply(record.payload, to: replica)
            }
            let (made, replayed) = (delta.classes[0], replica.takeDelta().classes[0])
            #expect(replayed?.edits == made?.edits, "SEED=\(seed)")
            for column in 0..<3 {
                #expect(replayed?.touchedRows(column) == made?.touchedRows(column))
            }
        }
    }
}

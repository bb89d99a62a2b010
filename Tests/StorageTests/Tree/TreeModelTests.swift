import Foundation
import StorageHarness
import Testing

@testable import Storage

/// The tree against dictionaries, under random operations.
@Suite struct TreeModelTests {
    @Test(arguments: testSeeds(6, debug: 2))
    func randomOperationsAgreeWithAModel(_ seed: UInt64) throws {
        var run = ModelRun(seed: seed)
        for _ in 0..<30 { try run.transaction() }
        run.finish("SEED=\(seed)")
    }

    @Test(arguments: testSeeds(8, debug: 3)) func treesGoToPagesAndComeBack(_ seed: UInt64) throws {
        var run = try ModelRun(seed: seed, pagesOn: MemoryFileSystem())
        for _ in 0..<30 {
            try run.transaction()
            try run.checkpoint()
        }
        run.finish("SEED=\(seed)")
    }

    @Test(arguments: testSeeds(4, debug: 2)) func treesGoBackOverCommits(_ seed: UInt64) throws {
        var run =
            seed % 2 == 0
            ? ModelRun(seed: seed) : try ModelRun(seed: seed, pagesOn: MemoryFileSystem())
        for _ in 0..<14 {
            try run.transaction()
            try run.checkpoint()
            try run.goBack()
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

/// A tree, its model, and a replica that replays the records.
private struct ModelRun {
    typealias S = ModelSchema
    let account = NodeAccount()
    let replicaAccount = NodeAccount()
    var tree: WorkingTree?
    var replica: WorkingTree?
    var rows: [RowKey: ModelRow] = [:]
    var snapshots: [(SnapshotRoot, [RowKey: ModelRow])] = []
    /// The commits, and what the rows were behind each.
    var history: [LoggedCommit] = []
    var past: [Version: [RowKey: ModelRow]] = [:]
    var generator: SeededGenerator
    var version = Version.zero
    var nextNumber: Int64 = 0
    var checkpointer: Checkpointer?

    /// A run whose trees go to page files now and then.
    init(seed: UInt64, pagesOn fileSystem: any FileSystem) throws {
        self.init(seed: seed)
        try fileSystem.createDirectory("pages")
        let pages = PageStore(fileSystem: fileSystem, directory: "pages", database: .zero)
        account.pages = pages
        checkpointer = Checkpointer(pages: pages, contents: Checkpointer.Contents())
    }

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        tree = WorkingTree(schema: S.schema, account: account)
        replica = WorkingTree(schema: S.schema, account: replicaAccount)
    }

    mutating func random(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    mutating func text() -> String {
        let length = [0, 3, 12, 13, 40, 255, 256, 900][random(8)]
        let letters = "abc\u{e9}"
        return String((0..<length).map { _ in letters.randomElement(using: &generator)! })
    }

    mutating func transaction() throws {
        guard let tree, let replica else { return }
        let before = tree.capture(version: version)
        let saved = rows
        for _ in 0..<(1 + random(60)) { operation(tree) }
        if random(5) == 0 {
            tree.reset(to: before)
            rows = saved
            check(tree.view, rows, "the tree after undoing")
            return
        }
        version = version.next
        let delta = tree.takeDelta()
        let group = CommitGroupBuffer()
        try group.append(version: version) { (writer) throws(StorageError) in
            CommitRecord.encode(
                delta, of: tree, before: before.view, author: "me", schema: nil, time: 0,
                into: &writer)
        }
        var records = GroupRecords(UnsafeRawBufferPointer(group.payload))
        while let record = try records.next() {
            try CommitRecord.apply(record.payload, to: replica)
            history.append(
                try CommitRecord.history(record.payload, version: version, schema: S.schema))
        }
        past[version] = rows
        _ = replica.takeDelta()
        check(tree.view, rows, "the tree")
        check(replica.view, rows, "the replica")
        for (snapshot, model) in snapshots { check(snapshot.view, model, "a snapshot") }
        for tree in [tree, replica] {
            let verifier = StoreVerifier(tree.capture(version: version), isShared: false)
            try verifier.verify()
            #expect(verifier.problems == [])
        }
        if random(3) == 0 { snapshots.append((tree.capture(version: version), rows)) }
        if snapshots.count > 3 { snapshots.remove(at: random(snapshots.count)) }
    }

    /// Takes commits back, from the newest to a random one, on a tree of its own.
    mutating func goBack() throws {
        guard let tree, let target = past.keys.sorted().randomElement(using: &generator) else {
            return
        }
        let latest = tree.capture(version: version)
        var rewind = TreeRewind()
        for commit in history where commit.version > target { rewind.add(commit) }
        #expect(rewind.barrier == nil)
        let old = WorkingTree(latest)
        try rewind.apply(to: old)
        let root = old.capture(version: target, life: 0, takenBackFrom: latest)
        check(root.view, past[target]!, "a version of the past")
        let verifier = StoreVerifier(root, isShared: false)
        try verifier.verify()
        #expect(verifier.problems == [])
        check(tree.view, rows, "the tree beside it")
    }

    /// Writes the tree to the page files, and now and then goes on with what can be read there.
    mutating func checkpoint() throws {
        guard let checkpointer, let tree, random(2) == 0 else { return }
        if random(4) == 0 { try relocate(tree, checkpointer) }
        let captured = tree.capture(version: version)
        var root: NodePlace?
        try checkpointer.exclusively { () throws(StorageError) in
            let written = try checkpointer.write(captured)
            root = written.root
            // What was appended since the version was captured is not what was written.
            tree.writer(S.item, tree.createRow(S.item))?.setInt(S.number, -1)
            checkpointer.install(written)
            try checkpointer.removeUnused(capture: captured.capture, account: account)
        }
        tree.reset(to: captured)
        try checkLiveBytes(checkpointer)
        if random(2) == 0, let root {
            let unmanaged = Unmanaged.passUnretained(account)
            self.tree = WorkingTree(
                SnapshotRoot(
                    root: try checkpointer.pages.load(root, account: unmanaged),
                    version: version, schema: S.schema, account: account))
            check(self.tree!.view, rows, "the tree from the pages")
        }
        #expect(account.failure == nil)
    }

    /// Empties some page segments and checks that the next checkpoint finds nothing there.
    mutating func relocate(_ tree: WorkingTree, _ checkpointer: Checkpointer) throws {
        let contents = checkpointer.contents
        let indexes = contents.segments.keys.sorted()
        guard contents.root != nil, let victim = indexes.randomElement(using: &generator) else {
            return
        }
        // A plan is made from what is published, and worked off when the tree has moved on.
        let captured = tree.capture(version: version)
        var plan = try CompactionPlan(captured, victims: [victim])
        checkpointer.retireTail(in: [victim])
        while !plan.isDone { tree.relocate(&plan, limit: 1 + random(5)) }
        check(tree.view, rows, "the tree that was moved")
        let moved = tree.capture(version: version)
        try checkpointer.exclusively { () throws(StorageError) in
            let written = try checkpointer.write(moved)
            checkpointer.install(written)
            try checkpointer.removeUnused(capture: moved.capture, account: account)
        }
        let live = checkpointer.contents.segments[victim]?.live ?? 0
        #expect(live == 0, "\(victim) keeps \(live) bytes")
    }

    /// The account of live bytes against a walk over everything.
    func checkLiveBytes(_ checkpointer: Checkpointer) throws {
        let contents = checkpointer.contents
        var all = DeadNodes(pages: checkpointer.pages, account: account)
        try all.count(below: contents.root!, except: [])
        for (index, segment) in contents.segments.entries {
            #expect(all.bytes[index, default: 0] == segment.live, "segment \(index) at \(version)")
        }
    }

    mutating func operation(_ tree: WorkingTree) {
        let key = rows.keys.sorted().randomElement(using: &generator)
        guard let key, random(10) > 2 else { return insert(tree) }
        switch random(14) {
        case 0: random(4) == 0 ? thinOut(tree) : remove(tree, key)
        case 1:
            let value = text()
            tree.set(.string(value), S.item, key, ColumnID(S.title))
            rows[key]?.title = value
        case 2:
            let value = random(2) == 0 ? nil : text()
            tree.set(value.map { .string($0) } ?? .null, S.item, key, ColumnID(S.note))
            rows[key]?.note = value
        case 3:
            let value = random(2) == 0 ? nil : Double(random(1000))
            tree.set(value.map { .double($0) } ?? .null, S.item, key, ColumnID(S.score))
            rows[key]?.score = value
        case 4:
            tree.writer(S.item, key)?.setBool(S.isActive, true)
            rows[key]?.isActive = true
        case 5:
            let target = random(3) == 0 ? nil : rows.keys.sorted().randomElement(using: &generator)
            tree.writer(S.item, key)?.setLink(S.friend, target)
            rows[key]?.friend = target
        case 6, 7: editList(tree, key)
        case 8: editSet(tree, key)
        case 9: editMap(tree, key)
        case 10: setPart(tree, key)
        case 11:
            let uuid = UUID(
                uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, UInt8(random(4))))
            tree.writer(S.item, key)?.setUUID(S.uuid, uuid)
            rows[key]?.uuid = uuid
        case 12:
            let number =
                [Int64.min, .max, -1, 1 << 40].randomElement(using: &generator)! &+ nextNumber
            guard !rows.values.contains(where: { $0.number == number }) else { return }
            tree.set(.int(number), S.item, key, ColumnID(S.number))
            rows[key]?.number = number
        default: insert(tree)
        }
    }

    mutating func insert(_ tree: WorkingTree) {
        for _ in 0..<(random(50) == 0 ? 100 + random(300) : 1) {
            let key = tree.createRow(S.item)
            var row = ModelRow()
            nextNumber += 1
            row.number = nextNumber
            while rows.values.contains(where: { $0.number == row.number }) { row.number += 1 << 20 }
            row.title = text()
            let writer = tree.writer(S.item, key)
            writer?.setInt(S.number, row.number)
            writer?.setString(S.title, row.title)
            if random(2) == 0 {
                row.score = Double(random(100))
                writer?.setDouble(S.score, row.score!)
            }
            rows[key] = row
        }
    }

    mutating func remove(_ tree: WorkingTree, _ key: RowKey) {
        tree.delete(S.item, [key])
        rows[key] = nil
        for other in rows.keys {
            if rows[other]?.friend == key { rows[other]?.friend = nil }
            rows[other]?.children.removeAll { $0 == key }
        }
    }

    /// Deletes most of a run of rows, so that clusters become sparse, are merged, or go.
    mutating func thinOut(_ tree: WorkingTree) {
        let keys = rows.keys.sorted()
        let start = random(keys.count)
        let run = keys[start..<min(start + random(400), keys.count)]
        let share = 1 + random(6)
        let gone = run.filter { _ in random(share + 1) > 0 }
        tree.delete(S.item, gone.shuffled(using: &generator))
        let set = Set(gone)
        for key in gone { rows[key] = nil }
        for other in rows.keys {
            if let friend = rows[other]?.friend, set.contains(friend) { rows[other]?.friend = nil }
            rows[other]?.children.removeAll { set.contains($0) }
        }
    }

    mutating func editList(_ tree: WorkingTree, _ key: RowKey) {
        let count = rows[key]!.children.count
        let target = rows.keys.sorted().randomElement(using: &generator)!
        let column = ColumnID(S.children)
        switch random(count > 0 ? 7 : 2) {
        case 0:
            let many = random(4) == 0 && count < 400 ? 300 : 1
            tree.listAppend(
                contentsOf: Array(repeating: .link(target), count: many), S.item, key, column)
            rows[key]?.children += Array(repeating: target, count: many)
        case 1:
            let index = random(count + 1)
            tree.listInsert(.link(target), at: index, S.item, key, column)
            rows[key]?.children.insert(target, at: index)
        case 2:
            let index = random(count)
            tree.listRemove(at: index, S.item, key, column)
            rows[key]?.children.remove(at: index)
        case 3:
            let index = random(count)
            tree.listSet(.link(target), at: index, S.item, key, column)
            rows[key]?.children[index] = target
        case 4:
            let (from, to) = (random(count), random(count))
            tree.listMove(from: from, to: to, S.item, key, column)
            let moved = rows[key]!.children.remove(at: from)
            rows[key]?.children.insert(moved, at: to)
        case 5:
            let (a, b) = (random(count), random(count))
            tree.listSwap(a, b, S.item, key, column)
            rows[key]?.children.swapAt(a, b)
        default:
            if random(4) == 0 {
                tree.listRemoveAll(S.item, key, column)
                rows[key]?.children = []
            }
        }
    }

    mutating func editSet(_ tree: WorkingTree, _ key: RowKey) {
        let tag = text()
        if random(2) == 0 {
            let isNew = tree.setInsert(.string(tag), S.item, key, ColumnID(S.tags))
            #expect(rows[key]!.tags.insert(tag).inserted == isNew)
        } else {
            let isGone = tree.setRemove(.string(tag), S.item, key, ColumnID(S.tags))
            #expect((rows[key]!.tags.remove(tag) != nil) == isGone)
        }
    }

    mutating func editMap(_ tree: WorkingTree, _ key: RowKey) {
        let entry = "k\(random(6))"
        let values: [StoredValue] = [.int(Int64(random(9))), .string(text()), .null, .bool(true)]
        let value = values[random(4)]
        if random(3) > 0 {
            tree.mapSet(value, forKey: entry, S.item, key, ColumnID(S.extras))
            rows[key]?.extras[entry] = value
        } else {
            let isGone = tree.mapRemove(forKey: entry, S.item, key, ColumnID(S.extras))
            #expect((rows[key]!.extras.removeValue(forKey: entry) != nil) == isGone)
        }
    }

    mutating func setPart(_ tree: WorkingTree, _ key: RowKey) {
        guard rows[key]!.size == nil else { return }
        let size = Int64(random(100))
        let part = tree.createRow(S.part)
        tree.writer(S.part, part)?.setInt(0, size)
        tree.writer(S.item, key)?.setLink(S.owned, part)
        rows[key]?.size = size
    }

    func check(_ view: TreeView, _ model: [RowKey: ModelRow], _ place: String) {
        let items = view.classView(S.item)
        #expect(items.count == model.count)
        let keys = model.keys.sorted()
        var clusters = items.makeClusterIterator()
        var seen: [RowKey] = []
        while let cluster = clusters.next() {
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                seen.append(cluster.key(slot))
            }
        }
        #expect(seen == keys)
        var parts = 0
        for (position, key) in keys.enumerated() {
            guard let location = items.attach(key) else {
                Issue.record("row \(key) is missing")
                continue
            }
            let row = ModelRow(view, location)
            if row != model[key] {
                Issue.record("\(place) at \(version): \(row) is not \(model[key]!)")
            }
            if row.size != nil { parts += 1 }
            if position % 7 == 0 { #expect(items.position(of: key) == position) }
            #expect(items.find(.int(row.number)) == key)
        }
        #expect(view.classView(S.part).count == parts)
        checkIndexes(view, items, model)
    }

    func checkIndexes(_ view: TreeView, _ items: ClassView, _ model: [RowKey: ModelRow]) {
        let titles = Dictionary(grouping: model.keys.sorted()) { model[$0]!.title }
        for (title, keys) in titles {
            #expect(items.rows(ColumnID(S.title), equalTo: .string(title)) == keys)
        }
        for (note, keys) in Dictionary(grouping: model.keys.sorted(), by: { model[$0]!.note }) {
            let value = note.map { StoredValue.string($0) } ?? .null
            #expect(items.rows(ColumnID(S.note), equalTo: value) == keys)
        }
        for (uuid, keys) in Dictionary(grouping: model.keys.sorted(), by: { model[$0]!.uuid }) {
            #expect(items.rows(ColumnID(S.uuid), equalTo: .uuid(uuid)) == keys)
        }
        for target in model.keys.sorted().prefix(5) {
            var friends: [RowKey] = []
            view.backlinks(to: target, origin: S.item, column: ColumnID(S.friend))
                .forEach { friends.append($0) }
            #expect(friends == model.keys.filter { model[$0]!.friend == target }.sorted())
            let parents = view.backlinks(to: target, origin: S.item, column: ColumnID(S.children))
            let expected = model.values.reduce(0) { $0 + $1.children.count { $0 == target } }
            #expect(parents.count == expected)
        }
    }

    mutating func finish(_ seed: String) {
        let live = account.nodeCount
        snapshots = []
        #expect(account.nodeCount <= live)
        tree = nil
        replica = nil
        #expect(account.nodeCount == 0, "\(seed)")
        #expect(account.byteCount == 0, "\(seed)")
        #expect(replicaAccount.nodeCount == 0, "\(seed)")
    }
}

import Testing

@testable import Storage

/// Trees with a node that cannot be read.
@Suite struct UnreadableNodeTests {
    typealias S = ModelSchema

    /// The keys of a map read as zeros, its values as empty: reading more of it ended the process.
    @Test func everyContainerReadsOnWithoutItsNodes() throws {
        let disk = MemoryFileSystem()
        try disk.createDirectory("pages")
        let pages = PageStore(fileSystem: disk, directory: "pages", database: .zero)
        let (root, rows) = try write(to: pages)
        let file = try disk.open("pages/" + PageIndex.first.fileName, .readWrite)
        let length = try file.size().length
        let byte = AlignedBuffer(capacity: 1)
        var failures = 0
        for offset in stride(from: PageSegmentHeader.size + 30, to: length, by: 131) {
            try flip(file, offset, byte)
            let account = NodeAccount()
            account.pages = pages
            if let node = try? pages.load(root, account: .passUnretained(account)) {
                let snapshot = SnapshotRoot(
                    root: node, version: Version(1), schema: S.schema, account: account)
                let items = snapshot.view.classView(S.item)
                for (key, row) in rows {
                    let found = items.attach(key).map { ModelRow(snapshot.view, $0) }
                    #expect(found == row || account.failure != nil)
                }
            }
            if account.failure != nil { failures += 1 }
            try flip(file, offset, byte)
        }
        #expect(failures > 20)
    }

    /// The key was that of the first row, which may exist.
    @Test func anUnreadableRowHasAnUnusedKey() throws {
        let snapshot = try stored(rows: 300)
        let items = snapshot.view.classView(S.item)
        snapshot.account.pages = nil
        #expect(items.count == 256)
        #expect(items.key(at: 3) == RowKey(.min))
        withExtendedLifetime(snapshot) {}
    }

    /// Enumerating a class found none of these rows.
    @Test func rowsBesideANewestClusterThatCannotBeReadAreFound() throws {
        let snapshot = try stored(rows: 600)
        let items = snapshot.view.classView(S.item)
        let branch = try #require(items.root.branch)
        for index in 0..<2 { _ = branch.child(index) }
        snapshot.account.pages = nil
        let first = items.location(from: RowKey(.min))?.key
        let later = items.location(from: RowKey(300))?.key
        #expect(first == RowKey(0) && later == RowKey(300))
        withExtendedLifetime(snapshot) {}
    }

    /// A version of which only the roots of the classes were read.
    private func stored(rows: Int) throws -> SnapshotRoot {
        let disk = MemoryFileSystem()
        try disk.createDirectory("pages")
        let pages = PageStore(fileSystem: disk, directory: "pages", database: .zero)
        let writer = NodeAccount()
        writer.pages = pages
        let tree = WorkingTree(schema: S.schema, account: writer)
        for _ in 0..<rows { tree.createRow(S.item) }
        let checkpointer = Checkpointer(pages: pages, contents: Checkpointer.Contents())
        let written = tree.capture(version: Version(1))
        let place = try checkpointer.exclusively { () throws(StorageError) -> NodePlace in
            try checkpointer.write(written).root
        }
        let account = NodeAccount()
        account.pages = pages
        let snapshot = SnapshotRoot(
            root: try pages.load(place, account: .passUnretained(account)), version: Version(1),
            schema: S.schema, account: account)
        _ = snapshot.view.classView(S.item)
        return snapshot
    }

    private func flip(_ file: any File, _ offset: Int, _ byte: AlignedBuffer) throws {
        let bytes = byte.bytes.slice(0..<1)
        _ = try file.read(into: bytes, at: offset)
        bytes[0] ^= 0x40
        try file.write(UnsafeRawBufferPointer(bytes), at: offset)
    }

    private func write(to pages: PageStore) throws -> (NodePlace, [RowKey: ModelRow]) {
        let account = NodeAccount()
        account.pages = pages
        let tree = WorkingTree(schema: S.schema, account: account)
        for number in 0..<40 {
            let key = tree.createRow(S.item)
            tree.writer(S.item, key)?.setInt(S.number, Int64(number))
            for index in 0..<(number == 7 ? 600 : 3) {
                tree.listInsert(
                    .link(RowKey(0)), at: index, S.item, key, ColumnID(S.children))
                tree.mapSet(
                    .int(Int64(index)), forKey: "k\(index)", S.item, key, ColumnID(S.extras))
                _ = tree.setInsert(.string("t\(index)"), S.item, key, ColumnID(S.tags))
            }
        }
        let snapshot = tree.capture(version: Version(1))
        let view = snapshot.view
        var rows: [RowKey: ModelRow] = [:]
        for position in 0..<40 {
            let items = view.classView(S.item)
            rows[items.key(at: position)] = ModelRow(view, items.row(at: position).location)
        }
        let checkpointer = Checkpointer(pages: pages, contents: Checkpointer.Contents())
        let root = try checkpointer.exclusively { () throws(StorageError) -> NodePlace in
            try checkpointer.write(snapshot).root
        }
        return (root, rows)
    }
}

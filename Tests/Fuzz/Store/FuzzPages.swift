import Foundation

// Safety: all memory is that of arrays owned here; every access is checked against their counts.

/// A small store with every kind of node in a page file, of which bytes are changed; the hashes on
/// the way to them, and the checkpoint's frame, are then made to fit.
struct FuzzPages {
    /// The page file, and behind it the checkpoint's record.
    private(set) var bytes: [UInt8]
    private let recordOffset: Int
    private let salt: Bits128
    /// Where the file refers to its nodes: children before their parents, the record's two last.
    private let references: [Int]

    private static let sound = FuzzPages()
    private static let item = ClassID(0)
    private static let version = Version(9)

    /// The sound store with the patches that stand at the begin of `input`: a byte with their
    /// number, then of each two bytes of offset, a byte with its length, and the bytes. The rest of
    /// the input are records, as behind a checkpoint.
    static func makeStore(_ input: [UInt8]) -> (store: MemoryFileSystem, rest: ArraySlice<UInt8>)? {
        var pages = sound
        var rest = input[...]
        let count = rest.popFirst() ?? 0
        for _ in 0..<min(count, 32) where rest.count > 3 {
            let offset = Int(rest.removeFirst()) | Int(rest.removeFirst()) << 8
            let length = Int(rest.removeFirst() & 15) + 1
            for (index, byte) in rest.prefix(length).enumerated() {
                pages.bytes[(offset + index) % pages.bytes.count] = byte
            }
            rest = rest.dropFirst(length)
        }
        pages.fix()
        return pages.store(rest).map { ($0, rest) }
    }

    // MARK: The sound store

    private static let schema = StoreSchema(classes: [
        ClassSchema(
            name: "Item",
            columns: [
                ColumnSchema(name: "number", kind: .int, isIndexed: true),
                ColumnSchema(name: "title", kind: .string, isIndexed: true),
                ColumnSchema(name: "score", kind: .double, isNullable: true),
                ColumnSchema(name: "friend", kind: .link, target: item),
                ColumnSchema(name: "children", kind: .link, container: .list, target: item),
                ColumnSchema(name: "tags", kind: .string, container: .set),
                ColumnSchema(name: "extras", kind: .mixed, container: .map),
            ],
            primaryKey: ColumnID(0))
    ])

    /// Rows far apart stand in clusters of their own, so that few make a tree of two levels.
    private static func fill(_ tree: WorkingTree) {
        for number in 0..<18 {
            let key = RowKey(Int64(number) * 300)
            tree.create(tree.states[0], key)
            tree.set(.int(Int64(number)), item, key, ColumnID(0))
            tree.set(.string("title \(number % 5)"), item, key, ColumnID(1))
            if number % 3 == 0 { tree.set(.double(1.5), item, key, ColumnID(2)) }
            tree.set(.link(RowKey(0)), item, key, ColumnID(3))
        }
        let links = Array(repeating: StoredValue.link(RowKey(300)), count: 300)
        tree.listAppend(contentsOf: links, item, RowKey(0), ColumnID(4))
        for name in ["a", "b", "long enough for the heap"] {
            _ = tree.setInsert(.string(name), item, RowKey(0), ColumnID(5))
            tree.mapSet(.string(name), forKey: name, item, RowKey(600), ColumnID(6))
        }
        tree.set(.string(String(repeating: "blob", count: 80)), item, RowKey(300), ColumnID(1))
    }

    private init() {
        let fileSystem = MemoryFileSystem()
        let account = NodeAccount()
        let pages = PageStore(
            fileSystem: fileSystem, directory: "p", database: FuzzSegment.database)
        account.pages = pages
        let tree = WorkingTree(schema: Self.schema, account: account)
        Self.fill(tree)
        let checkpointer = Checkpointer(pages: pages, contents: Checkpointer.Contents())
        do {
            try fileSystem.createDirectory("p")
            let root = tree.capture(version: Self.version)
            let (place, contents) = try checkpointer.exclusively {
                () throws(StorageError) -> (NodePlace, NodePlace) in
                let written = try checkpointer.write(root)
                return (written.root, written.contents)
            }
            let segment = FuzzSegment()
            let record = CheckpointRecord(
                version: Self.version, replayStart: segment.end, root: place, contents: contents)
            var file = [UInt8](repeating: 0, count: 1 << 16)
            let count = try file.withUnsafeMutableBytes {
                try fileSystem.open(pages.path(.first), .readOnly).read(into: $0, at: 0)
            }
            var found: [Int] = []
            try Self.collect(place, pages, account, &found)
            var end = [UInt8](repeating: 0, count: CheckpointRecord.size)
            end.withUnsafeMutableBytes { record.encode(into: $0) }
            recordOffset = count
            bytes = file.prefix(count) + end
            references = found + [count + 48, count + 72]
            salt = try pages.file(.first).salt
        } catch {
            preconditionFailure("The sound store cannot be made: \(error)")
        }
    }

    /// Adds the places of the slots below `place`, without their first eight bytes.
    private static func collect(
        _ place: NodePlace, _ pages: PageStore, _ account: NodeAccount, _ found: inout [Int]
    ) throws(StorageError) {
        guard place.hasSlots else { return }
        let node = try pages.load(place, account: .passUnretained(account))
        defer { node.release() }
        var slots: [(offset: Int, place: NodePlace)] = []
        node.forEachSlot { slot in
            guard let child = slot.storedPlace else { return }
            slots.append((place.address.offset + (slot.raw - node.raw) + 8, child))
        }
        for slot in slots {
            try collect(slot.place, pages, account, &found)
            found.append(slot.offset)
        }
    }

    // MARK: The changed store

    /// Makes each reference hash to what it refers to, wherever that is now.
    private mutating func fix() {
        let salt = salt
        let end = recordOffset
        bytes.withUnsafeMutableBytes { bytes in
            for reference in references {
                let all = UnsafeRawBufferPointer(bytes)
                let address = PageAddress(all.integer(at: reference))
                let length = Int(all.integer(at: reference + 8, as: UInt32.self))
                guard address.segment == .first, length >= Node.headerSize,
                    length <= end - address.offset
                else { continue }
                bytes.store(UInt64(0), at: address.offset + 16)
                let image = all.slice(address.offset..<address.offset + length)
                let hash = NodeImage.hash(image, salt: salt, at: address)
                bytes.store(hash, at: address.offset + 16)
                bytes.store(hash, at: reference + 16)
            }
        }
    }

    private func store(_ records: ArraySlice<UInt8>) -> MemoryFileSystem? {
        var segment = FuzzSegment()
        let record = Array(bytes[recordOffset...])
        var superblock = Superblock(database: FuzzSegment.database)
        if let parsed = record.withUnsafeBytes({ CheckpointRecord($0) }) {
            superblock.checkpoint = Superblock.Checkpoint(
                record: parsed, position: segment.end.position, segment: .first)
        }
        segment.append(.checkpoint, record, version: Self.version)
        segment.append(records: records, from: Self.version.next)
        let fileSystem = segment.makeStore("fuzz.realm", superblock)
        do {
            let path = StoreDirectory(fileSystem: MemoryFileSystem(), path: "fuzz.realm").pagesPath
            let file = try fileSystem?.open(path + "/" + PageIndex.first.fileName, .create)
            try bytes.withUnsafeBytes { try file?.write($0.slice(0..<recordOffset), at: 0) }
            return fileSystem
        } catch {
            return nil
        }
    }
}

import Foundation

@testable import Storage

// Safety: all memory is that of arrays owned here; every access is checked against their counts.

/// A page file with every kind of node and column, of which bytes are changed; afterwards all
/// hashes on the paths to them are corrected.
struct CraftedPages {
    static let item = ClassID(0)
    static let schema = StoreSchema(classes: [
        ClassSchema(name: "Item", columns: columns, primaryKey: ColumnID(number)),
        ClassSchema(
            name: "Part", isEmbedded: true,
            columns: [ColumnSchema(name: "size", kind: .int, isNullable: true)]),
    ])
    static let number = 0
    static let title = 1
    static let double = 2
    static let friend = 3
    static let list = 4
    static let texts = 5
    static let map = 6
    static let firstScalar = 7

    private static let columns: [ColumnSchema] =
        [
            ColumnSchema(name: "number", kind: .int, isIndexed: true),
            ColumnSchema(name: "title", kind: .string, isIndexed: true),
            ColumnSchema(name: "double", kind: .double, isNullable: true),
            ColumnSchema(name: "friend", kind: .link, target: item),
            ColumnSchema(name: "list", kind: .link, container: .list, target: item),
            ColumnSchema(name: "texts", kind: .string, container: .set),
            ColumnSchema(name: "map", kind: .mixed, container: .map),
        ]
        + scalars.map {
            ColumnSchema(
                name: "\($0)", kind: $0, isNullable: $0 == .bool, isIndexed: $0 != .mixed)
        } + [ColumnSchema(name: "part", kind: .link, target: ClassID(1))]
    private static let scalars: [ValueKind] = [
        .bool, .float, .data, .date, .uuid, .objectID, .mixed,
    ]

    /// The page file.
    var bytes: [UInt8]
    /// The offsets of references to nodes, without the first eight bytes of a slot: children before
    /// their parents.
    private(set) var references: [Int] = []
    /// The ranges of the nodes.
    private(set) var nodes: [Range<Int>] = []
    private let salt: Bits128
    private(set) var root: NodePlace

    private static let made = Result { try CraftedPages() }

    /// The file before anything in it was changed.
    static func sound() throws -> CraftedPages { try made.get() }

    private init() throws {
        let disk = MemoryFileSystem()
        try disk.createDirectory("p")
        let account = NodeAccount()
        var options = PageOptions()
        // All in one file.
        options.segmentSizeMin = 4 << 20
        let pages = PageStore(
            fileSystem: disk, directory: "p", database: .zero, options: options)
        account.pages = pages
        let tree = WorkingTree(schema: Self.schema, account: account)
        Self.fill(tree)
        let checkpointer = Checkpointer(pages: pages, contents: Checkpointer.Contents())
        let snapshot = tree.capture(version: Version(1))
        root = try checkpointer.exclusively { () throws(StorageError) in
            try checkpointer.write(snapshot).root
        }
        let open = try pages.file(.first)
        salt = open.salt
        let buffer = AlignedBuffer(capacity: try open.file.size().length.roundedUpTo8)
        let count = try open.file.read(into: buffer.bytes, at: 0)
        bytes = Array(buffer.bytes.prefix(count))
        try collect(root, pages, account)
    }

    /// Rows with distant keys are in clusters of their own, so that few rows make a tree of two
    /// levels.
    private static func fill(_ tree: WorkingTree) {
        for index in 0..<20 {
            let key = RowKey(Int64(index) * 300)
            tree.create(tree.states[0], key)
            let row = tree.writer(item, key)
            row?.setInt(number, Int64(index) * 1000)
            row?.setString(title, "title \(index % 5) which is on the heap")
            if index % 3 == 0 { row?.setDouble(double, 1.5) }
            row?.setLink(friend, RowKey(0))
            for (offset, kind) in scalars.enumerated() {
                row?.set(firstScalar + offset, value(kind, index))
            }
            if index % 4 == 0 {
                let part = tree.createRow(ClassID(1))
                tree.set(.link(part), item, key, ColumnID(columns.count - 1))
            }
        }
        for index in 0..<300 {
            let key = RowKey(index % 2 == 0 ? 0 : 300)
            tree.listAppend(
                contentsOf: [.link(RowKey(300)), .link(key)], item, key, ColumnID(list))
            _ = tree.setInsert(.string("text \(index)"), item, RowKey(300), ColumnID(texts))
        }
        for name in ["a", "b", "long enough for the heap"] {
            _ = tree.setInsert(.string(name), item, RowKey(0), ColumnID(texts))
            tree.mapSet(.string(name), forKey: name, item, RowKey(600), ColumnID(map))
        }
        tree.set(.string(String(repeating: "blob", count: 80)), item, RowKey(300), ColumnID(title))
        for number in 0..<260 {
            tree.set(
                .int(Int64(1_000_000 + number)), item, tree.createRow(item), ColumnID(Self.number))
        }
    }

    private static func value(_ kind: ValueKind, _ number: Int) -> StoredValue {
        let byte = UInt8(number)
        return switch kind {
        case .bool: .bool(number % 2 == 0)
        case .float: .float(Float(number))
        case .data: .data(Data(repeating: byte, count: number * 4))
        case .date: .date(Double(number))
        case .objectID: .objectID(ObjectIDBits(high: 5, low: UInt32(number)))
        case .uuid: .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, byte)))
        default: .string("mixed \(number)")
        }
    }

    private mutating func collect(
        _ place: NodePlace, _ pages: PageStore, _ account: NodeAccount
    ) throws {
        let start = place.address.offset
        nodes.append(start..<start + Int(place.length))
        let node = try pages.load(place, account: .passUnretained(account))
        defer { node.release() }
        var slots: [(offset: Int, place: NodePlace)] = []
        node.forEachSlot { slot in
            guard let child = slot.storedPlace else { return }
            slots.append((start + (slot.raw - node.raw) + 8, child))
        }
        for slot in slots {
            try collect(slot.place, pages, account)
            references.append(slot.offset)
        }
    }

    // MARK: Navigation

    /// The offset of the child of the slot at `offset`.
    func child(_ offset: Int) -> Int {
        bytes.withUnsafeBytes { PageAddress($0.integer(at: offset + 8)).offset }
    }

    /// The offset of the root of the class.
    var classRoot: Int {
        child(root.address.offset + StoreRoot.slotsOffset)
    }

    /// The root of the class's tree.
    var tree: Int { child(classRoot + ClassRoot.treeOffset) }

    /// The first branch of the lowest level.
    var lowBranch: Int { child(tree + ClusterBranch.slotsOffset) }

    func cluster(_ index: Int = 0) -> Int {
        child(lowBranch + ClusterBranch.slotsOffset + index * Slot.size)
    }

    /// The slot of a column's chunk.
    func cell(_ column: Int, of index: Int = 0) -> Int {
        cluster(index) + Cluster.cellsOffset + column * Cluster.cellSize
    }

    /// The place that the slot at `offset` refers to.
    func place(_ offset: Int) -> NodePlace? {
        bytes.withUnsafeBytes {
            NodePlace(
                address: $0.integer(at: offset + 8), length: $0.integer(at: offset + 16),
                tag: $0.integer(at: offset + 20), hash: $0.integer(at: offset + 24))
        }
    }

    /// Makes the slot at `offset` refer to `place`.
    mutating func lead(_ offset: Int, to place: NodePlace) {
        store(place.address.rawValue, at: offset + 8)
        store(place.length, at: offset + 16)
        store(place.tag, at: offset + 20)
        store(place.hash, at: offset + 24)
    }

    mutating func store<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
        bytes.withUnsafeMutableBytes { $0.store(value, at: offset) }
    }

    /// Makes the slot at `target` refer to what the one at `source` refers to.
    mutating func redirect(_ target: Int, to source: Int) {
        bytes.replaceSubrange(target + 8..<target + 32, with: bytes[source + 8..<source + 32])
    }

    /// Appends a blob at the end.
    mutating func append(blob contents: [UInt8]) -> NodePlace {
        let account = NodeAccount()
        let node = contents.withUnsafeBytes {
            Blob.make($0, account: .passUnretained(account))
        }
        defer { node.release() }
        return append(node, children: nil)
    }

    /// Appends branches of lists, each of which has the previous one as all of its children.
    mutating func appendTower(above leaf: NodePlace, elements: Int, height: Int) -> NodePlace {
        let account = NodeAccount()
        var (place, count) = (leaf, elements)
        for level in 1...height {
            let branch = SequenceBranch.make(level: level, account: .passUnretained(account))
            branch.node.count = SequenceBranch.fanOut
            for index in 0..<branch.node.count { branch.setElements(index, count) }
            place = append(branch.node, children: place)
            branch.node.count = 0
            branch.node.release()
            count *= SequenceBranch.fanOut
        }
        return place
    }

    /// Appends branches of lists with one child each, all of which claim to be at level two.
    mutating func appendChain(above leaf: NodePlace, elements: Int, length: Int) -> NodePlace {
        let account = NodeAccount()
        var place = leaf
        for number in 0..<length {
            let branch = SequenceBranch.make(
                level: number == 0 ? 1 : 2, account: .passUnretained(account))
            branch.node.count = 1
            branch.setElements(0, elements)
            place = append(branch.node, children: place)
            branch.node.count = 0
            branch.node.release()
        }
        return place
    }

    /// Appends a node whose children are all the same node.
    private mutating func append(_ node: Node, children: NodePlace?) -> NodePlace {
        let address = PageAddress(segment: .first, offset: bytes.count)
        let length = NodeImage.length(of: node, used: 0)
        var image = [UInt8](repeating: 0, count: length)
        let hash = image.withUnsafeMutableBytes {
            NodeImage.encode(node, used: 0, into: $0, salt: salt, at: address) { _ in children }
        }
        bytes += image
        return NodePlace(
            address: address, length: UInt32(length), hash: hash, kind: node.kind,
            hasSlots: children != nil)
    }

    // MARK: The changed file

    /// Makes every reference have the hash of the node that it refers to, wherever that is now.
    mutating func fix() {
        let salt = salt
        for reference in references {
            let (address, length) = bytes.withUnsafeBytes {
                (
                    PageAddress($0.integer(at: reference)),
                    Int($0.integer(at: reference + 8, as: UInt32.self))
                )
            }
            guard let hash = fix(address, length, salt) else { continue }
            store(hash, at: reference + 16)
        }
        root.hash = fix(root.address, Int(root.length), salt) ?? 0
    }

    private mutating func fix(_ address: PageAddress, _ length: Int, _ salt: Bits128) -> UInt64? {
        guard address.segment == .first, length >= Node.headerSize,
            length <= bytes.count - address.offset
        else { return nil }
        return bytes.withUnsafeMutableBytes { bytes in
            bytes.store(UInt64(0), at: address.offset + 16)
            let image = UnsafeRawBufferPointer(bytes)
                .slice(address.offset..<address.offset + length)
            let hash = NodeImage.hash(image, salt: salt, at: address)
            bytes.store(hash, at: address.offset + 16)
            return hash
        }
    }

    /// The pages of a store with this file.
    func open(_ account: NodeAccount) throws -> PageStore {
        let disk = MemoryFileSystem()
        try disk.createDirectory("p")
        let file = try disk.open("p/" + PageIndex.first.fileName, .create)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        let pages = PageStore(fileSystem: disk, directory: "p", database: .zero)
        account.pages = pages
        return pages
    }

    /// The tree in the file.
    func load(_ account: NodeAccount) throws -> SnapshotRoot {
        let pages = try open(account)
        let node = try pages.load(root, account: .passUnretained(account))
        let snapshot = SnapshotRoot(
            root: node, version: Version(1), schema: Self.schema, account: account)
        guard node.count == Self.schema.classes.count else {
            throw StorageError.corrupted(segment: "p", offset: 0, reason: "classes")
        }
        return snapshot
    }
}

import Foundation
import Testing

@testable import Storage

// Safety: nodes are made here, written within their sizes, copied into arrays and released.

/// Samples of the nodes of page files: their bytes are those in memory, except for the first 24.
extension FileFormatTests {
    private static let account = NodeAccount()
    private static var unmanaged: Unmanaged<NodeAccount> { .passUnretained(account) }

    /// The image of a node whose slots refer to nodes on disk.
    private static func image(_ node: Node, used: Int = 0) -> [UInt8] {
        let bytes = make(NodeImage.length(of: node, used: used)) {
            _ = NodeImage.encode(
                node, used: used, into: $0, salt: salt, at: place.address, place: { _ in place })
        }
        node.release()
        return bytes
    }

    private static func sample(
        _ kind: NodeKind, size: Int, _ count: Int = 0, level: UInt8 = 0, slots: [Int] = [],
        _ write: (UnsafeMutableRawPointer) -> Void
    ) -> [UInt8] {
        let node = Node.allocate(kind, size: size, account: unmanaged)
        node.count = count
        node.level = level
        write(node.raw)
        // A target for the slots of the image.
        for offset in slots {
            Slot(raw: node.raw + offset).put(
                Node.allocate(.blob, size: Blob.dataOffset, account: unmanaged))
        }
        return image(node)
    }

    private static let slotBytes = [UInt8](repeating: 0, count: 8) + bytes(of: place)
    private static let head = le(NodeImage.magic)

    static let node: Structure = {
        let chunk = Chunk.make(.integers, width: 2, capacity: 8, account: unmanaged)
        chunk.node.count = 0x0403
        chunk.node.flags = 0x0201
        chunk.used = 3
        let bytes = Array(image(chunk.node, used: 3).prefix(Node.headerSize))
        return Structure(
            size: Node.headerSize, bytes: bytes,
            fields: [
                ("magic", head), ("kind", [NodeKind.chunk.rawValue]), ("level", [2]),
                ("number", le(UInt16(0x0403))), ("length", le(UInt32(56))),
                ("flags", le(UInt32(0x0201))), ("hash", Array(bytes.suffix(8))),
            ])
    }()

    static let slot = Structure(
        size: Slot.size,
        bytes: make(Slot.size) {
            if let raw = $0.baseAddress { Slot(raw: raw).store(place) }
        },
        fields: [
            ("address", le(place.address.rawValue)), ("length", le(place.length)),
            ("kind", [NodeKind.storeRoot.rawValue]), ("1 when", [1]), ("hash", le(place.hash)),
        ])

    static let storeRoot = Structure(
        size: StoreRoot.slotsOffset,
        bytes: sample(
            .storeRoot, size: StoreRoot.slotsOffset + Slot.size, 1,
            slots: [StoreRoot.slotsOffset]
        ) { _ in },
        fields: [("node", head), ("of each class", slotBytes)])

    static let classRoot: Structure = {
        let root = ClassRoot.make(columns: 1, account: unmanaged)
        root.nextKey = 0x0101
        root.treeRows = 0x0202
        root.mixedTargets = MixedTargets(bits: 0x0303)
        for slot in [root.tree, root.newest, root.index(0)] {
            slot.put(Node.allocate(.blob, size: Blob.dataOffset, account: unmanaged))
        }
        return Structure(
            size: ClassRoot.indexesOffset, bytes: image(root.node),
            fields: [
                ("node", head), ("key", le(UInt64(0x0101))), ("rows", le(UInt64(0x0202))),
                ("columns", le(UInt32(1))), ("classes", le(UInt32(0x0303))),
                ("slot of the tree", slotBytes),
                ("slot of the newest", slotBytes), ("of each column", slotBytes),
            ])
    }()

    static let clusterBranch: Structure = {
        let branch = ClusterBranch.make(level: 1, account: unmanaged)
        let child = Node.allocate(.blob, size: Blob.dataOffset, account: unmanaged)
        branch.append(child, firstKey: 0x0101, rows: 0x0202)
        return Structure(
            size: ClusterBranch.size, bytes: image(branch.node),
            fields: [
                ("node", head), ("of each child: no key", le(UInt64(0x0101))),
                ("of each child: rows", le(UInt64(0x0202))),
                ("of each child: its slot", slotBytes),
            ])
    }()

    static let cluster: Structure = {
        let schema = ClassSchema(
            name: "A", columns: [ColumnSchema(name: "a", kind: .int, isNullable: true)])
        let cluster = Cluster.make(firstKey: 0x0101, schema: schema, account: unmanaged)
        cluster.slotCount = 0x0022
        cluster.liveCount = 0x0011
        cluster.setLive(3, true)
        for slot in [cluster.offsetsSlot, cluster.cell(0)] {
            slot.put(Node.allocate(.blob, size: Blob.dataOffset, account: unmanaged))
        }
        return Structure(
            size: Cluster.cellsOffset, bytes: image(cluster.node),
            fields: [
                ("node", head), ("key", le(UInt64(0x0101))), ("slots", le(UInt16(0x0022))),
                ("rows", le(UInt16(0x0011))), ("columns", le(UInt16(1))),
                ("of each slot", [8, 0, 0, 0]), ("slot of a chunk", slotBytes),
                ("of each column", slotBytes + [UInt8](repeating: 0xFF, count: 32)),
            ])
    }()

    /// A chunk with one text in its heap.
    private static func texts(_ text: String) -> [UInt8] {
        let chunk = Chunk.make(
            .strings, width: StringView.size, capacity: 1, heap: 32, account: unmanaged)
        chunk.used = 1
        Array(text.utf8).withUnsafeBytes { chunk.storeBytes(0, $0) }
        return image(chunk.node, used: 1)
    }

    static let chunk: Structure = {
        let bytes = texts("twenty bytes of text")
        let integers = Chunk.make(.integers, width: 1, capacity: 1, account: unmanaged)
        integers.base = 0x0A0B
        integers.used = 1
        let based = image(integers.node, used: 1)
        // The base is that of integers, the heap that of texts: the sample combines both.
        let both = Array(bytes[..<24]) + Array(based[24..<32]) + Array(bytes[32...])
        let heap = UInt32(bytes.count - Chunk.dataOffset - StringView.size)
        return Structure(
            size: Chunk.dataOffset, bytes: both,
            fields: [
                ("node", head), ("base", le(UInt64(0x0A0B))), ("elements", le(UInt32(1))),
                ("elements that", le(UInt32(1))), ("bytes of the heap in use", le(UInt32(20))),
                ("bytes of the heap", le(heap)), ("the elements", le(UInt32(20))),
            ])
    }()

    static let view = Structure(
        size: StringView.size,
        bytes: Array(
            texts("twelve bytes").dropFirst(Chunk.dataOffset).prefix(StringView.size)),
        fields: [
            ("length", le(UInt32(12))), ("the first", Array("twel".utf8)),
            ("up to 12", Array("ve bytes".utf8)),
        ])

    static let indexLeaf: Structure = {
        let bytes = sample(
            .indexLeaf, size: IndexLeaf.dataOffset + 16, 1, level: 8
        ) { raw in
            raw.storeBytes(of: 0x0101, toByteOffset: 24, as: UInt64.self)
            raw.storeBytes(of: 0x0202, toByteOffset: IndexLeaf.rowBaseOffset, as: UInt64.self)
            raw.storeBytes(of: 0x0303, toByteOffset: 40, as: UInt32.self)
            raw.storeBytes(of: 0x0404, toByteOffset: IndexLeaf.dataOffset, as: UInt64.self)
            let leaf = IndexLeaf(node: Node(raw: raw))
            precondition(leaf.keyBase == 0x0101 && leaf.rowBase == 0x0202)
            precondition(leaf.capacity == 0x0303 && leaf.key(0) == 0x0505)
        }
        return Structure(
            size: IndexLeaf.dataOffset, bytes: bytes,
            fields: [
                ("node", head), ("base of the keys", le(UInt64(0x0101))),
                ("base of the rows", le(UInt64(0x0202))), ("entries", le(UInt32(0x0303))),
                ("the keys", le(UInt64(0x0404))),
            ])
    }()

    static let indexBranch: Structure = {
        let branch = IndexBranch.make(level: 1, account: unmanaged)
        branch.node.count = 1
        let raw = branch.node.raw
        raw.storeBytes(of: 0x0101, toByteOffset: IndexBranch.keysOffset, as: UInt64.self)
        raw.storeBytes(of: 0x0202, toByteOffset: IndexBranch.rowsOffset, as: UInt64.self)
        raw.storeBytes(of: 0x0303, toByteOffset: IndexBranch.entriesOffset, as: UInt64.self)
        branch.slot(0).put(Node.allocate(.blob, size: Blob.dataOffset, account: unmanaged))
        return Structure(
            size: IndexBranch.size, bytes: image(branch.node),
            fields: [
                ("node", head), ("of each child: the key", le(UInt64(0x0101))),
                ("of each child: the row", le(UInt64(0x0202))),
                ("of each child: entries", le(UInt64(0x0303))),
                ("of each child: its slot", slotBytes),
            ])
    }()

    static let sequenceBranch: Structure = {
        let branch = SequenceBranch.make(level: 1, account: unmanaged)
        branch.node.count = 1
        branch.setElements(0, 0x0101)
        branch.slot(0).put(Node.allocate(.blob, size: Blob.dataOffset, account: unmanaged))
        return Structure(
            size: SequenceBranch.size, bytes: image(branch.node),
            fields: [
                ("node", head), ("of each child: elements", le(UInt64(0x0101))),
                ("of each child: its slot", slotBytes),
            ])
    }()

    static let map = Structure(
        size: MapRoot.size,
        bytes: sample(
            .map, size: MapRoot.size, slots: [MapRoot.slotsOffset, MapRoot.slotsOffset + Slot.size]
        ) { _ in },
        fields: [
            ("node", head), ("slot of the keys", slotBytes), ("slot of the values", slotBytes),
        ])
}

import Testing

@testable import Storage

/// Nodes in page files whose fields lead beyond their bytes, found by fuzzing.
@Suite struct NodeBoundsTests {
    private let account = NodeAccount()

    @Test func aBranchHasAChildInEachSlot() {
        for (kind, size) in [
            (NodeKind.clusterBranch, ClusterBranch.size), (.indexBranch, IndexBranch.size),
            (.sequenceBranch, SequenceBranch.size), (.storeRoot, StoreRoot.slotsOffset + Slot.size),
        ] {
            let node = Node.allocate(kind, size: size, account: .passUnretained(account))
            node.level = 1
            node.count = 1
            #expect(!NodeBounds.hold(node, length: size), "\(kind)")
            node.count = 0
            node.release()
        }
    }

    @Test func whatASlotRefersToIsOfAKnownKind() {
        let cluster = Cluster.make(
            firstKey: 0, schema: ClassSchema(name: "C", columns: []),
            account: .passUnretained(account)
        ).node
        Cluster(node: cluster).slotCount = 1
        let slot = Cluster(node: cluster).offsetsSlot
        for (kind, isSound) in [(NodeKind.chunk.rawValue, true), (0xEE, false)] {
            slot.raw.storeBytes(of: 8, toByteOffset: 8, as: UInt64.self)
            slot.raw.storeBytes(of: kind, toByteOffset: 20, as: UInt8.self)
            #expect(NodeBounds.hold(cluster, length: cluster.size) == isSound)
        }
        slot.put(nil)
        cluster.release()
    }

    @Test(arguments: [[0], [0, 64], [0, 0], [0, 8]])
    func longTextsHaveBlobsOfTheirOwn(_ offsets: [Int]) {
        for isFlagged in [true, false] {
            let chunk = Chunk.make(
                .strings, width: StringView.size, capacity: 2, heap: 128,
                account: .passUnretained(account))
            // The slots of blobs, which a new chunk does not initialize.
            chunk.heap.initializeMemory(as: UInt8.self, repeating: 0, count: chunk.heapCapacity)
            chunk.heapUsed = chunk.heapCapacity
            for (index, offset) in offsets.enumerated() {
                let raw = chunk.stringView(index).raw
                raw.storeBytes(of: UInt32(1 << 20), as: UInt32.self)
                raw.storeBytes(of: UInt32(offset), toByteOffset: 8, as: UInt32.self)
                let place = NodePlace(
                    address: PageAddress(segment: .first, offset: 64),
                    length: UInt32(Blob.dataOffset + (1 << 20)), hash: 0, kind: .blob,
                    hasSlots: false)
                chunk.stringView(index).blobSlot(heap: UnsafeRawPointer(chunk.heap)).store(place)
            }
            chunk.used = offsets.count
            if isFlagged { chunk.node.flags |= Chunk.blobFlag }
            let isSound = isFlagged && (offsets.count == 1 || offsets[1] >= Slot.size)
            #expect(NodeBounds.hold(chunk.node, length: chunk.node.size) == isSound)
            chunk.used = 0
            chunk.node.release()
        }
    }

    /// A chunk from a file could claim that less of its heap is in use than its texts occupy: the
    /// next text overwrote the slots of the others, which then referred to arbitrary memory.
    @Test(arguments: [100, 300])
    func textsStandInTheUsedPartOfTheHeap(_ length: Int) {
        let chunk = Chunk.make(
            .strings, width: StringView.size, capacity: 2, heap: 256,
            account: .passUnretained(account))
        let text = [UInt8](repeating: 0x61, count: length)
        // Unsafe: lent for the call, which copies the bytes; the heap has room.
        text.withUnsafeBytes { chunk.storeBytes(0, $0) }
        chunk.used = 1
        if length > StringView.heapMax {
            let slot = chunk.stringView(0).blobSlot(heap: UnsafeRawPointer(chunk.heap))
            slot.replace(with: nil)
            slot.store(
                NodePlace(
                    address: PageAddress(segment: .first, offset: 64),
                    length: UInt32((Blob.dataOffset + length).roundedUpTo8), hash: 0, kind: .blob,
                    hasSlots: false))
        }
        let used = chunk.heapUsed
        for (heapUsed, isSound) in [(used, true), (used - 1, false), (0, false)] {
            chunk.heapUsed = heapUsed
            #expect(NodeBounds.hold(chunk.node, length: chunk.node.size) == isSound)
        }
        chunk.used = 0
        chunk.node.release()
    }
}

/// The bytes of a node on disk: those in memory, without the fields that are only valid there, and
/// without the spare capacity of a chunk.
///
/// In an encrypted store the image has no hash, it is sealed (``NodeCipher``), and is followed by a
/// salt and a tag of 16 bytes each.
///
///     offset  bytes  field
///          0      4  magic: "node"
///          4     12  kind, level, count, size, flags as in memory; size is the length of the image
///         16      8  hash: XXH64 of the image with zeros here, keyed with the segment's salt and
///                    the node's address
///         24      -  as in memory; slots hold addresses (``Slot``)
///
enum NodeImage {
    static let magic: UInt32 = 0x6564_6F6E
    /// The maximum length of an image: far above what any node needs, and small enough to be read
    /// at once.
    static let lengthMax = 1 << 30

    /// The hash of the image in `bytes`, whose own hash field reads as zero.
    static func hash(_ bytes: UnsafeRawBufferPointer, salt: Bits128, at address: PageAddress)
        -> UInt64
    {
        XXH64.hash(bytes, seed: salt.low ^ address.rawValue &* 0x9E37_79B9_7F4A_7C15)
    }

    /// Bytes of the image of `node`, whose chunk counts `used` elements.
    static func length(of node: Node, used: Int) -> Int {
        guard node.kind == .chunk else { return node.size.roundedUpTo8 }
        let chunk = Chunk(node: node)
        if chunk.form == .strings { return node.size.roundedUpTo8 }
        return (Chunk.dataOffset + chunk.width * used).roundedUpTo8
    }

    /// Writes the image of `node` into `bytes`, followed by salt and tag in an encrypted store,
    /// which has a sealer. `place` returns the place of a slot's child. Returns the hash for slots
    /// that refer to the node.
    static func encode(
        _ node: Node, used: Int, into bytes: UnsafeMutableRawBufferPointer, salt: Bits128,
        sealer: NodeSealer? = nil, at address: PageAddress, place: (Slot) -> NodePlace?
    ) -> UInt64 {
        guard let sealer else {
            write(node, used: used, into: bytes, place: place)
            let hash = hash(UnsafeRawBufferPointer(bytes), salt: salt, at: address)
            bytes.store(hash, at: 16)
            return hash
        }
        let image = bytes.slice(0..<bytes.count - NodeCipher.overhead)
        write(node, used: used, into: image, place: place)
        return sealer.seal(bytes, at: address, kind: node.kind, in: salt)
    }

    /// Writes the image without its hash.
    private static func write(
        _ node: Node, used: Int, into bytes: UnsafeMutableRawBufferPointer,
        place: (Slot) -> NodePlace?
    ) {
        let length = bytes.count
        // Unsafe: the node is at least as long, except for the padding, which stays zero.
        let copied = min(length, node.size)
        guard let target = bytes.baseAddress else { return }
        target.copyMemory(from: node.raw, byteCount: copied)
        bytes.slice(copied..<length).fillWithZeros()
        bytes.store(magic, at: 0)
        bytes.store(UInt32(length), at: 8)
        bytes.store(UInt64(0), at: 16)
        trim(node, to: used, in: bytes)
        let visit = { (slot: Slot) in
            let offset = node.raw.distance(to: slot.raw)
            let image = Slot(raw: target + offset)
            let place = place(slot)
            precondition(
                place != nil || slot.isEmpty, "A node was written before one of its children")
            bytes.store(UInt64(0), at: offset)
            image.store(place)
        }
        if node.kind == .chunk {
            Chunk(node: node).forEachSlot(of: used, visit)
        } else {
            node.forEachSlot(visit)
        }
    }

    /// Zeroes unused parts: memory there may still have old contents, which must not reach the
    /// disk.
    private static func trim(_ node: Node, to used: Int, in bytes: UnsafeMutableRawBufferPointer) {
        switch node.kind {
        case .chunk: trim(Chunk(node: node), to: used, in: bytes)
        case .clusterBranch:
            trim([ClusterBranch.keysOffset, ClusterBranch.countsOffset], node, in: bytes)
        case .indexBranch: trim(IndexBranch.arrays, node, in: bytes)
        case .sequenceBranch: trim([SequenceBranch.countsOffset], node, in: bytes)
        case .cluster, .indexLeaf, .blob, .map, .classRoot, .storeRoot: break
        }
    }

    /// Zeroes the unused ends of a branch's arrays of eight bytes per child.
    private static func trim(
        _ arrays: [Int], _ node: Node, in bytes: UnsafeMutableRawBufferPointer
    ) {
        for offset in arrays {
            bytes.slice(offset + node.count * 8..<offset + Node.branchFanOut * 8).fillWithZeros()
        }
    }

    /// Restricts the image of `chunk` to its first `used` elements.
    private static func trim(
        _ chunk: Chunk, to used: Int, in bytes: UnsafeMutableRawBufferPointer
    ) {
        bytes.store(UInt32(used), at: 32)
        let end = Chunk.dataOffset + chunk.width * used
        guard chunk.form == .strings else {
            bytes.store(UInt32(used), at: 36)
            return bytes.slice(end..<bytes.count).fillWithZeros()
        }
        let heap = Chunk.dataOffset + chunk.width * chunk.capacity
        let heapUsed: UInt32 = UnsafeRawBufferPointer(bytes).integer(at: 40)
        bytes.slice(end..<heap).fillWithZeros()
        bytes.slice(heap + Int(heapUsed)..<bytes.count).fillWithZeros()
    }

    /// Reads the image at `place` into `node`, which is `length` bytes long. Returns whether it
    /// verifies and is within its bounds.
    static func read(
        into node: Node, length: Int, _ place: NodePlace, from segment: PageStore.OpenFile,
        cipher: NodeCipher?
    ) throws(StorageError) -> Reading {
        // Unsafe: the node was allocated with this many bytes.
        let image = UnsafeMutableRawBufferPointer(start: node.raw, count: length)
        let count: Int
        var isRight = true
        if let cipher {
            let stored = Int(place.length)
            // Unsafe: filled before it is opened, and not used beyond the bytes read.
            (count, isRight) = try withUnsafeTemporaryAllocation(byteCount: stored, alignment: 8) {
                bytes throws(StorageError) in
                let count = try segment.file.read(into: bytes, at: place.address.offset)
                guard count == stored else { return (count, false) }
                return (
                    count,
                    cipher.open(
                        UnsafeRawBufferPointer(bytes), at: place, in: segment.salt, into: image)
                )
            }
        } else {
            count = try segment.file.read(into: image, at: place.address.offset)
            if count == length { isRight = hashes(image, to: place, salt: segment.salt) }
        }
        if count < Int(place.length) { return .cutOff }
        let bytes = UnsafeRawBufferPointer(image)
        isRight =
            isRight && bytes.integer(at: 0) == magic && bytes[4] == place.kind.rawValue
            && bytes.integer(at: 8, as: UInt32.self) == length
        let overhead = Int(place.length) - length
        return isRight && NodeBounds.hold(node, length: length, overhead: overhead)
            ? .right : .damaged
    }

    /// Whether a plain image verifies at an address.
    static func isWhole(
        _ image: UnsafeMutableRawBufferPointer, salt: Bits128, at address: PageAddress
    ) -> Bool {
        let bytes = UnsafeRawBufferPointer(image)
        guard bytes.count >= Node.headerSize, bytes.integer(at: 0) == magic else { return false }
        let stored: UInt64 = bytes.integer(at: 16)
        // The hash is that of the image without it.
        image.store(UInt64(0), at: 16)
        defer { image.store(stored, at: 16) }
        return hash(bytes, salt: salt, at: address) == stored
    }

    /// The outcome of reading an image.
    enum Reading { case right, damaged, cutOff }

    private static func hashes(
        _ image: UnsafeMutableRawBufferPointer, to place: NodePlace, salt: Bits128
    ) -> Bool {
        let stored: UInt64 = UnsafeRawBufferPointer(image).integer(at: 16)
        image.store(UInt64(0), at: 16)
        return stored == place.hash
            && hash(UnsafeRawBufferPointer(image), salt: salt, at: place.address) == place.hash
    }
}

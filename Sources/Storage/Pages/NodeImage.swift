/// The bytes that a node has on disk: those it has in memory, but for the words that only mean
/// something there, and without the room that a chunk keeps for appending.
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
    /// No image is longer: far above what any node needs, and small enough to be read at once.
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

    /// Writes the image of `node` into `bytes`, which hold `length` of them. `place` says where the
    /// child of a slot stands. Returns the hash, which is in the image, too.
    static func encode(
        _ node: Node, used: Int, into bytes: UnsafeMutableRawBufferPointer, salt: Bits128,
        at address: PageAddress, place: (Slot) -> NodePlace?
    ) -> UInt64 {
        let length = bytes.count
        // Unsafe: the node is at least as long, but for the padding, which stays zero.
        let copied = min(length, node.size)
        guard let target = bytes.baseAddress else { return 0 }
        target.copyMemory(from: node.raw, byteCount: copied)
        bytes.slice(copied..<length).fillWithZeros()
        bytes.store(magic, at: 0)
        bytes.store(UInt32(length), at: 8)
        bytes.store(UInt64(0), at: 16)
        if node.kind == .chunk {
            bytes.store(UInt32(used), at: 32)
            let chunk = Chunk(node: node)
            if chunk.form != .strings { bytes.store(UInt32(used), at: 36) }
        }
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
        let hash = hash(UnsafeRawBufferPointer(bytes), salt: salt, at: address)
        bytes.store(hash, at: 16)
        return hash
    }

    /// A node in memory from an image that was read into it; nil, and the node is gone, when the
    /// image is not what `place` says or could lead a reader out of its bounds.
    static func adopt(_ node: Node, _ place: NodePlace, salt: Bits128) -> Node? {
        let bytes = UnsafeMutableRawBufferPointer(start: node.raw, count: Int(place.length))
        let stored: UInt64 = UnsafeRawBufferPointer(bytes).integer(at: 16)
        bytes.store(UInt64(0), at: 16)
        let actual = hash(UnsafeRawBufferPointer(bytes), salt: salt, at: place.address)
        let isRight =
            stored == place.hash && actual == place.hash
            && UnsafeRawBufferPointer(bytes).integer(at: 0) == magic
            && bytes[4] == place.kind.rawValue
            && UnsafeRawBufferPointer(bytes).integer(at: 8) == place.length
        return isRight && NodeBounds.hold(node, length: bytes.count) ? node : nil
    }
}

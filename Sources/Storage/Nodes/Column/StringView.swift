// Safety: a view is within a chunk, and `heap` is the start of that chunk's heap; both are valid
// while the owner of the chunk lives. A view was written together with the bytes that it refers to,
// or was checked against its chunk's bounds when it was read from a file.

/// How a chunk of strings or data refers to one value.
///
///     offset  size  content
///          0     4  length in bytes
///          4     4  the first four bytes
///          8     8  up to 12 bytes: the rest of them
///                   up to 255: offset into the chunk's heap (4 bytes)
///                   longer: the same, of the slot of a blob node there
@frozen @usableFromInline
struct StringView {
    // Unsafe: points to a view within a chunk that is alive while this value is used.
    @usableFromInline let raw: UnsafeMutableRawPointer

    @inlinable
    init(raw: UnsafeMutableRawPointer) { self.raw = raw }

    @inlinable static var size: Int { 16 }
    @inlinable static var inlineMax: Int { 12 }
    @inlinable static var heapMax: Int { 255 }

    /// Bytes of the heap that a value of `length` bytes may need, alignment included.
    static func heapSize(of length: Int) -> Int {
        if length <= inlineMax { return 0 }
        return length <= heapMax ? length : Slot.size + 7
    }

    @inlinable var length: Int { Int(raw.load(as: UInt32.self)) }

    @inlinable var heapOffset: Int { Int(raw.load(fromByteOffset: 8, as: UInt32.self)) }

    /// The slot of a long value's blob; `heap` is the start of the chunk's heap.
    @inlinable
    func blobSlot(heap: UnsafeRawPointer) -> Slot {
        Slot(raw: UnsafeMutableRawPointer(mutating: heap + heapOffset))
    }

    /// The bytes; `heap` is the start of the chunk's heap.
    @inlinable
    func bytes(heap: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        let length = length
        if length <= StringView.inlineMax {
            return UnsafeRawBufferPointer(start: UnsafeRawPointer(raw + 4), count: length)
        }
        if length <= StringView.heapMax {
            return UnsafeRawBufferPointer(start: heap + heapOffset, count: length)
        }
        return blobBytes(heap: heap)
    }

    /// The bytes of a long value. A blob that cannot be read is reported to the store, and reads as
    /// empty.
    @usableFromInline
    func blobBytes(heap: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        guard let blob = blobSlot(heap: heap).node(.any) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(rebasing: Blob.bytes(of: blob).prefix(length))
    }

    /// The first eight bytes, zero padded, as a number that orders as the bytes do.
    @inlinable
    func prefix(heap: UnsafeRawPointer) -> UInt64 {
        let length = length
        if length <= StringView.inlineMax {
            // Bytes after a short value are zero.
            return UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
        }
        let bytes = bytes(heap: heap)
        // Fewer only if a long value could not be read.
        return bytes.count < 8 ? 0 : UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    }
}

/// A node that holds one long string or data value.
@usableFromInline
enum Blob {
    @inlinable static var dataOffset: Int { 24 }

    // Unsafe: valid while the node lives.
    /// The bytes that a blob holds, with those that pad its image.
    static func bytes(of node: Node) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: node.raw + dataOffset, count: node.size - dataOffset)
    }

    static func make(
        _ bytes: UnsafeRawBufferPointer, account: Unmanaged<NodeAccount>
    ) -> Node {
        let node = Node.allocate(
            .blob, size: dataOffset + bytes.count, account: account, zeroed: false)
        // Unsafe: the node was allocated with room for exactly these bytes.
        UnsafeMutableRawBufferPointer(start: node.raw + dataOffset, count: bytes.count)
            .copyMemory(from: bytes)
        return node
    }
}

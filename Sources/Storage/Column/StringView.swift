/// How a chunk of strings or data refers to one value.
///
///     offset  size  content
///          0     4  length in bytes
///          4     4  the first four bytes
///          8     8  up to 12 bytes: the rest of them
///                   up to 255: offset into the chunk's heap (4 bytes)
///                   longer: pointer to a blob node, which the chunk owns a count of
@frozen @usableFromInline
struct StringView {
    // Unsafe: points to a view within a chunk that is alive while this value is used.
    @usableFromInline let raw: UnsafeMutableRawPointer

    @inlinable
    init(raw: UnsafeMutableRawPointer) { self.raw = raw }

    @inlinable static var size: Int { 16 }
    @inlinable static var inlineMax: Int { 12 }
    @inlinable static var heapMax: Int { 255 }

    @inlinable var length: Int { Int(raw.load(as: UInt32.self)) }

    var blob: Node? {
        length > StringView.heapMax
            ? Node(raw: raw.load(fromByteOffset: 8, as: UnsafeMutableRawPointer.self)) : nil
    }

    /// The bytes; `heap` is where the chunk's heap begins.
    @inlinable
    func bytes(heap: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        let length = length
        if length <= StringView.inlineMax {
            return UnsafeRawBufferPointer(start: UnsafeRawPointer(raw + 4), count: length)
        }
        if length <= StringView.heapMax {
            let offset = Int(raw.load(fromByteOffset: 8, as: UInt32.self))
            return UnsafeRawBufferPointer(start: heap + offset, count: length)
        }
        let blob = raw.load(fromByteOffset: 8, as: UnsafeRawPointer.self)
        return UnsafeRawBufferPointer(start: blob + Blob.dataOffset, count: length)
    }

    /// The first eight bytes, zero padded, as a number that orders as the bytes do.
    @inlinable
    func prefix(heap: UnsafeRawPointer) -> UInt64 {
        let length = length
        if length <= StringView.inlineMax {
            // Bytes behind a short value are zero.
            return UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
        }
        return UInt64(bigEndian: bytes(heap: heap).loadUnaligned(as: UInt64.self))
    }
}

/// A node that holds one long string or data value.
@usableFromInline
enum Blob {
    @inlinable static var dataOffset: Int { 24 }

    static func make(
        _ bytes: UnsafeRawBufferPointer, account: Unmanaged<NodeAccount>
    ) -> Node {
        let node = Node.allocate(
            .blob, size: dataOffset + bytes.count, account: account, zeroed: false)
        // Unsafe: the node was made with room for just these bytes.
        UnsafeMutableRawBufferPointer(start: node.raw + dataOffset, count: bytes.count)
            .copyMemory(from: bytes)
        return node
    }
}

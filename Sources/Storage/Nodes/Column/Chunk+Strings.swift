// Safety: all pointers here point into the allocation of the chunk's node, or to blobs that it
// retains, and are valid while the owner of the chunk lives. A view is written together with the
// bytes that it refers to; `ChunkCell.prepare` has reserved the space.

extension Chunk {
    @inlinable
    func stringView(_ index: Int) -> StringView {
        StringView(raw: data + index &* StringView.size)
    }

    @inlinable var heap: UnsafeMutableRawPointer { data + capacity &* StringView.size }

    /// The bytes of the string or data at `index`.
    @inlinable
    package func bytes(_ index: Int) -> UnsafeRawBufferPointer {
        stringView(index).bytes(heap: UnsafeRawPointer(heap))
    }

    /// A copy without heap bytes that no view refers to any more.
    func copyStrings(count: Int, capacity: Int, extra: Int) -> Chunk {
        var live = 0
        for index in 0..<count { live += StringView.heapSize(of: stringView(index).length) }
        let reserve = max(extra, live * (capacity - count) / max(count, 1))
        let copy = Chunk.make(
            .strings, width: StringView.size, capacity: capacity, heap: live + reserve,
            account: node.account)
        copy.data.copyMemory(from: data, byteCount: count * StringView.size)
        copy.used = count
        let source = UnsafeRawPointer(heap)
        var offset = 0
        for index in 0..<count {
            let view = copy.stringView(index)
            let length = view.length
            if length > StringView.heapMax {
                copy.heapUsed = offset
                copy.shareBlob(index, with: self, index)
                offset = copy.heapUsed
            } else if length > StringView.inlineMax {
                (copy.heap + offset).copyMemory(
                    from: stringView(index).bytes(heap: source).baseAddress.unsafelyUnwrapped,
                    byteCount: length)
                view.raw.storeBytes(of: UInt32(offset), toByteOffset: 8, as: UInt32.self)
                offset += length
            }
        }
        copy.heapUsed = offset
        return copy
    }

    /// Whether the heap has room to append, or bytes that no view refers to any more, such as those
    /// of deleted values.
    var holdsGarbage: Bool {
        var live = 0
        for index in 0..<used {
            let length = stringView(index).length
            // Slots of long values are aligned, so their unused bytes cannot be computed.
            if length > StringView.heapMax { return true }
            if length > StringView.inlineMax { live += length }
        }
        return heapUsed > live || heapCapacity > live + live / 8 + 64
    }

    /// Writes the view at `index` for the long value of `other` at `position`; both share its blob.
    /// The heap must have room.
    func shareBlob(_ index: Int, with other: Chunk, _ position: Int) {
        let view = other.stringView(position)
        let offset = alignHeap()
        Slot(raw: heap + offset).share(view.blobSlot(heap: UnsafeRawPointer(other.heap)))
        stringView(index).raw.copyMemory(from: view.raw, byteCount: StringView.size)
        stringView(index).raw.storeBytes(of: UInt32(offset), toByteOffset: 8, as: UInt32.self)
        heapUsed = offset + Slot.size
        node.flags |= Chunk.blobFlag
    }

    /// Aligns the heap for a slot; the padding is zeroed, since it is written to disk.
    private func alignHeap() -> Int {
        let offset = (heapUsed + 7) & ~7
        (heap + heapUsed)
            .initializeMemory(as: UInt8.self, repeating: 0, count: offset - heapUsed)
        return offset
    }

    /// Releases the blob of a long value at `index`.
    func dropBlob(_ index: Int) {
        let view = stringView(index)
        if view.length > StringView.heapMax {
            view.blobSlot(heap: UnsafeRawPointer(heap)).replace(with: nil)
        }
    }

    /// Writes the view at `index`, whose previous value was released, and its bytes.
    ///
    /// The heap must have room: ``ChunkCell/prepare(_:_:width:extra:)``.
    @inline(__always)
    func storeBytes(_ index: Int, _ bytes: UnsafeRawBufferPointer) {
        let view = data + index &* StringView.size
        let length = bytes.count
        view.storeBytes(of: 0, toByteOffset: 0, as: UInt64.self)
        view.storeBytes(of: 0, toByteOffset: 8, as: UInt64.self)
        view.storeBytes(of: UInt32(length), as: UInt32.self)
        guard let source = bytes.baseAddress, length > 0 else { return }
        if length <= StringView.inlineMax {
            (view + 4).copyMemory(from: source, byteCount: length)
            return
        }
        (view + 4).copyMemory(from: source, byteCount: 4)
        if length <= StringView.heapMax {
            let offset = heapUsed
            (heap + offset).copyMemory(from: source, byteCount: length)
            view.storeBytes(of: UInt32(offset), toByteOffset: 8, as: UInt32.self)
            heapUsed = offset + length
        } else {
            let offset = alignHeap()
            Slot(raw: heap + offset).put(Blob.make(bytes, account: node.account))
            view.storeBytes(of: UInt32(offset), toByteOffset: 8, as: UInt32.self)
            heapUsed = offset + Slot.size
            node.flags |= Chunk.blobFlag
        }
    }
}

extension ChunkCell {
    func setBytes(_ index: Int, _ bytes: UnsafeRawBufferPointer) {
        let length = bytes.count
        if length > StringView.heapMax, isRefused(length) {
            return setBytes(index, UnsafeRawBufferPointer(start: nil, count: 0))
        }
        let extra = StringView.heapSize(of: length)
        if chunk == nil {
            if length == 0 { return }
            makeZeros(
                .strings, width: StringView.size, count: index, heap: extra * 8)
        }
        // The blob flag of a shared chunk is only read when it is freed, never by readers, so an
        // append may set it in place.
        let chunk = prepare(index, .strings, width: StringView.size, extra: extra)
        if index == chunk.used {
            chunk.used = index + 1
        } else {
            chunk.dropBlob(index)
        }
        chunk.storeBytes(index, bytes)
    }

    /// Whether a value of this length exceeds the limit, which is recorded.
    private func isRefused(_ length: Int) -> Bool {
        account._withUnsafeGuaranteedRef { account in
            guard length > account.valueBytesMax else { return false }
            account.refuse(valueOf: length)
            return true
        }
    }
}

/// The strings or data of a column chunk, for loops that go over all of them.
@frozen @usableFromInline
package struct StringChunk {
    // Unsafe: points to at least as many views as the cluster has rows, while its owner lives.
    @usableFromInline let views: UnsafeMutableRawPointer
    @usableFromInline let heap: UnsafeRawPointer

    @inlinable
    init(_ chunk: Chunk) {
        views = chunk.data
        heap = UnsafeRawPointer(chunk.heap)
    }

    @inlinable
    func view(_ slot: Int) -> StringView { StringView(raw: views + slot &* StringView.size) }

    @inlinable
    package func utf8(_ slot: Int) -> UnsafeRawBufferPointer { view(slot).bytes(heap: heap) }

    @inlinable
    package func length(_ slot: Int) -> Int { view(slot).length }

    /// The start of a text: its length in the low half, and its first four bytes, zero padded, in
    /// the high one. A single load of the view.
    @inlinable
    @inline(__always)
    package func head(_ slot: Int) -> UInt64 {
        UInt64(
            littleEndian: (views + slot &* StringView.size).loadUnaligned(as: UInt64.self))
    }

    /// The first eight bytes, big-endian and zero padded: orders as the bytes do.
    @inlinable
    @inline(__always)
    package func prefix(_ slot: Int) -> UInt64 { view(slot).prefix(heap: heap) }
}

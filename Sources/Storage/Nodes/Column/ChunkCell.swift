/// The reference to a column's chunk, with the operations that write through it.
///
/// A cell is in a uniquely owned node (a cluster, or for list leaves a slot of a branch). After
/// each operation, the chunk may still be shared with snapshots, whose elements are unchanged; only
/// the writer's tree reaches the new contents.
struct ChunkCell {
    let slot: Slot
    /// The demand for a chunk that is only on disk, and its minimum number of elements.
    let shape: ChunkShape
    let count: Int
    // Unowned: the working tree retains the account.
    let account: Unmanaged<NodeAccount>

    private var node: Node? { slot.node(.chunk(shape, count: count)) }

    var chunk: Chunk? { node.map { Chunk(node: $0) } }

    /// Makes element `index` writable: `index == used` appends, less overwrites.
    ///
    /// Elements from `used` to `index` must exist already. `extra` is heap space that the caller
    /// is about to need.
    ///
    /// A chunk that cannot be read becomes zeros of the form that the caller writes: the store has
    /// failed then, and the transaction will not be committed.
    func prepare(_ index: Int, _ form: Chunk.Form, width: Int, extra: Int = 0) -> Chunk {
        let chunk = Chunk(node: node.unsafelyUnwrapped)
        let used = chunk.used
        let fits = chunk.heapUsed + extra <= chunk.heapCapacity || extra == 0
        if fits {
            if index == used, index < chunk.capacity { return chunk }
            if index < used, chunk.node.isUnique {
                chunk.node.forgetPlace()
                return chunk
            }
        }
        if MissingNode.isChunk(chunk.node) {
            return replaceMissing(chunk, form, width: width, heap: extra)
        }
        let count = max(used, index + 1)
        let copy = chunk.copy(
            count: used, capacity: Chunk.capacity(for: count), heapFor: extra)
        slot.replace(with: copy.node)
        return copy
    }

    private func replaceMissing(
        _ missing: Chunk, _ form: Chunk.Form, width: Int, heap: Int = 0
    ) -> Chunk {
        makeZeros(form, width: width, count: missing.used, heap: heap)
        return Chunk(node: slot.resident.unsafelyUnwrapped)
    }

    /// Resizes the chunk to exactly `count` elements: appends zeros, or truncates what a rolled
    /// back transaction has left.
    func align(to count: Int, nullable: Bool) {
        guard let chunk else { return }
        let used = chunk.used
        // The placeholder for an unreadable chunk is replaced when it is written.
        if used == count || MissingNode.isChunk(chunk.node) { return }
        if used > count {
            if chunk.node.isUnique {
                chunk.truncate(to: count)
            } else {
                let capacity = Chunk.capacity(for: count + 1)
                slot.replace(with: chunk.copy(count: count, capacity: capacity).node)
            }
            return
        }
        for index in used..<count { appendZero(index, nullable: nullable) }
    }

    /// Appends the value that an untouched row has: zero, empty, or the filler under a null bit.
    private func appendZero(_ index: Int, nullable: Bool) {
        guard let chunk, !MissingNode.isChunk(chunk.node) else { return }
        if chunk.form == .integers {
            if nullable { appendFiller(index) } else { setInt(index, 0) }
            return
        }
        appendFiller(index)
    }

    /// Appends bytes of zero: of an integer the base, of anything else zero or empty.
    private func appendFiller(_ index: Int) {
        guard let present = chunk else { return }
        let width = present.width
        let chunk = prepare(index, present.form, width: width)
        (chunk.data + index * width).initializeMemory(as: UInt8.self, repeating: 0, count: width)
        chunk.used = index + 1
    }

    /// Zeroes the bytes of a numeric element: for an integer, that means the base.
    func clear(_ index: Int) {
        guard let present = chunk, !MissingNode.isChunk(present.node) else { return }
        let width = present.width
        let chunk = prepare(index, present.form, width: width)
        (chunk.data + index * width).initializeMemory(as: UInt8.self, repeating: 0, count: width)
    }

    // MARK: Integers

    func setInt(_ index: Int, _ value: Int64) {
        guard let chunk else {
            if value == 0 { return }
            makeIntegers(zeros: index, then: value)
            return
        }
        if MissingNode.isChunk(chunk.node) {
            makeZeros(.integers, width: 8, count: chunk.used)
            return setInt(index, value)
        }
        guard chunk.fits(value) else {
            let copy = chunk.copyIntegers(count: chunk.used, including: value, at: index)
            return slot.replace(with: copy.node)
        }
        let writable = prepare(index, .integers, width: chunk.width)
        _ = writable.storeInt(index, value)
        if index == writable.used { writable.used = index + 1 }
    }

    private func makeIntegers(zeros: Int, then value: Int64) {
        let low = zeros == 0 ? value : min(0, value)
        let high = zeros == 0 ? value : max(0, value)
        let chunk = Chunk.makeIntegers(
            low: low, high: high, capacity: Chunk.capacity(for: zeros + 1), account: account)
        for index in 0..<zeros { _ = chunk.storeInt(index, 0) }
        _ = chunk.storeInt(zeros, value)
        chunk.used = zeros + 1
        slot.put(chunk.node)
    }

    // MARK: Floats, doubles, UUIDs

    func setFixed<T: BitwiseCopyable>(_ index: Int, _ value: T) {
        let width = MemoryLayout<T>.size
        if node == nil { makeZeros(.fixed, width: width, count: index) }
        let chunk = prepare(index, .fixed, width: width)
        chunk.data.storeBytes(of: value, toByteOffset: index &* width, as: T.self)
        if index == chunk.used { chunk.used = index + 1 }
    }

    // Unsafe: lent for the call, which copies the bytes.
    /// The same for the bytes of a value.
    func setFixed(_ index: Int, bytes: UnsafeRawBufferPointer) {
        let width = bytes.count
        if node == nil { makeZeros(.fixed, width: width, count: index) }
        let chunk = prepare(index, .fixed, width: width)
        UnsafeMutableRawBufferPointer(start: chunk.data + index &* width, count: width)
            .copyMemory(from: bytes)
        if index == chunk.used { chunk.used = index + 1 }
    }

    /// Stores a chunk of `count` zero elements.
    func makeZeros(_ form: Chunk.Form, width: Int, count: Int, heap: Int = 0) {
        let chunk = Chunk.make(
            form, width: width, capacity: Chunk.capacity(for: count + 1), heap: heap,
            account: account)
        chunk.data.initializeMemory(as: UInt8.self, repeating: 0, count: count * width)
        chunk.used = count
        slot.put(chunk.node)
    }

    // MARK: Slots of containers

    /// The slot of element `index` of `count`, in a uniquely owned chunk: a slot that a snapshot
    /// uses must not change in place.
    func writableSlot(_ index: Int, of count: Int) -> Slot {
        if node == nil { makeZeros(.slots, width: Slot.size, count: count) }
        align(to: count, nullable: false)
        return prepareShared(index).slot(index)
    }

    private func prepareShared(_ index: Int) -> Chunk {
        let chunk = Chunk(node: node.unsafelyUnwrapped)
        if chunk.node.isUnique {
            chunk.node.forgetPlace()
            return chunk
        }
        if MissingNode.isChunk(chunk.node) {
            return replaceMissing(chunk, .slots, width: Slot.size)
        }
        let copy = chunk.copy(count: chunk.used, capacity: Chunk.capacity(for: chunk.used))
        slot.replace(with: copy.node)
        return copy
    }
}

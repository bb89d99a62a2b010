/// A run of values of one column: up to 256 rows of a cluster, or the elements of a list leaf.
///
///     offset  size  content
///          0    24  node header; level = element width, flags = form and blob flag
///         24     8  base that integers add to their stored offset
///         32     4  used: elements written
///         36     4  capacity in elements
///         40     4  heap bytes used
///         44     4  heap bytes reserved
///         48     -  elements, then the heap of strings too long for their view
///
/// Integers are stored as offsets from a base in 1, 2, 4 or 8 bytes; floats, doubles and UUIDs
/// plainly; strings and data as views (``StringChunk``); containers as slots to their own trees.
///
/// Appending in place. A chunk may be shared with snapshots and still get new elements after
/// `used`: every cluster that shares it has at most `used` rows, so no reader accesses them. Only
/// the writer reads or changes `used` and the heap counters.
@frozen @usableFromInline
package struct Chunk {
    @usableFromInline let node: Node

    @inlinable
    init(node: Node) { self.node = node }

    enum Form: UInt32 {
        case integers = 0
        case fixed
        case strings
        case slots
    }

    static let elementsMax = 256
    @inlinable static var dataOffset: Int { 48 }
    static let blobFlag: UInt32 = 0x100

    // Unsafe: within the allocation of the node, which holds `capacity` elements from here on.
    @inlinable var data: UnsafeMutableRawPointer { node.raw + Chunk.dataOffset }

    var form: Form { Form(rawValue: node.flags & 0xFF).unsafelyUnwrapped }

    @inlinable var base: Int64 {
        get { node.raw.load(fromByteOffset: 24, as: Int64.self) }
        nonmutating set { node.raw.storeBytes(of: newValue, toByteOffset: 24, as: Int64.self) }
    }

    /// Elements written; meaningful to the writer, and to readers of list leaves.
    @inlinable var used: Int {
        get { Int(node.raw.load(fromByteOffset: 32, as: UInt32.self)) }
        nonmutating set {
            node.raw.storeBytes(
                of: UInt32(truncatingIfNeeded: newValue), toByteOffset: 32, as: UInt32.self)
        }
    }

    @inlinable var capacity: Int { Int(node.raw.load(fromByteOffset: 36, as: UInt32.self)) }

    var heapUsed: Int {
        get { Int(node.raw.load(fromByteOffset: 40, as: UInt32.self)) }
        nonmutating set {
            node.raw.storeBytes(of: UInt32(newValue), toByteOffset: 40, as: UInt32.self)
        }
    }

    var heapCapacity: Int { Int(node.raw.load(fromByteOffset: 44, as: UInt32.self)) }

    @inlinable var width: Int { Int(node.level) }

    static func make(
        _ form: Form, width: Int, capacity: Int, heap: Int = 0, account: Unmanaged<NodeAccount>
    ) -> Chunk {
        // Rounded up to the granularity of the allocator.
        let size = (dataOffset + width * capacity + heap + 15) & ~15
        let node = Node.allocate(.chunk, size: size, account: account, zeroed: form == .slots)
        let heapCapacity = form == .strings ? size - dataOffset - width * capacity : 0
        node.level = UInt8(width)
        node.flags = form.rawValue
        node.raw.storeBytes(of: 0, toByteOffset: 24, as: Int64.self)
        node.raw.storeBytes(of: 0, toByteOffset: 32, as: UInt32.self)
        node.raw.storeBytes(of: UInt32(capacity), toByteOffset: 36, as: UInt32.self)
        node.raw.storeBytes(of: 0, toByteOffset: 40, as: UInt32.self)
        node.raw.storeBytes(of: UInt32(heapCapacity), toByteOffset: 44, as: UInt32.self)
        return Chunk(node: node)
    }

    /// A chunk for the same kind of values with the first `count` elements of this one.
    func copy(count: Int, capacity: Int, heapFor extra: Int = 0) -> Chunk {
        switch form {
        case .strings: return copyStrings(count: count, capacity: capacity, extra: extra)
        case .integers, .fixed, .slots:
            let copy = Chunk.make(form, width: width, capacity: capacity, account: node.account)
            copy.base = base
            copy.used = count
            copy.data.copyMemory(from: data, byteCount: count * width)
            if form == .slots { copy.forEachSlot { $0.resident?.retain() } }
            return copy
        }
    }

    /// The capacity to reserve for `count` elements, with room to append.
    static func capacity(for count: Int) -> Int {
        var capacity = 8
        while capacity < count { capacity *= 2 }
        return min(capacity, max(elementsMax, count))
    }

    func forEachSlot(_ body: (Slot) -> Void) { forEachSlot(of: used, body) }

    /// As ``forEachSlot(_:)``, for the first `count` elements.
    func forEachSlot(of count: Int, _ body: (Slot) -> Void) {
        switch form {
        case .integers, .fixed: return
        case .slots: node.visit(Chunk.dataOffset, count, body)
        case .strings:
            guard node.flags & Chunk.blobFlag != 0 else { return }
            for index in 0..<count {
                let view = stringView(index)
                guard view.length > StringView.heapMax else { continue }
                body(view.blobSlot(heap: UnsafeRawPointer(heap)))
            }
        }
    }

    /// Removes the elements from `count` on. The chunk must be uniquely owned.
    func truncate(to count: Int) {
        node.forgetPlace()
        switch form {
        case .integers, .fixed: break
        case .slots: for index in count..<used { slot(index).replace(with: nil) }
        case .strings:
            for index in count..<used { dropBlob(index) }
        }
        used = count
    }

    func slot(_ index: Int) -> Slot { Slot(raw: data + index &* Slot.size) }
}

public import Synchronization

/// A reference to a child in a node.
///
///     offset  size  content
///          0     8  in memory: pointer to the child; or, with the lowest bit set, to the store's
///                   account, while the child is only on disk; or null. On disk: 0
///          8     8  address of the child in the page files, 0 when there is no child
///         16     4  length of the child's image
///         20     1  kind of the child
///         21     1  1 when the child can have children itself
///         22     2  zero
///         24     8  hash of the child's image
///
/// A slot retains the child that it points to. The fields after the pointer are only valid while
/// the child is not resident: a resident child has its own ``Node/place``.
///
/// A reader that finds the child only on disk loads it and stores the pointer by compare-and-swap;
/// in a shared node, pointers are only ever added.
@frozen @usableFromInline
struct Slot {
    // Unsafe: points into a node that is alive while this value is used.
    @usableFromInline let raw: UnsafeMutableRawPointer

    @inlinable
    init(raw: UnsafeMutableRawPointer) { self.raw = raw }

    @inlinable static var size: Int { 32 }

    // Unsafe: the first word of a slot is only used as an atomic once the node is shared.
    @inlinable var word: UnsafeMutablePointer<Atomic<UInt>> {
        raw.assumingMemoryBound(to: Atomic<UInt>.self)
    }

    /// The child, borrowed from the slot; nil if there is none. A child that is only on disk is
    /// loaded first, and attached if it meets `demand`; a failure latches in the account, and a
    /// ``MissingNode`` is returned.
    @inline(__always)
    func node(_ demand: @autoclosure () -> NodeDemand) -> Node? {
        let word = word.pointee.load(ordering: .acquiring)
        if word & 1 != 0 { return load(demand()) }
        return UnsafeMutableRawPointer(bitPattern: word).map { Node(raw: $0) }
    }

    /// The child if it is resident, borrowed.
    @inlinable var resident: Node? {
        let word = word.pointee.load(ordering: .acquiring)
        if word & 1 != 0 { return nil }
        return UnsafeMutableRawPointer(bitPattern: word).map { Node(raw: $0) }
    }

    /// Whether there is no child at all.
    var isEmpty: Bool { word.pointee.load(ordering: .acquiring) == 0 }

    /// The place of the child on disk; nil if there is none, or the child is not clean.
    var place: NodePlace? {
        let word = word.pointee.load(ordering: .acquiring)
        if word & 1 == 0 { return resident?.place }
        return storedPlace
    }

    /// The address in the fields after the pointer, 0 if there is no child.
    var storedAddress: UInt64 { raw.load(fromByteOffset: 8, as: UInt64.self) }

    /// The place in the fields after the pointer.
    var storedPlace: NodePlace? {
        NodePlace(
            address: storedAddress,
            length: raw.load(fromByteOffset: 16, as: UInt32.self),
            tag: raw.load(fromByteOffset: 20, as: UInt32.self),
            hash: raw.load(fromByteOffset: 24, as: UInt64.self))
    }

    /// Writes the fields after the pointer; for images, and for slots that are not shared.
    func store(_ place: NodePlace?) {
        raw.storeBytes(of: place?.address.rawValue ?? 0, toByteOffset: 8, as: UInt64.self)
        raw.storeBytes(of: place?.length ?? 0, toByteOffset: 16, as: UInt32.self)
        raw.storeBytes(of: place?.tag ?? 0, toByteOffset: 20, as: UInt32.self)
        raw.storeBytes(of: place?.hash ?? 0, toByteOffset: 24, as: UInt64.self)
    }

    /// Makes a slot of a node just read refer to its child on disk.
    func attach(to account: Unmanaged<NodeAccount>) {
        raw.storeBytes(
            of: storedAddress == 0 ? 0 : UInt(bitPattern: account.toOpaque()) | 1, as: UInt.self)
    }

    func load(_ demand: NodeDemand) -> Node? {
        let tagged = word.pointee.load(ordering: .acquiring)
        guard tagged & 1 != 0, let account = UnsafeRawPointer(bitPattern: tagged & ~1) else {
            return resident
        }
        guard let place = storedPlace else { return nil }
        let read = Unmanaged<NodeAccount>.fromOpaque(account)._withUnsafeGuaranteedRef {
            $0.loadToAttach(place, demand)
        }
        guard let loaded = read else { return demand.missing(place.kind) }
        return attach(loaded, replacing: tagged)
    }

    /// Stores `node`, which takes over the caller's retain, and releases the previous child.
    func replace(with node: Node?) {
        let old = resident
        put(node)
        old?.release()
    }

    /// Stores `node` without releasing a previous child.
    func put(_ node: Node?) {
        raw.storeBytes(of: node?.raw, as: UnsafeMutableRawPointer?.self)
        (raw + 8).initializeMemory(as: UInt8.self, repeating: 0, count: Slot.size - 8)
    }

    /// Makes this slot, which is not shared, refer to the child of `other`.
    func share(_ other: Slot) {
        raw.copyMemory(from: other.raw, byteCount: Slot.size)
        resident?.retain()
    }

    /// The child for editing: copied first if a snapshot shares it. Nil if there is none, and if it
    /// cannot be read: then the edit is skipped, because the transaction will not be committed.
    ///
    /// The node of the slot must be uniquely owned.
    func uniqueNode(_ demand: @autoclosure () -> NodeDemand) -> Node? {
        guard let node = node(demand()) else { return nil }
        if node.isUnique {
            node.forgetPlace()
            return node
        }
        if MissingNode.isPlaceholder(node) { return nil }
        let copy = node.clone()
        put(copy)
        node.release()
        return copy
    }

    /// Removes the child, and hands its retain to the caller.
    func take(_ demand: @autoclosure () -> NodeDemand) -> Node? {
        let node = node(demand())
        // A placeholder is not retained by its slot.
        if let node, MissingNode.isPlaceholder(node) { node.retain() }
        put(nil)
        return node
    }
}

public import Synchronization

/// The place in a node that refers to a child.
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
/// A slot owns one count of the child it points to. The fields behind the pointer speak only while
/// the child is on disk alone: a child in memory knows itself where it stands (``Node/place``).
///
/// A reader that finds the child only on disk loads it and puts the pointer here, by
/// compare-and-swap; pointers are only ever added to a node that others may see.
@frozen @usableFromInline
struct Slot {
    // Unsafe: points into a node that is alive while this value is used.
    @usableFromInline let raw: UnsafeMutableRawPointer

    @inlinable
    init(raw: UnsafeMutableRawPointer) { self.raw = raw }

    @inlinable static var size: Int { 32 }

    // Unsafe: the first word of a slot is only ever used as an atomic once others may see it.
    @inlinable var word: UnsafeMutablePointer<Atomic<UInt>> {
        raw.assumingMemoryBound(to: Atomic<UInt>.self)
    }

    /// The child, borrowed: the slot keeps its count; nil when there is none. One that is only on
    /// disk is loaded first, and attached if it is what `demand` says; when that fails, which the
    /// account then knows, a ``MissingNode`` stands in for it.
    @inline(__always)
    func node(_ demand: @autoclosure () -> NodeDemand) -> Node? {
        let word = word.pointee.load(ordering: .acquiring)
        if word & 1 != 0 { return load(demand()) }
        return UnsafeMutableRawPointer(bitPattern: word).map { Node(raw: $0) }
    }

    /// The child if it is in memory, borrowed.
    @inlinable var resident: Node? {
        let word = word.pointee.load(ordering: .acquiring)
        if word & 1 != 0 { return nil }
        return UnsafeMutableRawPointer(bitPattern: word).map { Node(raw: $0) }
    }

    /// Whether there is no child at all.
    var isEmpty: Bool { word.pointee.load(ordering: .acquiring) == 0 }

    /// Where the child stands on disk: nil when there is none, or when it changed since.
    var place: NodePlace? {
        let word = word.pointee.load(ordering: .acquiring)
        if word & 1 == 0 { return resident?.place }
        return storedPlace
    }

    /// What the fields behind the pointer say of the child's address, 0 when there is no child.
    var storedAddress: UInt64 { raw.load(fromByteOffset: 8, as: UInt64.self) }

    /// What the fields behind the pointer say.
    var storedPlace: NodePlace? {
        NodePlace(
            address: storedAddress,
            length: raw.load(fromByteOffset: 16, as: UInt32.self),
            tag: raw.load(fromByteOffset: 20, as: UInt32.self),
            hash: raw.load(fromByteOffset: 24, as: UInt64.self))
    }

    /// Writes the fields behind the pointer; for images, and for slots that nobody else sees.
    func store(_ place: NodePlace?) {
        raw.storeBytes(of: place?.address.rawValue ?? 0, toByteOffset: 8, as: UInt64.self)
        raw.storeBytes(of: place?.length ?? 0, toByteOffset: 16, as: UInt32.self)
        raw.storeBytes(of: place?.tag ?? 0, toByteOffset: 20, as: UInt32.self)
        raw.storeBytes(of: place?.hash ?? 0, toByteOffset: 24, as: UInt64.self)
    }

    /// Makes a slot of a node just read from disk refer to its child there.
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

    /// Puts `node` here, taking over the caller's count, and gives up the count of what stood here.
    func replace(with node: Node?) {
        let old = resident
        put(node)
        old?.release()
    }

    /// Puts `node` here without looking at what stood here.
    func put(_ node: Node?) {
        raw.storeBytes(of: node?.raw, as: UnsafeMutableRawPointer?.self)
        (raw + 8).initializeMemory(as: UInt8.self, repeating: 0, count: Slot.size - 8)
    }

    /// Makes this slot, which nobody else sees, refer to the child that `other` refers to.
    func share(_ other: Slot) {
        raw.copyMemory(from: other.raw, byteCount: Slot.size)
        resident?.retain()
    }

    /// The child, made the writer's own and about to be edited: copied first when a snapshot shares
    /// it. Nil when there is none, and when it cannot be read: then what was to be written below is
    /// left out, because nothing of a transaction that met this is kept.
    ///
    /// The node that holds the slot must itself be the writer's own.
    func uniqueNode(_ demand: @autoclosure () -> NodeDemand) -> Node? {
        guard let node = node(demand()) else { return nil }
        if node.isUnique {
            node.forgetPlace()
            return node
        }
        if MissingNode.standsIn(node) { return nil }
        let copy = node.clone()
        put(copy)
        node.release()
        return copy
    }

    /// Takes the child out, handing its count to the caller.
    func take(_ demand: @autoclosure () -> NodeDemand) -> Node? {
        let node = node(demand())
        // Nobody owns a count of what stands in for a node.
        if let node, MissingNode.standsIn(node) { node.retain() }
        put(nil)
        return node
    }
}

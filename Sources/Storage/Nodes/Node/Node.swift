import Synchronization

/// The kind of a node, which determines its contents and children.
package enum NodeKind: UInt8, Sendable {
    case chunk = 1
    case cluster
    case clusterBranch
    case indexLeaf
    case indexBranch
    case sequenceBranch
    case blob
    case map
    case classRoot
    case storeRoot
}

/// A counted reference to a node of the tree: raw memory with a header of 24 bytes.
///
///     offset  size  content
///          0     4  reference count (atomic)
///          4     1  kind
///          5     1  level: height of a branch, element width of a chunk
///          6     2  count: children, entries
///          8     4  size in bytes, header included
///         12     4  flags, by kind
///         16     8  account (unmanaged)
///
/// The header is preceded by 32 bytes that exist only in memory, with the node's place in the page
/// files:
///
///        -32     8  address (atomic), 0 while the node is not on disk as it is
///        -24     8  hash of its image
///        -16     4  length of its image
///        -12     4  `used` of a chunk when its image was written
///         -8     4  its claim of the memory budget, in units of 8 bytes
///         -4     4  the slab that its memory is of (``NodeMemory``)
///
/// Invariants. A `Node` value does not retain; slots in other nodes and the owners of roots do. A
/// node whose count is one and that is reached through unshared parents is uniquely owned by the
/// writer and may be edited; every other node is immutable, with one exception that ``Chunk``
/// documents (appending after the elements that snapshots use).
@frozen @usableFromInline
package struct Node: Equatable {
    // Unsafe: points to a live allocation of at least `size` bytes while the count is positive;
    // readers retain the node, or borrow it from an owner that does.
    @usableFromInline let raw: UnsafeMutableRawPointer

    @inlinable
    init(raw: UnsafeMutableRawPointer) { self.raw = raw }

    static let headerSize = 24
    static let prefixSize = 32

    static func allocate(
        _ kind: NodeKind, size: Int, account: Unmanaged<NodeAccount>, zeroed: Bool = true
    ) -> Node {
        let raw =
            account._withUnsafeGuaranteedRef { account in
                account.add(bytes: footprint(size))
                return account.memory.allocate(prefixSize + size)
            } + prefixSize
        if zeroed { raw.initializeMemory(as: UInt8.self, repeating: 0, count: size) }
        (raw - prefixSize).bindMemory(to: Atomic<UInt64>.self, capacity: 1)
            .initialize(to: Atomic(0))
        (raw.bindMemory(to: Atomic<UInt32>.self, capacity: 1)).initialize(to: Atomic(1))
        raw.storeBytes(of: kind.rawValue, toByteOffset: 4, as: UInt8.self)
        raw.storeBytes(of: 0, toByteOffset: 5, as: UInt8.self)
        raw.storeBytes(of: 0, toByteOffset: 6, as: UInt16.self)
        raw.storeBytes(of: UInt32(size), toByteOffset: 8, as: UInt32.self)
        raw.storeBytes(of: 0, toByteOffset: 12, as: UInt32.self)
        raw.storeBytes(of: account, toByteOffset: 16, as: Unmanaged<NodeAccount>.self)
        (raw - 8).storeBytes(of: 0, as: UInt32.self)
        return Node(raw: raw)
    }

    /// Bytes of memory that a node of `size` bytes takes, including the overhead of its allocation.
    static func footprint(_ size: Int) -> Int { NodeMemory.footprint(prefixSize + size) }

    /// Frees the memory of a node of `size` bytes.
    private static func deallocate(
        _ raw: UnsafeMutableRawPointer, size: Int, account: Unmanaged<NodeAccount>
    ) {
        account._withUnsafeGuaranteedRef { account in
            account.memory.deallocate(raw - prefixSize, prefixSize + size)
            account.remove(bytes: footprint(size))
        }
    }

    private var references: UnsafeMutablePointer<Atomic<UInt32>> {
        raw.assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    var kind: NodeKind {
        // Every node is created by `allocate`, which takes a kind.
        NodeKind(rawValue: raw.load(fromByteOffset: 4, as: UInt8.self)).unsafelyUnwrapped
    }

    /// Whether the node is of `kind`, by one comparison.
    @inline(__always)
    func isKind(_ kind: NodeKind) -> Bool {
        raw.load(fromByteOffset: 4, as: UInt8.self) == kind.rawValue
    }

    @inlinable var level: UInt8 {
        get { raw.load(fromByteOffset: 5, as: UInt8.self) }
        nonmutating set { raw.storeBytes(of: newValue, toByteOffset: 5, as: UInt8.self) }
    }

    @inlinable var count: Int {
        get { Int(raw.load(fromByteOffset: 6, as: UInt16.self)) }
        nonmutating set {
            raw.storeBytes(
                of: UInt16(truncatingIfNeeded: newValue), toByteOffset: 6, as: UInt16.self)
        }
    }

    var size: Int { Int(raw.load(fromByteOffset: 8, as: UInt32.self)) }

    var flags: UInt32 {
        get { raw.load(fromByteOffset: 12, as: UInt32.self) }
        nonmutating set { raw.storeBytes(of: newValue, toByteOffset: 12, as: UInt32.self) }
    }

    /// Prefetches the memory at `offset`.
    ///
    /// With a relaxed load whose value is not used: the compiler must not remove it, and the
    /// processor does not wait for it.
    @inline(__always)
    func prefetch(_ offset: Int) {
        _ = (raw + offset).assumingMemoryBound(to: Atomic<UInt8>.self).pointee
            .load(ordering: .relaxed)
    }

    var account: Unmanaged<NodeAccount> {
        raw.load(fromByteOffset: 16, as: Unmanaged<NodeAccount>.self)
    }

    private var address: UnsafeMutablePointer<Atomic<UInt64>> {
        (raw - Node.prefixSize).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// The place of the node in the page files; nil unless it is clean.
    ///
    /// A chunk that was appended to differs from its image although its place is still set:
    /// appending does not modify the header of a shared chunk.
    var place: NodePlace? {
        get {
            guard let place = imagePlace else { return nil }
            let used = (raw - 12).load(as: UInt32.self)
            return kind == .chunk && Int(used) != Chunk(node: self).used ? nil : place
        }
    }

    /// The place of its image, also of a chunk that was appended to since: a clean parent refers to
    /// that.
    var imagePlace: NodePlace? {
        let address = PageAddress(address.pointee.load(ordering: .acquiring))
        guard address != .none else { return nil }
        return NodePlace(
            address: address, length: (raw - 16).load(as: UInt32.self),
            hash: (raw - 24).load(as: UInt64.self), kind: kind, hasSlots: hasSlots)
    }

    /// Sets the node's place in the page files, with `used` elements if it is a chunk. Called while
    /// a snapshot shares the node, by the code that has written or read it.
    func setPlace(_ place: NodePlace, used: Int) {
        (raw - 24).storeBytes(of: place.hash, as: UInt64.self)
        (raw - 16).storeBytes(of: place.length, as: UInt32.self)
        (raw - 12).storeBytes(of: UInt32(used), as: UInt32.self)
        address.pointee.store(place.address.rawValue, ordering: .releasing)
    }

    /// Clears the place, because the node is about to be edited. It must be uniquely owned.
    func forgetPlace() {
        if address.pointee.load(ordering: .relaxed) != 0 {
            address.pointee.store(0, ordering: .relaxed)
        }
    }

    /// Bytes that the node claims of the memory budget, for itself and the nodes below it. Set
    /// once, before the node is shared.
    var charge: Int {
        get { Int((raw - 8).load(as: UInt32.self)) * 8 }
        nonmutating set { (raw - 8).storeBytes(of: UInt32(newValue / 8), as: UInt32.self) }
    }

    /// Whether exactly one slot or owner refers to this node.
    var isUnique: Bool { references.pointee.load(ordering: .acquiring) == 1 }

    func retain() { references.pointee.wrappingAdd(1, ordering: .relaxed) }

    /// Releases the node; the last release frees it and releases its children.
    func release() {
        if references.pointee.wrappingSubtract(1, ordering: .acquiringAndReleasing).oldValue == 1 {
            destroy()
        }
    }

    private func destroy() {
        forEachChild { $0.release() }
        let charge = charge
        if charge > 0 { account._withUnsafeGuaranteedRef { $0.budget.removeClaim(charge) } }
        Node.deallocate(raw, size: size, account: account)
    }

    /// The header fields that reading an image would overwrite.
    struct SavedHeader {
        fileprivate let references: UInt32
        fileprivate let account: Unmanaged<NodeAccount>
        fileprivate let size: Int
    }

    func saveHeader() -> SavedHeader {
        SavedHeader(references: 1, account: account, size: size)
    }

    /// Restores the header fields that are only valid in memory.
    func restoreHeader(_ header: SavedHeader) {
        raw.storeBytes(of: header.references, as: UInt32.self)
        raw.storeBytes(of: UInt32(header.size), toByteOffset: 8, as: UInt32.self)
        raw.storeBytes(of: header.account, toByteOffset: 16, as: Unmanaged<NodeAccount>.self)
    }

    /// Frees a node whose image is damaged, without accessing its contents.
    func discard(_ header: SavedHeader) {
        Node.deallocate(raw, size: header.size, account: header.account)
    }

    /// A retained copy with equal contents; the children are shared.
    func clone() -> Node {
        let copy = Node.allocate(kind, size: size, account: account, zeroed: false)
        let header = 5
        copy.raw.storeBytes(of: level, toByteOffset: header, as: UInt8.self)
        copy.count = count
        copy.flags = flags
        (copy.raw + Node.headerSize).copyMemory(
            from: raw + Node.headerSize, byteCount: size - Node.headerSize)
        copy.forEachChild { $0.retain() }
        let charge = charge
        if charge > 0 {
            copy.charge = charge
            account._withUnsafeGuaranteedRef { $0.budget.addClaim(charge) }
        }
        return copy
    }

    /// Calls `body` for each resident child.
    func forEachChild(_ body: (Node) -> Void) {
        forEachSlot { slot in
            if let child = slot.resident { body(child) }
        }
    }

    /// Whether the node can have children.
    var hasSlots: Bool {
        switch kind {
        case .indexLeaf, .blob: false
        case .chunk:
            Chunk(node: self).form == .slots
                || Chunk(node: self).form == .strings && flags & Chunk.blobFlag != 0
        case .cluster, .clusterBranch, .indexBranch, .sequenceBranch, .map, .classRoot, .storeRoot:
            true
        }
    }

    /// Calls `body` for each slot of the node, empty ones included.
    func forEachSlot(_ body: (Slot) -> Void) {
        switch kind {
        case .indexLeaf, .blob: return
        case .chunk: Chunk(node: self).forEachSlot(body)
        case .cluster: Cluster(node: self).forEachSlot(body)
        case .clusterBranch: visit(ClusterBranch.slotsOffset, count, body)
        case .indexBranch: visit(IndexBranch.slotsOffset, count, body)
        case .sequenceBranch: visit(SequenceBranch.slotsOffset, count, body)
        case .map: visit(MapRoot.slotsOffset, 2, body)
        case .classRoot: ClassRoot(node: self).forEachSlot(body)
        case .storeRoot: visit(StoreRoot.slotsOffset, count, body)
        }
    }

    func visit(_ offset: Int, _ count: Int, _ body: (Slot) -> Void) {
        for index in 0..<count { body(slot(offset, index)) }
    }

    /// Moves the entries from `index` to `count` of the array at `offset` by one place.
    func openGap(_ offset: Int, stride: Int, at index: Int, count: Int) {
        let at = raw + offset + index * stride
        (at + stride).copyMemory(from: at, byteCount: (count - index) * stride)
    }

    /// Moves the entries after `index` of the array at `offset` by one place, over it.
    func closeGap(_ offset: Int, stride: Int, at index: Int, count: Int) {
        let at = raw + offset + index * stride
        at.copyMemory(from: at + stride, byteCount: (count - index - 1) * stride)
    }

    @inlinable
    func slot(_ offset: Int, _ index: Int) -> Slot {
        Slot(raw: raw + offset + index &* Slot.size)
    }
}

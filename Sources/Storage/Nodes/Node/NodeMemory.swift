import Synchronization

/// The allocator of one store's nodes, which places nodes of similar size side by side.
///
/// A scan reads the chunks of one column in all clusters. They have about the same size, but are
/// allocated alternately with those of other columns: a general allocator scatters them, and a scan
/// then has a cache and TLB miss at every cluster. Here each size class, of 64 bytes, has slabs of
/// its own (``NodeSlabs``). Larger nodes use the system's allocator.
final class NodeMemory: Sendable {
    /// The largest block of a slab.
    private static let blockMax = 16 << 10
    /// The offset in a block of the number of its slab, which the user of the block must not
    /// change.
    private static let slabOffset = 28

    private let slabs = Mutex(NodeSlabs(blockMax: blockMax))

    /// Whether blocks end at an inaccessible page, so that tests and fuzzers detect reads beyond a
    /// node. They are aligned to 8 then.
    private let isGuarded: Bool
    private let slabBytesMax: Int

    init(isGuarded: Bool = false) {
        self.isGuarded = isGuarded
        slabBytesMax = isGuarded ? 0 : Self.blockMax
    }

    deinit { slabs.withLock { $0.releaseAll() } }

    /// Bytes of address space reserved for slabs.
    var reservedBytes: Int { slabs.withLock { $0.reservedBytes } }

    /// Bytes of slabs that were not returned to the system.
    var heldBytes: Int { slabs.withLock { $0.heldBytes } }

    /// Bytes of memory that a block for `byteCount` bytes takes.
    static func footprint(_ byteCount: Int) -> Int {
        if byteCount <= blockMax { return NodeSlabs.blockSize(for: byteCount) }
        // Includes the header of the system's allocator.
        return (byteCount + 8 + 15) & ~15
    }

    /// An uninitialized block of `byteCount` bytes, aligned to 16. Bytes 28 to 31 are reserved.
    func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        guard byteCount <= slabBytesMax else {
            if isGuarded, let block = Platform.reserveGuardedMemory(byteCount.roundedUpTo8) {
                return block
            }
            precondition(!isGuarded, "No memory with guards is left")
            return .allocate(byteCount: byteCount, alignment: 16)
        }
        let block = slabs.withLock { $0.take(byteCount) }
        block.start.storeBytes(of: block.slab, toByteOffset: Self.slabOffset, as: UInt32.self)
        return block.start
    }

    /// Frees a block that was allocated here with the same `byteCount`.
    func deallocate(_ block: UnsafeMutableRawPointer, _ byteCount: Int) {
        guard byteCount <= slabBytesMax else {
            if isGuarded {
                return Platform.releaseGuardedMemory(block, byteCount.roundedUpTo8)
            }
            return block.deallocate()
        }
        let slab = block.load(fromByteOffset: Self.slabOffset, as: UInt32.self)
        let block = NodeSlabs.Block(start: block, slab: slab)
        slabs.withLock { $0.give(block) }
    }
}

import Synchronization

/// The memory of one store's nodes, in which those of a size lie beside each other.
///
/// A scan reads the chunk that each cluster has of one column. The chunks of a column have about
/// the same size, but are made in turns with those of the other columns: an allocator that serves
/// all sizes from one place scatters them, and a scan then waits for memory and for the page tables
/// at every cluster. Here each size class, of 64 bytes, fills slabs of its own (``NodeSlabs``).
/// Nodes too large for that get their memory from the system's allocator.
final class NodeMemory: Sendable {
    /// The largest block that comes out of a slab.
    private static let blockMax = 16 << 10
    /// Where a block has the number of its slab, which the user of the block leaves alone.
    private static let slabOffset = 28

    private let slabs = Mutex(NodeSlabs(blockMax: blockMax))

    /// Whether blocks end at a page that nobody may touch, so that tests and fuzzers notice who
    /// reads beyond a node. They are aligned to 8 then.
    private let isGuarded: Bool
    private let slabBytesMax: Int

    init(isGuarded: Bool = false) {
        self.isGuarded = isGuarded
        slabBytesMax = isGuarded ? 0 : Self.blockMax
    }

    deinit { slabs.withLock { $0.releaseAll() } }

    /// Bytes of addresses that are reserved for slabs.
    var reservedBytes: Int { slabs.withLock { $0.reservedBytes } }

    /// Bytes of slabs that were not given back to the system.
    var heldBytes: Int { slabs.withLock { $0.heldBytes } }

    /// Bytes of memory that a block for `byteCount` bytes takes.
    static func footprint(_ byteCount: Int) -> Int {
        if byteCount <= blockMax { return NodeSlabs.blockSize(for: byteCount) }
        // With the word that the system's allocator puts before it.
        return (byteCount + 8 + 15) & ~15
    }

    /// A block of `byteCount` bytes with anything in them, aligned to 16. Those from the 28th to
    /// the 31st are not the caller's.
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

    /// Takes back a block that was allocated here for as many bytes.
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

/// Slabs of memory, each divided into blocks of one size.
///
/// Freed blocks are reused first, then unused ones, before another slab is begun. A slab without a
/// block in use can serve any size; all but a few of those return their memory to the system and
/// only keep the address space.
///
/// Invariants. Regions are reserved until ``releaseAll()``, so no slab is moved. Each slab is in
/// one of these states: full; in the list of its size class, with a free block; `warm` or `cold`,
/// with no block in use.
struct NodeSlabs {
    /// Bytes of a slab: enough to make the cost of a scan's jump to the next one negligible.
    private static let slabSize = 64 << 10
    /// Block sizes are multiples of this, the size of a cache line.
    private static let granule = 64
    /// The offset of the first block of a slab: the header of a node, after its prefix, then begins
    /// a cache line.
    private static let firstBlock = granule - Node.prefixSize
    /// The number of unused slabs that keep their memory.
    private static let warmMax = 16
    private static let firstRegionSlabs = 4
    private static let regionSlabsMax = 64

    // Safe to send: only the owner of a block uses it.
    struct Block: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        /// The number of its slab.
        let slab: UInt32
    }

    private struct Slab {
        // Unsafe: `base` begins `slabSize` bytes of a region. `free` is the first of a list of
        // blocks of this slab, each of which begins with the pointer to the next one.
        let base: UnsafeMutableRawPointer
        var free: UnsafeMutableRawPointer?
        var blockSize = 0
        var blocksInUse = 0
        /// Offset of the first block that was never used.
        var fresh = 0
        /// Neighbours in the list of the size class.
        var next: UInt32?
        var previous: UInt32?

        init(base: UnsafeMutableRawPointer) { self.base = base }

        var isFull: Bool { free == nil && fresh + blockSize > slabSize }

        mutating func begin(_ size: Int) {
            blockSize = size
            free = nil
            fresh = firstBlock
        }

        mutating func take() -> UnsafeMutableRawPointer {
            blocksInUse += 1
            if let block = free {
                free = block.load(as: UnsafeMutableRawPointer?.self)
                return block
            }
            defer { fresh += blockSize }
            return base + fresh
        }

        mutating func give(_ block: UnsafeMutableRawPointer) {
            block.storeBytes(of: free, as: UnsafeMutableRawPointer?.self)
            free = block
            blocksInUse -= 1
        }
    }

    private var slabs: [Slab] = []
    /// For each size class, the first slab with a free block.
    private var open: [UInt32?]
    private var warm: [UInt32] = []
    private var cold: [UInt32] = []
    private var regions: [UnsafeMutableRawBufferPointer] = []

    init(blockMax: Int) { open = Array(repeating: nil, count: blockMax / Self.granule + 1) }

    /// The size of the block for `byteCount` bytes.
    static func blockSize(for byteCount: Int) -> Int { (byteCount + granule - 1) & ~(granule - 1) }

    // MARK: Blocks

    /// A block for `byteCount` bytes.
    mutating func take(_ byteCount: Int) -> Block {
        let size = Self.blockSize(for: byteCount)
        let sizeClass = size / Self.granule
        let number = open[sizeClass] ?? beginSlab(size)
        let start = slabs[Int(number)].take()
        if slabs[Int(number)].isFull { unlink(number) }
        return Block(start: start, slab: number)
    }

    /// Frees a block.
    mutating func give(_ block: Block) {
        let number = block.slab
        let wasFull = slabs[Int(number)].isFull
        slabs[Int(number)].give(block.start)
        if wasFull { link(number) }
        if slabs[Int(number)].blocksInUse == 0 { retire(number) }
    }

    // MARK: Lists of slabs

    private mutating func link(_ number: UInt32) {
        let sizeClass = slabs[Int(number)].blockSize / Self.granule
        let first = open[sizeClass]
        slabs[Int(number)].next = first
        slabs[Int(number)].previous = nil
        if let first { slabs[Int(first)].previous = number }
        open[sizeClass] = number
    }

    private mutating func unlink(_ number: UInt32) {
        let slab = slabs[Int(number)]
        if let next = slab.next { slabs[Int(next)].previous = slab.previous }
        if let previous = slab.previous {
            slabs[Int(previous)].next = slab.next
        } else {
            open[slab.blockSize / Self.granule] = slab.next
        }
    }

    private mutating func beginSlab(_ size: Int) -> UInt32 {
        if warm.isEmpty && cold.isEmpty { reserveRegion() }
        // There is one: a new region is all cold.
        let number = (warm.popLast() ?? cold.popLast()).unsafelyUnwrapped
        slabs[Int(number)].begin(size)
        link(number)
        return number
    }

    private mutating func retire(_ number: UInt32) {
        unlink(number)
        warm.append(number)
        if warm.count > Self.warmMax {
            let coldest = warm.removeFirst()
            Platform.discardMemory(
                UnsafeMutableRawBufferPointer(
                    start: slabs[Int(coldest)].base, count: Self.slabSize))
            cold.append(coldest)
        }
    }

    // MARK: Regions

    /// Bytes of reserved address space.
    var reservedBytes: Int { slabs.count * Self.slabSize }

    /// Bytes of slabs that were not returned to the system.
    var heldBytes: Int { (slabs.count - cold.count) * Self.slabSize }

    /// Reserves address space for more slabs, twice as many as the last time up to a limit, so that
    /// a small store takes little.
    private mutating func reserveRegion() {
        let last = (regions.last?.count ?? 0) / Self.slabSize
        let count = min(max(Self.firstRegionSlabs, last * 2), Self.regionSlabsMax)
        guard let region = Platform.reserveMemory(count * Self.slabSize) else {
            preconditionFailure("Out of memory: the system has none for another node")
        }
        regions.append(region)
        let first = slabs.count
        for index in 0..<count {
            // Unsafe: within the region, which is a multiple of the slabs' size.
            let base = region.baseAddress.unsafelyUnwrapped + index * Self.slabSize
            slabs.append(Slab(base: base))
        }
        cold += (first..<first + count).reversed().map { UInt32($0) }
    }

    /// Frees all memory. No block may be in use any more.
    mutating func releaseAll() {
        for region in regions { Platform.releaseMemory(region) }
        self = NodeSlabs(blockMax: 0)
    }
}

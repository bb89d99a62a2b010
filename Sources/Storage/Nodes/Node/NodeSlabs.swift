/// Slabs of memory, each divided into blocks of one size.
///
/// A block that was freed is used again before one that never was, and that before another slab is
/// begun. A slab without a block in use serves any size; of those, all but a few give their memory
/// back to the system and only keep the addresses.
///
/// Invariants. Regions are reserved until ``releaseAll()``, so every slab stays where it is. Each
/// slab is in one of these states: full; in the list of its size class, with a free block; `warm`
/// or `cold`, with no block in use.
struct NodeSlabs {
    /// Bytes of a slab: so much that reading on in the next one costs nothing to speak of.
    private static let slabSize = 64 << 10
    /// Block sizes are multiples of this, the size of a cache line.
    private static let granule = 64
    /// Where the first block of a slab begins: so that the header of a node, which stands behind
    /// its prefix, begins a cache line.
    private static let firstBlock = granule - Node.prefixSize
    /// Slabs without a block in use that keep their memory.
    private static let warmMax = 16
    private static let firstRegionSlabs = 4
    private static let regionSlabsMax = 64

    // Safe to pass on: the holder of a block is the only one to use it.
    struct Block: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        /// The number of the slab that it is of.
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

    /// Bytes of the block that `byteCount` bytes are put into.
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

    /// Takes back a block.
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
        // One of the two has it: a new region is all cold.
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

    /// Bytes of addresses that are reserved.
    var reservedBytes: Int { slabs.count * Self.slabSize }

    /// Bytes of slabs that were not given back to the system.
    var heldBytes: Int { (slabs.count - cold.count) * Self.slabSize }

    /// Reserves addresses for more slabs, twice as many as the last time up to a limit: a small
    /// store takes little.
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

    /// Gives back all memory. No block may be in use any more.
    mutating func releaseAll() {
        for region in regions { Platform.releaseMemory(region) }
        self = NodeSlabs(blockMax: 0)
    }
}

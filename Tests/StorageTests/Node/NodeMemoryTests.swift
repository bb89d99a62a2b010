import StorageHarness
import Testing

@testable import Storage

/// The allocator of nodes.
@Suite struct NodeMemoryTests {
    // Unsafe: points to `size` bytes that were allocated here and not freed yet.
    private struct Block {
        let start: UnsafeMutableRawPointer
        let size: Int
        let byte: UInt8

        init(_ memory: NodeMemory, _ size: Int, _ byte: UInt8) {
            start = memory.allocate(size)
            self.size = size
            self.byte = byte
            for offset in own { start.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self) }
        }

        /// Offsets of some bytes of the user, including the first and the last one.
        var own: [Int] {
            [0, 8, 27] + Array(stride(from: 32, to: size, by: 1_021)) + [size - 1]
        }

        var isWhole: Bool {
            own.allSatisfy { start.load(fromByteOffset: $0, as: UInt8.self) == byte }
        }
    }

    @Test func blocksOfASizeAreAdjacent() {
        let memory = NodeMemory()
        // Unsafe, but only compared.
        var columns: [[UnsafeMutableRawPointer]] = [[], [], []]
        let sizes = [4_176, 336, 2_128]
        for _ in 0..<200 {
            for (index, size) in sizes.enumerated() { columns[index].append(memory.allocate(size)) }
        }
        for (index, size) in sizes.enumerated() {
            let blocks = columns[index]
            let stride = NodeMemory.footprint(size)
            let beside = zip(blocks, blocks.dropFirst()).count { $1 - $0 == stride }
            // All except those at the start of a slab.
            #expect(beside >= 180, "\(size)")
            for block in blocks { memory.deallocate(block, size) }
        }
    }

    @Test func blocksAreAlignedAndLargeEnough() {
        let memory = NodeMemory()
        for size in [32, 56, 63, 64, 65, 4_096, 16_383, 16_384, 16_385, 1 << 20] {
            let block = memory.allocate(size)
            #expect(UInt(bitPattern: block) % 16 == 0)
            if size <= 16_384 {
                // The header of a node begins a cache line.
                #expect((UInt(bitPattern: block) + UInt(Node.prefixSize)) % 64 == 0)
            }
            #expect(NodeMemory.footprint(size) >= size)
            memory.deallocate(block, size)
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func blocksNeverOverlap(seed: UInt64) {
        let memory = NodeMemory()
        var random = SeededGenerator(seed: seed)
        var blocks: [Block] = []
        let sizes = (0..<6).map { _ in 40 + random.next(below: 17_000) }
        for _ in 0..<4_000 {
            // Sometimes nearly all blocks are freed, so that slabs change their size class.
            let mayGrow = blocks.count < 300
            if mayGrow && !random.oneIn(3) {
                let byte = UInt8(truncatingIfNeeded: random.next())
                blocks.append(Block(memory, sizes[random.next(below: 6)], byte))
            } else if random.oneIn(200) || !mayGrow {
                for _ in 0..<blocks.count * 9 / 10 { free(&blocks, memory, &random) }
            } else if !blocks.isEmpty {
                free(&blocks, memory, &random)
            }
        }
        while !blocks.isEmpty { free(&blocks, memory, &random) }
    }

    private func free(
        _ blocks: inout [Block], _ memory: NodeMemory, _ random: inout SeededGenerator
    ) {
        let block = blocks.remove(at: random.next(below: blocks.count))
        #expect(block.isWhole)
        memory.deallocate(block.start, block.size)
    }

    @Test func freedMemoryServesNodesOfOtherSizes() {
        let memory = NodeMemory()
        let blocks = (0..<1_000).map { _ in memory.allocate(4_096) }
        let reserved = memory.reservedBytes
        for block in blocks { memory.deallocate(block, 4_096) }
        let others = (0..<10_000).map { _ in memory.allocate(320) }
        #expect(memory.reservedBytes == reserved)
        for block in others { memory.deallocate(block, 320) }
    }

    @Test func freedMemoryGoesBackToTheSystem() {
        let memory = NodeMemory()
        let blocks = (0..<10_000).map { _ in memory.allocate(4_096) }
        #expect(memory.heldBytes >= 10_000 * 4_096)
        for block in blocks { memory.deallocate(block, 4_096) }
        #expect(memory.heldBytes <= 2 << 20)
    }
}

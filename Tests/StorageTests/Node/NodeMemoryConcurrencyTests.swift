import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// The memory of nodes, used by several tasks concurrently: readers read nodes, and the last
/// release of a version frees its nodes.
@Suite struct NodeMemoryConcurrencyTests {
    // Safe to send: only the owner of the block accesses it.
    private struct Block: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        let size: Int

        /// Writes the size to both ends, as its contents.
        init(_ memory: NodeMemory, _ size: Int) {
            start = memory.allocate(size)
            self.size = size
            start.storeBytes(of: size, as: Int.self)
            start.storeBytes(of: size, toByteOffset: size - 8, as: Int.self)
        }

        var isWhole: Bool {
            start.load(as: Int.self) == size
                && start.load(fromByteOffset: size - 8, as: Int.self) == size
        }
    }

    private final class Exchange: Sendable {
        let memory = NodeMemory()
        private let blocks = Mutex<[Block]>([])

        /// Exchanges a block for one of another task.
        func swap(_ block: Block, at index: Int) -> Block? {
            blocks.withLock { blocks in
                if blocks.count < 64 {
                    blocks.append(block)
                    return nil
                }
                defer { blocks[index] = block }
                return blocks[index]
            }
        }

        func free() {
            for block in blocks.withLock({ $0 }) { memory.deallocate(block.start, block.size) }
        }
    }

    @Test func tasksFreeWhatOthersAllocated() async {
        let exchange = Exchange()
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(task))
                    for _ in 0..<5_000 {
                        let block = Block(exchange.memory, 40 + 640 * random.next(below: 12))
                        let other = exchange.swap(block, at: random.next(below: 64))
                        guard let other else { continue }
                        #expect(other.isWhole)
                        exchange.memory.deallocate(other.start, other.size)
                    }
                }
            }
        }
        exchange.free()
        #expect(exchange.memory.heldBytes <= 2 << 20)
    }
}

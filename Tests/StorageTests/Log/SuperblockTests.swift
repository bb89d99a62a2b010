import Testing

@testable import Storage

// Unsafe: `edit` gets the bytes of the buffer, which lives through the call.
@Suite struct SuperblockTests {
    private func file(_ edit: (UnsafeMutableRawBufferPointer) -> Void = { _ in }) -> AlignedBuffer {
        let buffer = AlignedBuffer(capacity: Superblock.fileSize)
        var superblock = Superblock(database: Bits128(low: 1, high: 2))
        superblock.encode(
            into: buffer.bytes.slice(superblock.offset..<superblock.offset + 8192))
        superblock.generation = 2
        superblock.encode(
            into: buffer.bytes.slice(superblock.offset..<superblock.offset + 8192))
        edit(buffer.bytes)
        return buffer
    }

    private func reading(_ buffer: AlignedBuffer) -> SuperblockReading {
        SuperblockReading(UnsafeRawBufferPointer(buffer.bytes))
    }

    @Test func theNewestGenerationCounts() {
        guard case .valid(let superblock) = reading(file()) else {
            Issue.record("not valid")
            return
        }
        #expect(superblock.generation == 2 && superblock.database == Bits128(low: 1, high: 2))
    }

    @Test(arguments: 0..<4)
    func anyOneSlotMayBeLost(slot: Int) {
        let buffer = file { $0.slice(slot * 4096..<(slot + 1) * 4096).fillWithZeros() }
        guard case .valid = reading(buffer) else {
            Issue.record("slot \(slot) was needed")
            return
        }
    }

    @Test func anotherFormatIsRefused() {
        let buffer = file { bytes in
            for slot in 0..<4 {
                let part = bytes.slice(slot * 4096..<(slot + 1) * 4096)
                part.store(UInt32(9), at: 8)
                let size = Superblock.checkedSize
                part.store(XXH64.hash(UnsafeRawBufferPointer(part).slice(0..<size)), at: size)
            }
        }
        #expect(reading(buffer) == .unsupported(format: 9))
    }

    /// A writer increments the stored number: after the greatest one it trapped.
    @Test(arguments: [16, 48, Superblock.recordOffset + 8])
    func numbersThatNoWriterCountsToDoNotVerify(offset: Int) {
        let buffer = file { bytes in
            // Both copies of the newest generation.
            for slot in 0..<2 {
                let part = bytes.slice(slot * 4096..<(slot + 1) * 4096)
                part.store(UInt64.max - 1, at: offset)
                let size = Superblock.checkedSize
                part.store(XXH64.hash(UnsafeRawBufferPointer(part).slice(0..<size)), at: size)
            }
        }
        guard case .valid(let superblock) = reading(buffer) else {
            Issue.record("not valid")
            return
        }
        #expect(superblock.generation == 1)
    }

    @Test func zerosAreLostAndOtherBytesForeign() {
        #expect(reading(AlignedBuffer(capacity: 100)) == .lost)
        let buffer = AlignedBuffer(capacity: 100)
        buffer.bytes[3] = 1
        #expect(reading(buffer) == .foreign)
    }
}

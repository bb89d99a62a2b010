// Safety: only methods of the value that owns the bytes read them.

/// The slots of a superblock's file, as far as they can be read.
struct SuperblockSlots {
    private let buffer = AlignedBuffer(capacity: Superblock.fileSize)
    private let count: Int
    /// Why slots could not be read, by their offsets.
    private let failures: [Int: StorageError]

    init(_ file: any File) {
        (count, failures) = file.readSlots(of: Superblock.slotSize, into: buffer.bytes)
    }

    /// What the file contains.
    ///
    /// - Throws: why a slot cannot be read. It may be the newest one, unless its copy shows its
    ///   contents.
    func reading() throws(StorageError) -> SuperblockReading {
        for (offset, failure) in failures {
            let copy = offset ^ Superblock.slotSize
            guard failures[copy] == nil, isSufficientWithoutCopy(copy) else { throw failure }
        }
        return SuperblockReading(UnsafeRawBufferPointer(buffer.bytes).slice(0..<count))
    }

    /// The offsets of the copies of a generation that do not verify, or cannot be read.
    func damagedCopies(of superblock: Superblock) -> [Int] {
        let first = superblock.offset
        return [first, first + Superblock.slotSize].filter { start in
            guard let slot = slot(start), case .valid(let found) = SuperblockReading(slot) else {
                return true
            }
            return !found.isCopy(of: superblock)
        }
    }

    /// Whether the slot at `start` suffices when its copy cannot be read: it verifies, or no
    /// generation was ever written to either.
    private func isSufficientWithoutCopy(_ start: Int) -> Bool {
        guard let slot = slot(start) else { return false }
        if case .valid = SuperblockReading(slot) { return true }
        return slot.isZero(from: 0)
    }

    /// The bytes of the slot at `start`; nil after the end of the file.
    private func slot(_ start: Int) -> UnsafeRawBufferPointer? {
        let end = min(start + Superblock.slotSize, count)
        return start < end ? UnsafeRawBufferPointer(buffer.bytes).slice(start..<end) : nil
    }
}

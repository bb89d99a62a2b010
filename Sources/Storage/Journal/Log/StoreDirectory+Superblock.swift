/// The two copies of a store's superblock.
extension StoreDirectory {
    /// The offsets in the superblock's file of the copies of a generation that do not verify, or
    /// cannot be read.
    func damagedCopies(of superblock: Superblock) throws(StorageError) -> [Int] {
        let file = try fileSystem.open(superblockPath, .readOnly)
        return SuperblockSlots(file).damagedCopies(of: superblock)
    }

    /// Rewrites the copy that a crash has torn, or that cannot be read, so that damage to one is
    /// found from then on, and one more loses nothing. The caller has the lock. False if that
    /// fails: one copy verifies, and the next checkpoint writes two of another generation.
    func completeCopies(of superblock: Superblock) -> Bool {
        if superblock.hasBothCopies { return true }
        do throws(StorageError) {
            let damaged = try damagedCopies(of: superblock)
            guard damaged.count < 2 else { return false }
            let buffer = AlignedBuffer(capacity: 2 * Superblock.slotSize)
            superblock.encode(into: buffer.bytes, cipher: cipher)
            let copy = UnsafeRawBufferPointer(buffer.bytes).slice(0..<Superblock.slotSize)
            let file = try openSuperblock()
            for offset in damaged { try file.write(copy, at: offset) }
            try file.sync()
            return true
        } catch {
            return false
        }
    }
}
